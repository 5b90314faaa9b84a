"""A manifest.json or report.json whose values are of the wrong kind is refused in one line that names the key."""

import json
from pathlib import Path
from typing import Any

import pytest

from evals.storage.journal import JournalError
from evals.storage.run_directory import read_manifest
from reports.log_members import LogError
from reports.manifest import MANIFEST
from reports.report_reader import ReportFileError, read_report
from reports.run_files import find_runs

GOLDEN = Path(__file__).parents[1] / "golden" / "compare_aime.json"
HUGE = 10**400
LOOK = {
    "verdict": "pass",
    "looks": [2, 4],
    "stopped_early": True,
    **dict.fromkeys(("look", "epochs", "max_epochs", "epochs_saved"), 1),
    "margin": 0.02,
    "critical_value": 2.5,
    "delta": {"value": 0.0, "low": -0.01, "high": 0.01, "confidence": 0.95},
}
MANIFEST_KEYS = {
    "n_items": 2,
    "epochs": 1,
    "expected": 2,
    "max_error_rate": 0.0,
    "fingerprint": "f1",
    "started": "2026-11-30T21:00:00+00:00",
    "dead": None,
    "versions": {},
    "client": {"cpu_share": None},
    "endpoint": {"replicas": [{"base_url": "http://a/v1"}]},
    "starts": [{"at": "2026-11-30T21:00:00+00:00", "server_started": None}],
    "decision": LOOK,
}


def changed(document: Any, path: str, value: Any) -> Any:
    """Return the document with one value replaced; ``...`` takes the key out."""
    document = json.loads(json.dumps(document))
    *above, last = (int(part) if part.isdigit() else part for part in path.split("/"))
    inner = document
    for key in above:
        inner = inner[key]
    if value is ...:
        del inner[last]
    else:
        inner[last] = value
    return document


def cases(*rows: tuple[str, Any]) -> list[Any]:
    kinds = {str: "a text", list: "a list", dict: "an object", type(None): "null", type(...): "absent"}
    names = {HUGE: "huge", -1: "negative", 1.5: "a fraction", True: "true"}
    return [
        pytest.param(path, value, id=f"{path} {kinds.get(type(value)) or names.get(value, 'not a number')}")
        for path, value in rows
    ]


MANIFEST_CASES = cases(
    ("n_items", "many"),
    ("n_items", -1),
    ("n_items", HUGE),
    ("n_items", True),
    ("epochs", 1.5),
    ("expected", []),
    ("max_error_rate", float("nan")),
    ("max_error_rate", "none"),
    ("fingerprint", 7.5),
    ("started", -1),
    ("dead", {}),
    ("versions", "0.1.0"),
    ("client", []),
    ("endpoint", "http://a/v1"),
    ("endpoint/replicas", {}),
    ("endpoint/replicas/0", "http://a/v1"),
    ("starts", {}),
    ("starts/0", "now"),
    ("starts/0/at", ...),
    ("starts/0/at", None),
    ("decision", "pass"),
    ("decision/delta", ...),
    ("decision/delta/low", "x"),
    ("decision/verdict", "good"),
)


@pytest.mark.parametrize(("path", "value"), MANIFEST_CASES)
def test_a_damaged_manifest_is_refused_by_who_reports_and_by_who_runs(
    tmp_path: Path, logs: Any, path: str, value: Any
) -> None:
    directory = logs.run(tmp_path, logs.grid(2, 1), fingerprint="f1")
    document = json.dumps(changed(MANIFEST_KEYS, path, value))
    (directory / MANIFEST).write_text(document)
    for read, kind in ((find_runs, LogError), (read_manifest, JournalError)):
        with pytest.raises(kind) as caught:
            read(directory)
        words = str(caught.value)
        assert MANIFEST in words and f"$.{path.split('/')[0]}" in words and "restore it" in words


@pytest.mark.parametrize("path", [key for key in MANIFEST_KEYS if key != "fingerprint"])
@pytest.mark.parametrize("value", [None, ...], ids=["null", "absent"])
def test_what_a_manifest_does_not_know_is_no_damage(tmp_path: Path, logs: Any, path: str, value: Any) -> None:
    directory = logs.run(tmp_path, logs.grid(2, 1), fingerprint="f1")
    (directory / MANIFEST).write_text(json.dumps(changed(MANIFEST_KEYS, path, value)))
    (run,) = find_runs(directory)
    assert len(run.frame) == 2 and read_manifest(directory).get(path) is None


@pytest.mark.parametrize("text", ["[]", '"x"', "{", ""], ids=["a list", "a text", "half", "empty"])
def test_a_manifest_that_is_no_object_is_never_written_over(tmp_path: Path, text: str) -> None:
    (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(JournalError, match="restore it"):
        read_manifest(tmp_path)


REPORT_CASES = cases(
    ("confidence", float("nan")),
    ("tasks/0/delta/value", None),
    ("tasks/0/delta/high", HUGE),
    ("tasks/0/p_value", None),
    ("tasks/0/power/pass_chance", None),
    ("tasks/0/reasoning_tokens_ratio/value", None),
    ("tasks/0/reasoning_tokens_ratio/n_items", {}),
    ("tasks/0/by_response_length/0/middle", HUGE),
    ("tasks/0/by_response_length/0/candidate/n_responses", "many"),
    ("tasks/0/by_response_length/0/candidate/value", None),
    ("tasks/0/items/sample_id/0", None),
    ("tasks/0/items/category/0", []),
    ("tasks/0/items/baseline/correct/0", {}),
    ("tasks/0/items/baseline/score/0", "1"),
    ("tasks/0/items/candidate/output_tokens/0", float("nan")),
    ("tasks/0/items/candidate/answer/0", True),
    ("tasks/0/items/candidate", "gone"),
    ("provenance", "gone"),
)


@pytest.mark.parametrize(("path", "value"), REPORT_CASES)
def test_a_damaged_report_is_refused(tmp_path: Path, path: str, value: Any) -> None:
    file = tmp_path / "report.json"
    file.write_text(json.dumps(changed(json.loads(GOLDEN.read_text()), path, value)))
    with pytest.raises(ReportFileError) as caught:
        read_report(file)
    words = str(caught.value)
    assert str(file) in words
    assert [part for part in path.split("/") if not part.isdigit()][-1] in words
