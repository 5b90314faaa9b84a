import json
from pathlib import Path

import pytest

from reports.json_report import to_json
from reports.vendor_json import vendor_document, vendors_document
from reports.vendor_markdown import render_vendors_markdown
from reports.vendor_report import VendorReport
from reports.vendor_table import (
    REPORT_FILE,
    VendorReportError,
    rank,
    read_document,
    report_files,
    vendor_row,
)
from reports.vendor_terminal import render_vendors_terminal
from tests.reports.vendor_criteria import FAIL, criterion, measured, report


def vendor(
    label: str, f1: float | None = None, schema: float | None = None, *, n_failed: int = 0
) -> VendorReport:
    failed = (criterion(f"f{number}", FAIL) for number in range(n_failed))
    return report(criterion("a"), *failed, label=label, tool_calls=measured(f1, schema))


VENDORS = (
    vendor("unmeasured"),
    vendor("lower schema", 0.80, 0.72),
    vendor("best", 0.84, 0.95),
    vendor("higher schema", 0.80, 1.0),
    vendor("unmeasured, broken", n_failed=2),
    vendor("lowest", 0.50, 1.0),
)
ORDER = ["best", "higher schema", "lower schema", "lowest", "unmeasured", "unmeasured, broken"]


def write(directory: Path, one: VendorReport) -> Path:
    directory.mkdir(parents=True)
    (directory / REPORT_FILE).write_text(to_json(vendor_document(one)), encoding="utf-8")
    return directory


def labels(paths: list[Path]) -> list[str]:
    return [read_document(file)["label"] for file in report_files(paths)]


def test_vendors_are_sorted_by_f1_then_schema_accuracy_and_the_unmeasured_last() -> None:
    documents = [vendor_document(one) for one in VENDORS]
    assert [row.label for row in sorted(map(vendor_row, documents), key=rank)] == ORDER
    assert [one["label"] for one in vendors_document(documents)["vendors"]] == ORDER


@pytest.mark.parametrize(
    ("n_failed", "verdict"), [((0, 0), "qualified"), ((0, 1), "not_qualified")], ids=["all", "one fails"]
)
def test_several_vendors_have_the_worst_verdict(n_failed: tuple[int, int], verdict: str) -> None:
    documents = [vendor_document(vendor(str(n), n_failed=n)) for n in n_failed]
    assert vendors_document(documents)["verdict"] == verdict


def test_the_table_shows_figures_and_what_is_not_measured() -> None:
    rows = [vendor_row(vendor_document(one)) for one in (vendor("a|b", 0.8, 1.0), vendor("c", n_failed=1))]
    markdown = render_vendors_markdown(rows)
    assert "| a\\|b | qualified | 80.00 % | 100.00 % | 1 of 1 | generic | vllm 0.32.0 |" in markdown
    assert "| c | not qualified | - | - | 1 of 2 | generic | vllm 0.32.0 |" in markdown
    assert "not qualified" in render_vendors_terminal(rows)


def test_reports_are_found_by_file_by_directory_and_below_one(tmp_path: Path) -> None:
    one, two = write(tmp_path / "all" / "one", VENDORS[0]), write(tmp_path / "all" / "two", VENDORS[1])
    assert labels([tmp_path / "all"]) == ["unmeasured", "lower schema"]
    assert labels([two, one / REPORT_FILE]) == ["lower schema", "unmeasured"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{nope", "cannot be read"),
        ("[]", "no report"),
        ("{}", "not one of quantcheck verify"),
        (json.dumps({"kind": "vendor", "verdict": "great"}), "not one of quantcheck verify"),
    ],
)
def test_what_is_no_report_is_named(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / REPORT_FILE
    path.write_text(text)
    with pytest.raises(VendorReportError, match=words):
        labels([tmp_path])
    with pytest.raises(VendorReportError, match="no vendor_report"):
        labels([tmp_path / "absent"])
