"""What verify wrote is read back whole; what it did not write is named."""

import json
from typing import Any

import pytest

from reports.json_report import to_json
from reports.vendor_json import vendor_document
from reports.vendor_junit import render_vendor_junit
from reports.vendor_reader import vendor_from_document
from reports.vendor_report import VendorReport
from reports.vendor_table import VendorReportError
from tests.reports.html.vendor_pages import vendor
from tests.reports.vendor_criteria import ERROR, criterion, estimate, measured, report


def document_of(found: VendorReport) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(to_json(vendor_document(found)))
    return document


@pytest.mark.parametrize(
    "found",
    [
        pytest.param(vendor(text="<b>"), id="everything"),
        pytest.param(report(), id="nothing"),
        pytest.param(report(criterion("endpoint", ERROR), tool_calls=measured(None, 0.9)), id="little"),
    ],
)
def test_a_report_comes_back_as_it_was(found: VendorReport) -> None:
    document = document_of(found)
    back = vendor_from_document(document)
    assert document_of(back) == document
    assert back.criteria[:1] == found.criteria[:1] and back.verdict is found.verdict


def test_the_noise_among_references_comes_back() -> None:
    figures = type(measured(0.8, 0.9))(reference_noise=(estimate(0.8, 0.7, 0.9), estimate(0.7, 0.6, 0.8)))
    found = report(criterion("a"), tool_calls=figures)
    assert vendor_from_document(document_of(found)).tool_calls == figures


@pytest.mark.parametrize(
    ("change", "words"),
    [
        pytest.param(
            {"kind": "compare"}, "x.json: vendor report: not one of quantcheck verify", id="another"
        ),
        pytest.param({"schema": 99}, "x.json: is of schema 99", id="of another version"),
        pytest.param({"criteria": None}, "x.json: is not as quantcheck wrote it", id="no criteria"),
        pytest.param({"label": 3}, "3 where a text belongs", id="a label that is no text"),
        pytest.param({"criteria": [{"name": "a"}]}, "KeyError: 'part'", id="half a criterion"),
        pytest.param(
            {
                "tool_calls": {
                    "trigger_f1": None,
                    "schema_accuracy": None,
                    "details": {"reasons": {}, "trigger": {}},
                }
            },
            "KeyError: 'tp'",
            id="half of the figures",
        ),
    ],
)
def test_what_verify_did_not_write_is_named(change: dict[str, Any], words: str) -> None:
    with pytest.raises(VendorReportError, match=words):
        vendor_from_document(document_of(vendor()) | change, source="x.json")


def test_junit_has_a_case_a_criterion_and_advice_fails_none() -> None:
    text = render_vendor_junit(vendor(text="\x00<b>"))
    assert text.count("<testcase") == 10
    assert (text.count("<failure"), text.count("<error")) == (2, 1)
    assert 'name="contract: tools" tests="2" failures="2"' in text
    assert "warning: effort is kept. Found: effort was seen" in text
    assert "(follows from tool_leak)" in text and "\x00" not in text
