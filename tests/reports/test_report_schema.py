import json
from pathlib import Path

import jsonschema
import pytest

from reports.json_report import to_json
from reports.report_schema import REPORT_SCHEMA

GOLDEN = Path(__file__).parents[1] / "golden"
PUBLISHED = Path(__file__).parents[2] / "docs" / "report.schema.json"


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(REPORT_SCHEMA)


def test_the_published_schema_is_this_one() -> None:
    """Write it anew with: python -m reports.report_schema > docs/report.schema.json."""
    assert json.loads(PUBLISHED.read_text()) == json.loads(to_json(REPORT_SCHEMA))


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("compare_*.json")), ids=lambda path: path.stem)
def test_every_golden_document_is_valid(path: Path) -> None:
    jsonschema.validate(json.loads(path.read_text()), REPORT_SCHEMA)


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
        jsonschema.validate(document, REPORT_SCHEMA)
