"""Result files in the shapes that other harnesses write, as their sources and documentation give them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from reports.comparison import ComparisonSettings, compare
from reports.run_files import TaskRun, find_runs
from reports.score_columns import ScoreFileError


def _lines(path: Path, rows: Sequence[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(row if isinstance(row, str) else json.dumps(row) + "\n" for row in rows))
    return path


def _sgl(sample: str, right: bool, **fields: Any) -> dict[str, Any]:
    row = {"generation": "", "reasoning_content": None, "id": sample, "expected_answer": "70", "problem": "p"}
    row |= {"num_generated_tokens": 100, "num_reasoning_tokens": 80, "num_answer_tokens": 20}
    row |= {"finish_reason": "stop", "predicted_answer": "70", "symbolic_correct": right}
    return row | fields


def _lm(doc: int, **fields: Any) -> dict[str, Any]:
    row = {
        "doc_id": doc,
        "doc": {},
        "target": "A",
        "arguments": {},
        "resps": [["A"]],
        "filtered_resps": ["A"],
    }
    return row | {"filter": "none", "metrics": ["acc"], "doc_hash": f"h{doc}", "acc": 1.0} | fields


def _nemo(index: int, reward: float, **fields: Any) -> dict[str, Any]:
    row = {"problem_idx": index, "repeat": 0, "reward": reward, "model_response": "", "expected_answer": "7"}
    return row | {"extracted_answer": "7", "scoring_details": {}, "metadata": {}, "latency_ms": 0} | fields


def _k2(index: int, finish: str | None, valid: bool | None, **fields: Any) -> dict[str, Any]:
    row = {"data_index": index, "request": {"model": "m", "messages": [index], "tools": []}, "response": {}}
    row |= {"status": "success", "finish_reason": finish, "tool_calls_valid": valid, "duration_ms": 1500}
    return row | fields


def _only(runs: list[TaskRun]) -> TaskRun:
    (run,) = runs
    return run


def _rows(run: TaskRun, *names: str) -> list[tuple[Any, ...]]:
    frame = run.frame[list(names)].astype(object)
    return [tuple(row) for row in frame.where(frame.notna(), None).itertuples(index=False)]


def test_sgl_eval_repeats_are_epochs_of_one_run(tmp_path: Path) -> None:
    directory = tmp_path / "sgl_eval_aime25_20260101-120000"
    _lines(directory / "output-rs0.jsonl", [_sgl("a", True), _sgl("b", False)])
    _lines(directory / "output-rs1.jsonl", [_sgl("a", True)])
    run = _only(find_runs(directory))
    assert (run.facts.task, run.facts.is_foreign) == ("aime25", True)
    assert _rows(run, "sample_id", "epoch", "score", "output_tokens", "reasoning_tokens") == [
        ("a", 1, 1.0, 100, 80),
        ("b", 1, 0.0, 100, 80),
        ("a", 2, 1.0, 100, 80),
    ]


@pytest.mark.parametrize(
    ("fields", "outcome", "score"),
    [
        pytest.param({"finish_reason": "length"}, "truncated", 0.0, id="the budget ended it"),
        pytest.param({"finish_reason": "error"}, "error", None, id="a failed request is no wrong answer"),
        pytest.param({"predicted_answer": None}, "no_answer", 0.0, id="nothing extracted"),
        pytest.param({}, "incorrect", 0.0, id="wrong"),
    ],
)
def test_sgl_eval_outcomes(tmp_path: Path, fields: dict[str, Any], outcome: str, score: float | None) -> None:
    path = _lines(tmp_path / "output-rs0.jsonl", [_sgl("a", False, **fields)])
    assert _rows(_only(find_runs(path)), "outcome", "score") == [(outcome, score)]


def test_sgl_eval_writes_zero_tokens_for_unknown(tmp_path: Path) -> None:
    path = _lines(tmp_path / "output-rs0.jsonl", [_sgl("a", True, num_generated_tokens=0)])
    assert _rows(_only(find_runs(path)), "output_tokens") == [(None,)]


def test_sgl_eval_settings_are_compared(tmp_path: Path) -> None:
    for label, temperature in (("int4", 1.0), ("nvfp4", 0.6)):
        _lines(tmp_path / label / "output-rs0.jsonl", [_sgl("a", True), _sgl("b", True)])
        metrics = {"name": "aime25", "num_examples": 2, "n_repeats": 2, "model": label}
        metrics |= {"gen": {"temperature": temperature, "seed": None}}
        (tmp_path / label / "metrics.json").write_text(json.dumps(metrics))
    (task,) = compare(tmp_path / "int4", tmp_path / "nvfp4", ComparisonSettings()).tasks
    assert "gen.temperature: 1.0 against 0.6" in task.reason
    assert task.baseline.counts.expected == 4


def test_lm_eval_reads_task_filters_and_metrics_apart(tmp_path: Path) -> None:
    rows = [
        _lm(0, filter="strict-match", metrics=["exact_match"], exact_match=0.0),
        _lm(0, filter="flexible-extract", metrics=["exact_match"], exact_match=1.0),
    ]
    path = _lines(tmp_path / "samples_gsm8k_2026-01-01T00-00-00.000000.jsonl", rows)
    runs = {run.facts.task: _rows(run, "sample_id", "score", "content_hash") for run in find_runs(path)}
    assert runs == {"gsm8k/strict-match": [("0", 0.0, "h0")], "gsm8k/flexible-extract": [("0", 1.0, "h0")]}


@pytest.mark.parametrize(
    ("rows", "tasks"),
    [
        pytest.param([_lm(0), _lm(1, acc=0)], ["mmlu"], id="one metric keeps the task's name"),
        pytest.param(
            [_lm(0, metrics=["acc", "acc_norm"], acc_norm=0.5)],
            ["mmlu/acc", "mmlu/acc_norm"],
            id="two metrics",
        ),
        pytest.param(
            [_lm(0, metrics=["acc", "bytes"], bytes=312.0)], ["mmlu"], id="what is no score is left out"
        ),
        pytest.param([_lm(0, metrics=["acc", "parts"], parts=[1, 2])], ["mmlu"], id="nor is a list"),
        pytest.param([_lm(0, metrics=["acc", ["x"], None])], ["mmlu"], id="a name that is none"),
        pytest.param(
            [{"doc_id": 0, "doc": {}, "resps": [["A"]], "filtered_resps": ["A"], "acc": 1}],
            ["mmlu"],
            id="old shape",
        ),
    ],
)
def test_lm_eval_metrics(tmp_path: Path, rows: list[Any], tasks: list[str]) -> None:
    path = _lines(tmp_path / "samples_mmlu_2026-01-01T00-00-00.000000.jsonl", rows)
    assert [run.facts.task for run in find_runs(path)] == tasks


def test_lm_eval_settings_lie_in_the_results_file_of_the_same_time(tmp_path: Path) -> None:
    date = "2026-01-01T00-00-00.000000"
    _lines(tmp_path / f"samples_mmlu_{date}.jsonl", [_lm(0)])
    results = {
        "configs": {"mmlu": {"generation_kwargs": {"temperature": 0}}},
        "n-samples": {"mmlu": {"effective": 3}},
    }
    (tmp_path / f"results_{date}.json").write_text(json.dumps(results))
    facts = _only(find_runs(tmp_path)).facts
    assert (facts.expected, facts.spec["generation"]) == (3, {"temperature": 0})


def test_nemo_evaluator_repeats_categories_and_secondary_rewards(tmp_path: Path) -> None:
    rows = [
        _nemo(
            0, 1.0, metadata={"category": "algebra"}, scorer_rewards={"scorer:exact": 0.5}, latency_ms=1500
        ),
        _nemo(0, 0.5, repeat=1, scoring_details={"category": "number"}),
    ]
    _lines(tmp_path / "results.jsonl", rows)
    bundle = {"benchmark": {"name": "gsm8k", "samples": 1, "repeats": 2}, "config": {"temperature": 1.0}}
    (tmp_path / "eval-20260101T000000Z-gsm8k.json").write_text(json.dumps(bundle))
    run = _only(find_runs(tmp_path))
    assert (run.facts.task, run.facts.expected, run.facts.spec["temperature"]) == ("gsm8k", 2, 1.0)
    assert _rows(run, "epoch", "score", "category", "secondary", "duration_s") == [
        (1, 1.0, "algebra", '{"scorer:exact":0.5}', 1.5),
        (2, 0.5, "number", None, None),
    ]


@pytest.mark.parametrize("category", ["infra_error", "graceful", "system"])
def test_nemo_evaluator_scores_failures_zero_and_we_do_not(tmp_path: Path, category: str) -> None:
    failed = _nemo(1, 0.0, scoring_details={"error": "timed out", "error_category": category})
    path = _lines(tmp_path / "results.jsonl", [_nemo(0, 1.0), failed])
    run = _only(find_runs(path))
    assert _rows(run, "outcome", "score", "error") == [("correct", 1.0, None), ("error", None, "timed out")]


@pytest.mark.parametrize(
    ("row", "outcome", "score", "secondary"),
    [
        pytest.param(
            _k2(1, "tool_calls", True), "correct", 1.0, {"triggered": 1.0, "schema": 1.0}, id="valid"
        ),
        pytest.param(
            _k2(1, "tool_calls", False), "incorrect", 0.0, {"triggered": 1.0, "schema": 0.0}, id="invalid"
        ),
        pytest.param(_k2(1, "stop", None), "correct", 1.0, {"triggered": 0.0}, id="no call"),
        pytest.param(_k2(1, "length", None), "truncated", 0.0, {"triggered": 0.0}, id="truncated"),
        pytest.param(_k2(1, None, None, status="failed"), "error", None, None, id="failed"),
    ],
)
def test_k2_vendor_verifier(
    tmp_path: Path, row: Any, outcome: str, score: float | None, secondary: Any
) -> None:
    run = _only(find_runs(_lines(tmp_path / "results.jsonl", [row])))
    assert run.facts.task == "k2_tool_calls"
    ((found_outcome, found_score, found),) = _rows(run, "outcome", "score", "secondary")
    assert (found_outcome, found_score, json.loads(found) if found else None) == (outcome, score, secondary)


def test_a_rerun_replaces_a_failure_and_another_answer_is_refused(tmp_path: Path) -> None:
    failed, again = _k2(1, None, None, status="failed"), _k2(1, "stop", None)
    path = _lines(tmp_path / "results.jsonl", [failed, again, failed])
    assert _rows(_only(find_runs(path)), "outcome") == [("correct",)]
    _lines(path, [again, again])
    with pytest.raises(ScoreFileError, match=r"sample 1, epoch 1 is there twice \(lines 1 and 2\)"):
        find_runs(path)


def test_the_request_not_the_vendors_name_makes_the_item(tmp_path: Path) -> None:
    rows = [
        _k2(1, "stop", None),
        _k2(1, "stop", None, request={"model": "other", "messages": [1], "tools": []}),
    ]
    runs = [_only(find_runs(_lines(tmp_path / f"{i}.jsonl", [row]))) for i, row in enumerate(rows)]
    assert runs[0].frame["content_hash"][0] == runs[1].frame["content_hash"][0]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        pytest.param(
            [_nemo(0, 7.5)], r"line 1: the score is 7.5; scores lie in \[0, 1\]", id="reward beyond 1"
        ),
        pytest.param([_nemo(0, 1.0), "{cut"], "line 2 is no JSON", id="cut line"),
        pytest.param([_nemo(0, 1.0, repeat=-3)], "epoch is -2", id="negative repeat"),
        pytest.param([_nemo(0, 1.0, problem_idx=None)], "sample_id is empty", id="no problem"),
        pytest.param([_nemo(0, 1.0, repeat="x")], "epoch is 'x'", id="repeat in words"),
        pytest.param([_nemo([1], 1.0)], "line 1: sample_id is \\[1\\]; it must be", id="a list as problem"),
        pytest.param([_nemo(0, 1.0, repeat={})], "line 1: epoch is {}; it must be", id="an object as repeat"),
    ],
)
def test_lines_that_are_refused(tmp_path: Path, rows: list[Any], message: str) -> None:
    with pytest.raises(ScoreFileError, match=message):
        find_runs(_lines(tmp_path / "results.jsonl", rows))


def test_two_harnesses_are_not_comparable(tmp_path: Path) -> None:
    _lines(tmp_path / "a" / "output-rs0.jsonl", [_sgl("0", True)])
    (tmp_path / "a" / "metrics.json").write_text(json.dumps({"name": "gsm8k", "gen": {}}))
    _lines(tmp_path / "b" / "results.jsonl", [_nemo(0, 1.0)])
    (tmp_path / "b" / "eval-1.json").write_text(json.dumps({"benchmark": {"name": "gsm8k"}}))
    (task,) = compare(tmp_path / "a", tmp_path / "b", ComparisonSettings()).tasks
    assert "harness: sgl-eval against nemo-evaluator" in task.reason
