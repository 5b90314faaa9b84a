"""The layout our reader relies on, as the installed Inspect really writes it."""

import math
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, Scorer, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from reports.run_files import read_scores


@scorer(metrics=[mean()])
def outcome() -> Scorer:
    async def score(state: TaskState, target: Any) -> Score:
        if state.sample_id == "b":
            return Score(value=math.nan, metadata={"outcome": "error", "score": None, "flags": []})
        metadata = {"outcome": "correct", "score": 1.0, "answer": "70", "flags": ["x"], "output_tokens": 5}
        return Score(value=1.0, answer="70", metadata=metadata)

    return score


@solver
def failing_on_c() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if state.sample_id == "c":
            raise RuntimeError("server: 500 from the endpoint")
        return await generate(state)

    return solve


def _output(*_: Any) -> ModelOutput:
    output = ModelOutput.from_content("mockllm/model", "70")
    output.usage = ModelUsage(input_tokens=1, output_tokens=5, total_tokens=6)
    return output


@pytest.mark.filterwarnings("ignore")
def test_a_log_written_by_inspect_is_read(tmp_path: Path) -> None:
    task = Task(
        dataset=MemoryDataset([Sample(id=name, input="q", target="70") for name in ("a", "b", "c")]),
        solver=failing_on_c(),
        scorer=outcome(),
        name="aime25",
        metadata={"quantcheck": {"task": "aime25", "label": "int4", "fingerprint": "f", "spec": {"x": 1}}},
    )
    model = get_model("mockllm/model", custom_outputs=_output)
    eval(task, model=model, epochs=2, log_dir=str(tmp_path), fail_on_error=False, display="none")
    table = read_scores(tmp_path)
    facts = table.facts["aime25"]
    assert (facts.label, facts.fingerprint, facts.spec, facts.expected) == ("int4", "f", {"x": 1}, 6)
    outcomes = {(row.sample_id, row.epoch): row.outcome for row in table.frame.itertuples()}
    assert outcomes == {
        ("a", 1): "correct",
        ("a", 2): "correct",
        ("b", 1): "error",
        ("b", 2): "error",
        ("c", 1): "error",
        ("c", 2): "error",
    }
    assert "server: 500" in table.frame.set_index(["sample_id", "epoch"]).loc[("c", 1), "error"]
