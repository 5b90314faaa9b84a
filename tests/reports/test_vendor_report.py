"""One failure disqualifies; what was not shown qualifies nobody; advice disqualifies nobody."""

import json

import pytest

from reports.json_report import to_json
from reports.vendor_json import vendor_document
from reports.vendor_markdown import render_vendor_markdown
from reports.vendor_report import VendorCriterion, VendorVerdict, judge_vendor, reason
from reports.vendor_terminal import render_vendor_terminal
from tests.reports.vendor_criteria import (
    ERROR,
    FAIL,
    IDLE,
    PASS,
    TOKEN_FIGURE,
    criterion,
    measured,
    report,
)

QUALIFIED, NOT_QUALIFIED, INCOMPLETE = VendorVerdict


@pytest.mark.parametrize(
    ("criteria", "verdict"),
    [
        pytest.param((criterion("a"), criterion("b", IDLE)), QUALIFIED, id="passes and does not apply"),
        pytest.param((criterion("a"), criterion("b", FAIL)), NOT_QUALIFIED, id="one failure"),
        pytest.param((criterion("a"), criterion("b", ERROR)), INCOMPLETE, id="one not judged"),
        pytest.param(
            (criterion("a", FAIL), criterion("b", ERROR)), NOT_QUALIFIED, id="a failure is conclusive"
        ),
        pytest.param((criterion("a", IDLE),), INCOMPLETE, id="nothing applies"),
        pytest.param((), INCOMPLETE, id="nothing asked"),
        pytest.param((criterion("a"), criterion("b", FAIL, is_advisory=True)), QUALIFIED, id="advice"),
        pytest.param((criterion("b", PASS, is_advisory=True),), INCOMPLETE, id="advice alone"),
    ],
)
def test_verdicts(criteria: tuple[VendorCriterion, ...], verdict: VendorVerdict) -> None:
    assert judge_vendor(criteria) is verdict


@pytest.mark.parametrize(
    ("criteria", "words"),
    [
        ((criterion("a"), criterion("b", IDLE)), "1 criteria are met, 1 do not apply"),
        (
            (criterion("a", FAIL), criterion("b", FAIL, follows_from="a"), criterion("c", ERROR)),
            "2 of 3 criteria fail: a (1 more follow from it); 1 more could not be judged",
        ),
        ((criterion("a"), criterion("b", ERROR)), "1 of 2 criteria could not be judged: b"),
        ((criterion("a", IDLE),), "no criterion could be judged"),
        (
            tuple(criterion(f"c{n}", FAIL) for n in range(7)),
            "7 of 7 criteria fail: c0, c1, c2, c3, c4 and 2 more",
        ),
    ],
)
def test_reasons(criteria: tuple[VendorCriterion, ...], words: str) -> None:
    assert reason(report(*criteria)) == words


BROKEN = report(
    criterion("answers"),
    criterion(
        "tool_leak", FAIL, group="tools", evidence='native "<|tool_call_begin|>" left', advice="the parser"
    ),
    criterion("tool_choice_auto", FAIL, group="tools", follows_from="tool_leak"),
    criterion("tool_ids", IDLE, group="tools", evidence="no call"),
    criterion("token_counts", FAIL, group="usage", evidence="1 of 2 prompts off", figure=TOKEN_FIGURE),
    criterion("image_png", ERROR, group="images", evidence="timeout"),
    criterion("effort", FAIL, group="thinking", is_advisory=True),
    tool_calls=measured(0.8, 0.95),
    notes=("reference r.jsonl: not official",),
)


def test_the_page_has_the_verdict_on_top_and_one_line_for_each_root() -> None:
    lines = render_vendor_markdown(BROKEN).splitlines()
    assert lines[0] == "# NOT QUALIFIED - vendor as generic"
    assert lines[2].startswith(
        "**3 of 6 criteria fail: tool\\_leak, token\\_counts (1 more follow from these)"
    )
    assert "vllm 0.32.0; context 2,048; 1,234 requests in 61 s" in lines[4]
    table = [line for line in lines if line.startswith("| ")]
    assert "| tools | 0 of 2 | - | all | FAIL |" in table
    assert "| images | 0 of 1 | - | all | not judged |" in table
    assert "| token\\_counts | 50.00 % (1 of 2) | \\[10.00, 90.00\\] | 100 % | FAIL |" in table
    (leak,) = [line for line in table if line.startswith("| tool\\_leak |")]
    assert 'native "\\<\\|tool\\_call\\_begin\\|\\>" left' in leak
    assert "the parser (follows: tool\\_choice\\_auto)" in leak
    assert not [line for line in table if line.startswith("| tool\\_choice\\_auto |")]
    assert lines.index("## Broken") < lines.index("## Not judged") < lines.index("## For advice only")
    assert "- tool\\_ids does not apply: no call" in lines
    assert lines[-1] == "reference r.jsonl: not official"


def test_the_terminal_says_the_same_first_and_last() -> None:
    text = render_vendor_terminal(BROKEN)
    assert text.startswith("NOT QUALIFIED - vendor as generic\n")
    assert "NOT QUALIFIED - vendor as generic: 3 of 6 criteria fail" in " ".join(text.split())
    assert "follows: tool_choice_auto" in text
    assert all(len(line) <= 100 for line in text.splitlines())


def test_text_of_an_endpoints_cannot_steer_the_terminal_or_the_page() -> None:
    hostile = report(criterion("a", FAIL, evidence="\x1b[2Jgone | <script>\n# QUALIFIED"), label="v\x1b[0m")
    assert "\x1b" not in render_vendor_terminal(hostile)
    page = render_vendor_markdown(hostile)
    assert "<script>" not in page
    assert [line for line in page.splitlines() if line.startswith("# ")] == [page.splitlines()[0]]


def test_the_document_is_strict_json_with_every_criterion() -> None:
    document = json.loads(to_json(vendor_document(BROKEN)))
    assert (document["schema"], document["kind"], document["verdict"]) == (1, "vendor", "not_qualified")
    assert document["counts"] == {"pass": 1, "fail": 3, "not_applicable": 1, "error": 1}
    assert document["tool_calls"]["trigger_f1"]["value"] == 0.8
    found = {criterion["name"]: criterion for criterion in document["criteria"]}
    assert found["tool_choice_auto"]["follows_from"] == "tool_leak"
    assert found["answers"]["follows_from"] is None
    assert found["effort"]["is_advisory"] is True
    figure = found["token_counts"]["figure"]
    assert (figure["value"], figure["low"], figure["pass_line"], figure["kept"], figure["judged"]) == (
        0.5,
        0.1,
        1.0,
        1,
        2,
    )
