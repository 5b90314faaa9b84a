import copy
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from reports.json_report import to_json
from reports.report_schema import REPORT_SCHEMA

GOLDEN = Path(__file__).parents[1] / "golden"
VALIDATOR = jsonschema.Draft202012Validator(REPORT_SCHEMA)  # once: making one costs more than using it
PUBLISHED = Path(__file__).parents[2] / "docs" / "report.schema.json"


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(REPORT_SCHEMA)


def test_the_published_schema_is_this_one() -> None:
    """Write it anew with: python -m reports.report_schema > docs/report.schema.json."""
    assert json.loads(PUBLISHED.read_text()) == json.loads(to_json(REPORT_SCHEMA))


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("compare_*.json")), ids=lambda path: path.stem)
def test_every_golden_document_is_valid(path: Path) -> None:
    VALIDATOR.validate(json.loads(path.read_text()))


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"schema": 2}, id="another version"),
        pytest.param({"verdict": "ok"}, id="unknown verdict"),
        pytest.param({"tasks": None}, id="no tasks"),
    ],
)
def test_other_documents_are_not(change: dict[str, object]) -> None:
    document = json.loads((GOLDEN / "compare_aime.json").read_text()) | change
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(document)


AIME = json.loads((GOLDEN / "compare_aime.json").read_text())
TASK = REPORT_SCHEMA["properties"]["tasks"]["items"]


@pytest.mark.parametrize("key", TASK["required"])
def test_no_task_may_lack_what_is_promised(key: str) -> None:
    document = copy.deepcopy(AIME)
    del document["tasks"][0][key]
    with pytest.raises(jsonschema.ValidationError, match=f"'{key}' is a required property"):
        VALIDATOR.validate(document)


@pytest.mark.parametrize("key", [key for key in TASK["properties"] if key not in TASK["required"]])
def test_a_task_may_lack_what_was_added_since(key: str) -> None:
    document = copy.deepcopy(AIME)
    document["tasks"][0].pop(key, None)
    VALIDATOR.validate(document)


@pytest.mark.parametrize("key", TASK["properties"])
def test_every_key_of_a_task_refuses_what_it_cannot_hold(key: str) -> None:
    document = copy.deepcopy(AIME)
    document["tasks"][0][key] = 7.5 if isinstance(AIME["tasks"][0].get(key), str) else "seven"
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(document)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        pytest.param(("delta", "low"), "-1", id="a limit as text"),
        pytest.param(("truncated", "candidate"), 1.5, id="a share above 1"),
        pytest.param(("counts", "baseline", "correct"), -1, id="a negative count"),
        pytest.param(("secondary", "pass@8", "delta"), None, id="a metric without its delta"),
        pytest.param(("power", "epochs_needed", "both"), 1.5, id="a half epoch"),
        pytest.param(("diagnosis", "signals"), [{"name": "x"}], id="a sign without its rates"),
    ],
)
def test_deep_faults_are_seen(path: tuple[str, ...], value: Any) -> None:
    document = copy.deepcopy(AIME)
    inner = document["tasks"][0]
    for name in path[:-1]:
        inner = inner[name]
    assert path[-1] in inner
    inner[path[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(document)


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("compare_*.json")), ids=lambda path: path.stem)
def test_nothing_is_written_that_the_schema_does_not_tell_of(path: Path) -> None:
    document = json.loads(path.read_text())
    assert set(document) <= set(REPORT_SCHEMA["properties"])
    for task in document["tasks"]:
        assert set(task) <= set(TASK["properties"])
