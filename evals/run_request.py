"""What a run is asked to do, how it ended, and the manifest that says so."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evals.endpoint import Endpoint
from evals.fleet.survey import EndpointFacts
from evals.looks.declared_run import declared_facts
from evals.storage.run_directory import now_text, run_directory, software_facts
from evals.transport.failure import Failure, FailureKind
from evals.transport.retry import RetryPolicy
from evals.waits import Waits
from evals.worker_engine import Engine
from reports.manifest import TOGETHER
from tasks.benchmark import Benchmark, Item
from tasks.spec import TaskSpec


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """How to run, none of which changes what is measured."""

    runs_dir: Path
    run_seed: int = 0
    send_seed: bool = True
    max_connections: int = 64
    n_workers: int = 1  # processes that ask
    engine: Engine = Engine.LOCAL
    stream: bool = True  # of prompts; a whole request says itself how it is sent
    max_error_rate: float = 0.0  # share of errors above which the run is invalid
    escalate_to: int | None = None  # largest budget for truncated samples; None: they are counted as they are
    waits: Waits = field(default_factory=Waits)
    policy: RetryPolicy = field(default_factory=RetryPolicy)


@dataclass(frozen=True, kw_only=True)
class RunRequest:
    """Everything a run is made of. ``items`` are those to ask: all of the dataset's or the first few.

    ``replicas`` says of each of several servers whether it can be used, as the manifest keeps it.
    ``declared`` holds the looks of a run that may stop early, ``asked_at`` when the command was given.
    """

    benchmark: Benchmark
    spec: TaskSpec
    items: Sequence[Item]
    endpoint: Endpoint
    facts: EndpointFacts
    settings: RunSettings
    replicas: Sequence[Mapping[str, Any]] = ()
    declared: Mapping[str, Any] | None = None
    asked_at: str = field(default_factory=now_text)

    @property
    def directory(self) -> Path:
        """Where the run lies."""
        return run_directory(
            self.settings.runs_dir,
            self.spec,
            label=self.endpoint.label,
            model=self.endpoint.model,
            run_seed=self.settings.run_seed,
        )

    @property
    def n_expected(self) -> int:
        """Number of responses asked for."""
        return len(self.items) * self.spec.epochs


@dataclass(frozen=True, kw_only=True)
class RunEnd:
    """How a run ended: where it lies, and what stopped it early (``None``: nothing).

    ``log`` holds every response asked for where ``is_whole``; else older logs may hold more of them.
    """

    directory: Path
    log: Path | None
    is_whole: bool
    n_requests_sent: int
    n_retries: int
    fatal: Failure | None
    was_interrupted: bool
    client_cpu_share: float | None = None

    @property
    def dead(self) -> str | None:
        """Why the run was stopped as that of a dead checkpoint, ``None`` where it was not."""
        if self.fatal is None or self.fatal.kind is not FailureKind.CHECKPOINT:
            return None
        return self.fatal.message


def describe_run(request: RunRequest, earlier: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is run now as the manifest and the log's header hold it; ``earlier`` is the manifest so far."""
    endpoint = request.endpoint
    return {
        "schema": 1,
        "task": request.spec.task,
        "label": endpoint.label,
        "fingerprint": request.spec.fingerprint,
        "spec": request.spec.as_dict(),
        "n_items": len(request.items),
        "epochs": request.spec.epochs,
        "expected": request.n_expected,
        "run_seed": request.settings.run_seed,
        "send_seed": request.settings.send_seed,
        "endpoint": {
            "base_url": endpoint.base_url,
            "model": endpoint.model,
            "label": endpoint.label,
            **request.facts.as_dict(),
            **_replicas(request, earlier),
        },
        "stream": request.settings.stream,
        "max_error_rate": request.settings.max_error_rate,
        "max_connections": request.settings.max_connections,
        "on_truncation": "count" if request.settings.escalate_to is None else "escalate",
        "escalate_to": request.settings.escalate_to,
        **software_facts(),
        **declared_facts(request.declared, earlier),
        "starts": _starts(request, earlier),
        "started": earlier.get("started") or now_text(),
        "finished": None,
        "log": None,
    }


def _replicas(request: RunRequest, earlier: Mapping[str, Any]) -> dict[str, Any]:
    """Return the servers named now where they are several, and all that any start so far named together."""
    before = earlier.get("endpoint") or {}
    known = before.get(TOGETHER) or [entry.get("base_url") for entry in before.get("replicas") or ()]
    now = [replica["base_url"] for replica in request.replicas]
    return {
        **({"replicas": list(request.replicas)} if request.replicas else {}),
        TOGETHER: sorted({*known, *now}),
    }


def _starts(request: RunRequest, earlier: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return when the run was started or resumed: between two times the server may have been started anew."""
    known = earlier.get("starts") or []
    this = {"at": request.asked_at, "server_started": request.facts.server_started}
    return known if known and known[-1]["at"] == request.asked_at else [*known, this]
