"""A fault that the contract names is not named again by the samples that show it."""

import pytest

from reports.vendor_relations import related_to_contract
from reports.vendor_report import VendorCriterion
from tests.reports.vendor_criteria import ERROR, FAIL, IDLE, PASS, criterion


@pytest.mark.parametrize(
    ("criteria", "name", "follows_from"),
    [
        pytest.param(
            (criterion("tool_leak", FAIL), criterion("trigger_f1", FAIL)),
            "trigger_f1",
            "tool_leak",
            id="leaked calls are not made",
        ),
        pytest.param(
            (criterion("tool_leak", FAIL), criterion("trigger_f1", PASS)),
            "trigger_f1",
            "",
            id="met all the same",
        ),
        pytest.param(
            (criterion("tool_leak"), criterion("trigger_f1", FAIL)), "trigger_f1", "", id="no cause"
        ),
        pytest.param(
            (criterion("tool_arguments", FAIL), criterion("schema_accuracy", FAIL)),
            "schema_accuracy",
            "tool_arguments",
            id="faulty calls",
        ),
        pytest.param(
            (criterion("tool_arguments", ERROR), criterion("schema_accuracy", FAIL)),
            "schema_accuracy",
            "",
            id="what was not shown explains no failure",
        ),
        pytest.param(
            (criterion("tool_arguments", ERROR), criterion("schema_accuracy", ERROR)),
            "schema_accuracy",
            "tool_arguments",
            id="but that something else was not shown",
        ),
        pytest.param(
            (
                criterion("streaming", FAIL),
                criterion("samples_answered", ERROR),
                criterion("trigger_f1", ERROR),
            ),
            "trigger_f1",
            "streaming",
            id="the end of a chain",
        ),
        pytest.param(
            (criterion("tool_choice_auto", FAIL, follows_from="tool_leak"), criterion("trigger_f1", FAIL)),
            "trigger_f1",
            "tool_leak",
            id="the root of the cause",
        ),
        pytest.param(
            (criterion("tool_leak", FAIL), criterion("leaks", FAIL, is_advisory=True)),
            "leaks",
            "tool_leak",
            id="advice follows what binds",
        ),
        pytest.param(
            (criterion("finish_reason", FAIL, is_advisory=True), criterion("trigger_f1", FAIL)),
            "trigger_f1",
            "",
            id="no binding one follows advice",
        ),
        pytest.param(
            (criterion("tool_leak", FAIL), criterion("schema_accuracy", IDLE)),
            "schema_accuracy",
            "",
            id="nothing to explain",
        ),
    ],
)
def test_what_explains_a_failure_is_named(
    criteria: tuple[VendorCriterion, ...], name: str, follows_from: str
) -> None:
    found = {one.name: one for one in related_to_contract(criteria)}
    assert found[name].follows_from == follows_from
    assert {one.name: one.standing for one in criteria} == {key: one.standing for key, one in found.items()}
