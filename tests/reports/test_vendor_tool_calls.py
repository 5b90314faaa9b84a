"""The criteria that samples give: nothing is judged on a part, published lines are lines for the value."""

from typing import Any

import pytest

from reports.metrics import f1_estimate, share_estimate
from reports.tool_call_metrics import StreamGap, ToolCallMetrics
from reports.tool_call_reference import Reference
from reports.tool_call_trigger import Trigger
from reports.vendor_report import Standing, VendorCriterion
from reports.vendor_tool_calls import PassLines, SampleRun, tool_call_criteria, tool_call_figures
from tests.reports.vendor_criteria import ERROR, FAIL, IDLE, PASS, estimate

NO_LINES = PassLines()


def reference(model: str | None = "kimi-k2-thinking") -> Reference:
    return Reference(name="official.jsonl", model=model, triggered={"1": True, "2": False})


def trigger(tp: int = 760, fp: int = 120, fn: int = 120, **more: Any) -> Trigger:
    return Trigger(
        reference="official.jsonl",
        n_joined=2000,
        tp=tp,
        fp=fp,
        fn=fn,
        tn=2000 - tp - fp - fn,
        precision=None,
        recall=None,
        f1=f1_estimate(tp, fp, fn),
        **more,
    )


def metrics(n: int = 2000, valid: int = 855, called: int = 880, **more: Any) -> ToolCallMetrics:
    given: dict[str, Any] = {
        "n_responses": n,
        "n_errors": 0,
        "n_truncated": 0,
        "n_triggered": called,
        "n_judged": called,
        "n_leaked": 0,
        "n_recoverable_calls": 0,
        "n_data_faults": 0,
        "schema": share_estimate(valid, called),
        "schema_lenient": share_estimate(called, called),
        "finish_agreement": share_estimate(n, n),
        "leak_rate": share_estimate(0, n),
        "reasons": {"schema": 20, "args_not_json": 5},
        "trigger": trigger(),
        **more,
    }
    return ToolCallMetrics(**given)


def judged(
    found: ToolCallMetrics | None, official: Reference | None = None, lines: PassLines = NO_LINES, **run: Any
) -> dict[str, VendorCriterion]:
    officials = () if official is None else (official,)
    sample_run = SampleRun(**{"metrics": found, "n_expected": 2000, **run})
    return {one.name: one for one in tool_call_criteria(sample_run, officials, lines)}


# F1 = 2 tp / (2 tp + fp + fn): 1520 / 1760 = 0.8636; 1460 / 2000 = 0.73 to the digit
@pytest.mark.parametrize(
    ("counts", "model", "standing"),
    [
        pytest.param((760, 120, 120), "kimi-k2-thinking", PASS, id="0.864 against 0.73"),
        pytest.param((730, 270, 270), "kimi-k2-thinking", PASS, id="0.73 to the digit"),
        pytest.param((729, 271, 271), "kimi-k2-thinking", FAIL, id="just below"),
        pytest.param((760, 200, 200), "kimi-k2-0905-preview", FAIL, id="0.792 against 0.80"),
        pytest.param((760, 120, 120), "kimi-k2.6", IDLE, id="no published line"),
    ],
)
def test_trigger_f1_is_held_against_the_published_line(
    counts: tuple[int, int, int], model: str, standing: Standing
) -> None:
    found = judged(metrics(trigger=trigger(*counts)), reference(model))["trigger_f1"]
    assert found.standing is standing
    assert found.figure is not None
    assert found.figure.estimate.value == pytest.approx(
        2 * counts[0] / (2 * counts[0] + counts[1] + counts[2])
    )


def test_a_line_of_the_users_own_comes_first() -> None:
    found = judged(metrics(), reference("kimi-k2.6"), PassLines(trigger_f1=0.9))["trigger_f1"]
    assert (found.standing, found.figure.pass_line if found.figure else None) == (FAIL, 0.9)


