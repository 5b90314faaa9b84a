import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reports.eval_log import read_eval_log
from reports.log_members import LogError


def test_every_field_of_our_score_becomes_a_column(tmp_path: Path, logs: Any) -> None:
    row = logs.summary(
        "x",
        2,
        answer="70",
        flags=["think_in_content", "b"],
        stop_reason="stop",
        output_tokens=12,
        reasoning_tokens=9,
        answer_tokens=3,
        prompt_tokens=100,
        tokens_estimated=True,
        ttft_s=0.5,
        duration_s=3.5,
        seed=2**62,
        replica=0,
        attempts=2,
        category="algebra",
        lenient_answer="7",
        finished_at=1.5,
        content_hash="h",
        reason="boxed",
        secondary={"bleu": 0.5},
        failed_replicas=["u", "v"],
        escalated_outcome="incorrect",
        escalated_score=0.0,
        escalated_max_tokens=2048,
    )
    log = read_eval_log(
        logs.log(tmp_path / "a.eval", {"header.json": logs.header(), "summaries.json": [row]})
    )
    found = log.frame.iloc[0].to_dict()
    assert found == {
        "task": "aime25",
        "sample_id": "x",
        "epoch": 2,
        "outcome": "correct",
        "score": 1.0,
        "answer": "70",
        "stop_reason": "stop",
        "output_tokens": 12.0,
        "reasoning_tokens": 9.0,
        "ttft_s": 0.5,
        "duration_s": 3.5,
        "seed": 2**62,
        "replica": "0",
        "flags": "think_in_content;b",
        "content_hash": "h",
        "category": "algebra",
        "lenient_answer": "7",
        "finished_at": 1.5,
        "reason": "boxed",
        "failed_replicas": "u;v",
        "error": None,
        "attempts": 2.0,
        "prompt_tokens": 100.0,
        "answer_tokens": 3.0,
        "tokens_estimated": True,
        "secondary": '{"bleu":0.5}',
        "details": None,
        "escalated_outcome": "incorrect",
        "escalated_score": 0.0,
        "escalated_max_tokens": 2048.0,
    }


@pytest.mark.parametrize(
    ("fields", "outcome", "score"),
    [
        pytest.param({"outcome": "truncated"}, "truncated", 0.0, id="truncated is scored as served"),
        pytest.param({"outcome": "error"}, "error", None, id="an error has no score"),
        pytest.param({"outcome": "error", "score": 0.0}, "error", None, id="an error never scores 0"),
        pytest.param({"outcome": "correct", "score": None}, "error", None, id="no score is never correct"),
        pytest.param({"outcome": "incorrect", "score": 0.25}, "incorrect", 0.25, id="fraction kept"),
        pytest.param({"error": "server: 500"}, "error", None, id="a failed sample has no scorer"),
        pytest.param(
            {"error": {"message": "client: reset", "traceback": ""}}, "error", None, id="error as an object"
        ),
    ],
)
def test_outcome_and_score_agree(
    tmp_path: Path, logs: Any, fields: dict[str, Any], outcome: str, score: float | None
) -> None:
    members = {"header.json": logs.header(), "summaries.json": [logs.summary("x", 1, **fields)]}
    row = read_eval_log(logs.log(tmp_path / "a.eval", members)).frame.iloc[0]
    assert row["outcome"] == outcome
    assert (row["score"] == score) if score is not None else np.isnan(row["score"])


def test_a_cancelled_sample_is_no_response(tmp_path: Path, logs: Any) -> None:
    rows = [logs.summary("x", 1), logs.summary("y", 1, error="CancelledError()")]
    log = read_eval_log(logs.log(tmp_path / "a.eval", {"header.json": logs.header(), "summaries.json": rows}))
    assert list(log.frame["sample_id"]) == ["x"]


@pytest.mark.parametrize(
    ("value", "outcome", "score"),
    [
        pytest.param("C", "correct", 1.0, id="letter C"),
        pytest.param("I", "incorrect", 0.0, id="letter I"),
        pytest.param("N", "no_answer", 0.0, id="letter N"),
        pytest.param("P", "incorrect", 0.5, id="letter P is half"),
        pytest.param(1, "correct", 1.0, id="integer"),
        pytest.param(0.25, "incorrect", 0.25, id="fraction"),
        pytest.param(True, "correct", 1.0, id="boolean"),
        pytest.param("yes", "correct", 1.0, id="word"),
        pytest.param("0.5", "incorrect", 0.5, id="number as text"),
        pytest.param(float("nan"), None, None, id="NaN is unscored"),
    ],
)
def test_foreign_scores(
    tmp_path: Path, logs: Any, value: Any, outcome: str | None, score: float | None
) -> None:
    members = {"header.json": logs.foreign_header(), "summaries.json": [logs.foreign("x", 1, value)]}
    log = read_eval_log(logs.log(tmp_path / "a.eval", members))
    row = log.frame.iloc[0]
    assert (log.facts.task, log.facts.label, log.facts.is_foreign) == ("gpqa", "vllm/kimi", True)
    assert row["outcome"] == outcome if outcome else row.isna()["outcome"]
    assert row["score"] == score if score is not None else np.isnan(row["score"])


