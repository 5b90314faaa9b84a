"""The vendor contract through Inspect itself: a sample a probe, its verdict and its evidence in the log."""

import gc
import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog

from evals.inspect_registry import vendor_contract
from evals.simulator.config import SimulatorConfig
from evals.simulator.faults import parse_faults
from evals.simulator.server import Running, serve_in_thread
from tests.evals.contract_vendor import CONTEXT, SHORT

pytestmark = [
    pytest.mark.filterwarnings("ignore:The 'initial' parameter is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Unclosed <MemoryObject:ResourceWarning"),
]


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Callable[..., tuple[EvalLog, Running]]]:
    with ExitStack() as stack:

        def run(*faults: str, epochs: int = 1, **arguments: Any) -> tuple[EvalLog, Running]:
            config = SimulatorConfig(profile=SHORT, faults=parse_faults(faults), max_model_len=CONTEXT)
            running = stack.enter_context(serve_in_thread(config))
            (log,) = inspect_eval(
                vendor_contract(**arguments),
                model=f"endpoint/{running.model}",
                model_base_url=running.base_url,
                epochs=epochs,
                log_dir=str(tmp_path),
                display="none",
            )
            return log, running

        yield run
    gc.collect()  # what Inspect leaves must not be collected in another test


def scores(log: EvalLog) -> dict[str, Any]:
    assert log.status == "success" and log.samples is not None
    return {str(sample.id): (sample.scores or {})["probe"] for sample in log.samples}


def test_a_good_vendor_passes_every_sample(ask: Callable[..., tuple[EvalLog, Running]]) -> None:
    log, running = ask(profile="generic")
    found = scores(log)
    assert {score.answer for score in found.values()} == {"pass"} and len(found) > 40
    assert "context_prompt" in found, "the endpoint tells its context length"
    assert log.results is not None
    assert log.results.scores[0].metrics["accuracy_as_served"].value == 1.0
    assert log.samples is not None
    answers = next(sample for sample in log.samples if sample.id == "answers")
    assert (
        answers.input == "A plain question gets a visible answer." and answers.metadata["group"] == "basics"
    )
    exchanges = answers.metadata["probe_result"]["exchanges"]
    assert {one["delivery"]: one["status"] for one in exchanges} == {"stream": 200, "plain": 200}
    assert len(exchanges) == 2, "in the order in which they ended"
    n_logged = sum(len(sample.metadata["probe_result"]["exchanges"]) for sample in log.samples)
    assert n_logged == running.ledger.n_requests, "every request is in the log, equal ones once"


def test_a_fault_is_named_with_what_follows_from_it(ask: Callable[..., tuple[EvalLog, Running]]) -> None:
    found = scores(ask("tool_leak_content=1", profile="kimi-k2.6-open")[0])
    failed = {name: score for name, score in found.items() if score.answer in ("fail", "error")}
    roots = {name for name, score in failed.items() if not score.metadata["follows_from"]}
    assert roots == {"tool_leak"} and len(failed) > 5
    assert found["tool_leak"].value == 0.0 and "native tokens" in found["tool_leak"].explanation
    assert found["tool_leak"].metadata["by_delivery"]["stream"]["verdict"] == "fail"


def test_what_was_not_shown_is_missing_and_never_0(ask: Callable[..., tuple[EvalLog, Running]]) -> None:
    found = scores(ask("http_401=1", profile="generic")[0])
    assert {score.answer for score in found.values()} == {"error"}
    assert all(math.isnan(score.value) for score in found.values())


def test_every_epoch_asks_anew(ask: Callable[..., tuple[EvalLog, Running]]) -> None:
    log, running = ask(profile="generic", epochs=2)
    assert log.samples is not None
    once = sum(
        len(sample.metadata["probe_result"]["exchanges"]) for sample in log.samples if sample.epoch == 1
    )
    assert running.ledger.n_requests == 2 * once