def test_an_interval_that_holds_the_line_is_told() -> None:
    found = judged(metrics(trigger=trigger(730, 270, 270)), reference())["trigger_f1"]
    assert "the interval holds the line" in found.evidence


@pytest.mark.parametrize("absent", ["missing", "failed"])
def test_f1_on_a_part_of_the_reference_is_not_judged(absent: str) -> None:
    partial = trigger(**{absent: ("7", "9")})
    found = judged(metrics(trigger=partial), reference())["trigger_f1"]
    assert found.standing is ERROR
    assert "2 requests" in found.evidence or "2 failed" in found.evidence


def test_requests_that_the_reference_does_not_know_are_told() -> None:
    found = judged(metrics(trigger=trigger(unknown=("9",))), reference())["trigger_f1"]
    assert "1 requests are not in the reference" in found.evidence


def test_no_call_on_either_side_is_no_f1() -> None:
    found = judged(metrics(trigger=trigger(0, 0, 0)), reference())["trigger_f1"]
    assert found.standing is ERROR


@pytest.mark.parametrize(
    ("line", "standing"), [(None, IDLE), (0.97, PASS), (0.98, FAIL)], ids=["no line", "met", "missed"]
)
def test_schema_accuracy_is_held_against_a_line_where_there_is_one(
    line: float | None, standing: Standing
) -> None:
    found = judged(metrics(), lines=PassLines(schema_accuracy=line))["schema_accuracy"]  # 855 / 880 = 0.9716
    assert found.standing is standing
    assert "schema 20, args_not_json 5" in found.evidence


@pytest.mark.parametrize(
    ("found", "run", "words"),
    [
        pytest.param(metrics(1998), {}, "2 of 2,000 requests were not answered", id="failed requests"),
        pytest.param(
            metrics(1990, failures={"server: HTTP 500": 6, "server: never ends": 2, "a": 1, "b": 1}),
            {},
            "10 of 2,000 requests were not answered (6 x server: HTTP 500, 2 x server: never ends, 1 x a, and 1 other",
            id="what failed requests were told",
        ),
        pytest.param(metrics(), {"left_out": "left out: line 4"}, "line 4", id="broken lines"),
        pytest.param(metrics(1500), {"stopped": "HTTP 401"}, "stopped: HTTP 401", id="stopped early"),
        pytest.param(None, {"stopped": "HTTP 500"}, "2,000 of 2,000 requests were not", id="nothing at all"),
    ],
)
def test_samples_that_are_not_all_answered_are_named_and_never_a_pass(
    found: ToolCallMetrics | None, run: dict[str, Any], words: str
) -> None:
    answered = judged(found, **run)["samples_answered"]
    assert answered.standing is ERROR
    assert words in answered.evidence


def test_nothing_called_is_no_schema_accuracy() -> None:
    found = judged(metrics(called=0, valid=0, schema=None, trigger=None))["schema_accuracy"]
    assert found.standing is ERROR


def test_leaks_finish_reasons_and_lost_streams_are_advice() -> None:
    gap = StreamGap(n_items=100, lost=30, gained=0, difference=estimate(-0.3, -0.4, -0.2))
    found = judged(
        metrics(
            n_leaked=3, n_recoverable_calls=2, finish_agreement=share_estimate(1990, 2000), stream_gap=gap
        )
    )
    for name in ("leaks", "finish_agreement", "stream_gap"):
        assert (found[name].standing, found[name].is_advisory) == (FAIL, True)
    assert "30 of 100 requests call less often streamed" in found["stream_gap"].evidence


def test_the_figures_for_the_table() -> None:
    figures = tool_call_figures(SampleRun(metrics=metrics(), n_expected=2000))
    assert figures.trigger_f1 is not None
    assert figures.schema_accuracy is not None
    assert figures.schema_accuracy.value == pytest.approx(855 / 880)
    assert tool_call_figures(SampleRun(metrics=None, n_expected=2000)).trigger_f1 is None