@pytest.mark.parametrize(
    ("value", "message"),
    [
        pytest.param({"a": 1}, "gives no number", id="several values"),
        pytest.param("maybe", "gives no number but 'maybe'", id="word"),
        pytest.param(7, r"gives 7.0; scores lie in \[0, 1\]", id="out of range"),
    ],
)
def test_foreign_scores_that_are_none(tmp_path: Path, logs: Any, value: Any, message: str) -> None:
    members = {"header.json": logs.foreign_header(), "summaries.json": [logs.foreign("x", 1, value)]}
    with pytest.raises(LogError, match=message):
        read_eval_log(logs.log(tmp_path / "a.eval", members))


def test_foreign_truncation_is_seen_in_the_full_sample(tmp_path: Path, logs: Any) -> None:
    output = {"choices": [{"stop_reason": "max_tokens"}]}
    sample = logs.foreign(
        "x", 1, "I", output=output, model_usage={"m": {"output_tokens": 5, "input_tokens": 2}}
    )
    members = {"header.json": logs.foreign_header(), "samples/x_epoch_1.json": sample}
    row = read_eval_log(logs.log(tmp_path / "a.eval", members)).frame.iloc[0]
    assert (row["outcome"], row["output_tokens"], row["prompt_tokens"]) == ("truncated", 5, 2)


def test_a_plain_json_log_is_read_alike(tmp_path: Path, logs: Any) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(logs.header() | {"samples": [logs.summary("x", 1)]}))
    assert read_eval_log(path).frame["score"].tolist() == [1.0]


@pytest.mark.parametrize("compression", [pytest.param(0, id="stored"), pytest.param(8, id="deflate"), 93])
def test_compressions(tmp_path: Path, logs: Any, compression: int) -> None:
    members = {"header.json": logs.header(), "summaries.json": [logs.summary("x", 1)]}
    assert len(read_eval_log(logs.log(tmp_path / "a.eval", members, compression)).frame) == 1


def _killed(logs: Any) -> dict[str, Any]:
    """The members of a run that was killed: no header, no summaries, one sample not in the journal."""
    return {
        "_journal/start.json": {"version": 2, "eval": logs.header()["eval"]},
        "samples/x_epoch_1.json": logs.summary("x", 1),
        "_journal/summaries/1.json": [
            logs.summary("x", 1, outcome="error"),
            logs.summary("y", 1, outcome="incorrect"),
        ],
        "samples/x_epoch_2.json": logs.summary("x", 2),
        "_journal/summaries/10.json": [logs.summary("x", 1)],
    }


def test_a_killed_run_is_read_from_its_journal_and_samples(tmp_path: Path, logs: Any) -> None:
    log = read_eval_log(logs.log(tmp_path / "a.eval", _killed(logs)))
    found = {(row.sample_id, row.epoch): row.outcome for row in log.frame.itertuples()}
    assert found == {("x", 1): "correct", ("y", 1): "incorrect", ("x", 2): "correct"}
    assert log.facts.status == "started"


def test_a_torn_log_gives_its_whole_entries(tmp_path: Path, logs: Any) -> None:
    path = logs.log(tmp_path / "a.eval", _killed(logs))
    data = path.read_bytes()
    path.write_bytes(data[: data.rindex(b"_journal/summaries/10.json", 0, data.index(b"PK\x01\x02"))])
    log = read_eval_log(path)
    assert {(row.sample_id, row.epoch) for row in log.frame.itertuples()} == {("x", 1), ("y", 1), ("x", 2)}
    assert log.facts.status == "torn"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param(b"", "empty", id="empty"),
        pytest.param(b"hello", "no Inspect log", id="text"),
        pytest.param(b"PK\x03\x04", "torn and holds no whole entry", id="only a signature"),
    ],
)
def test_unreadable_logs(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "a.eval"
    path.write_bytes(data)
    with pytest.raises(LogError, match=message):
        read_eval_log(path)


@pytest.mark.parametrize(
    ("members", "message"),
    [
        pytest.param({"other.txt": "x"}, "no Inspect header", id="another zip"),
        pytest.param({"header.json": "[]"}, "no Inspect header", id="header is a list"),
        pytest.param({"header.json": "{broken"}, "header.json is no JSON", id="header is no JSON"),
        pytest.param(
            {"header.json": '{"eval":{}}', "summaries.json": "{}"}, "no list of summaries", id="summaries"
        ),
        pytest.param(
            {"header.json": '{"eval":{}}', "summaries.json": '[{"id":"a"}]'}, "epoch None", id="no epoch"
        ),
    ],
)
def test_logs_of_another_shape(tmp_path: Path, logs: Any, members: dict[str, Any], message: str) -> None:
    with pytest.raises(LogError, match=message):
        read_eval_log(logs.log(tmp_path / "a.eval", members))


def test_a_member_never_unfolds_beyond_its_declared_size(tmp_path: Path, logs: Any) -> None:
    path = logs.log(tmp_path / "a.eval", {"header.json": b" " * 100_000})
    data = path.read_bytes().replace((100_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    path.write_bytes(data)
    with pytest.raises(LogError, match="damaged"):
        read_eval_log(path)


@pytest.mark.parametrize(("version", "notes"), [(2, 0), (None, 0), (9, 1), ("x", 1), ([1], 1)])
def test_a_log_of_another_version_is_read_and_said_to_be(
    tmp_path: Path, logs: Any, version: Any, notes: int
) -> None:
    members = {"header.json": logs.header() | {"version": version}, "summaries.json": [logs.summary("x", 1)]}
    log = read_eval_log(logs.log(tmp_path / "a.eval", members))
    assert len(log.frame) == 1 and len(log.facts.notes) == notes
    assert all(f"of version {version}, " in note for note in log.facts.notes)
