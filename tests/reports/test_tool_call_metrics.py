"""Figures of tool-call runs against figures worked out by hand."""

import json
import math
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.run_files import find_runs
from reports.score_table import build_frame
from reports.tool_call_comparison import compare_tool_calls, trigger_notes
from reports.tool_call_json import tool_call_block, tool_call_lines
from reports.tool_call_metrics import tool_call_metrics
from reports.tool_call_reference import PASS_LINES, Reference, read_reference
from reports.tool_call_trigger import noise_floor, run_as_reference, trigger_metrics
from tests.reports.tool_results import failed, result, write_lines


def rows(*given):
    """Rows of a score table from (sample, details) pairs; ``None`` for details is a failed request."""
    columns = {
        "task": ["k2_tool_calls"] * len(given),
        "sample_id": [str(sample) for sample, *_ in given],
        "epoch": [more[1] if len(more) > 1 else 1 for _, *more in given],
        "outcome": ["error" if details is None else "correct" for _, details, *_ in given],
        "score": [math.nan if details is None else 1.0 for _, details, *_ in given],
        "stop_reason": [(details or {}).pop("stop", None) for _, details, *_ in given],
        "details": [None if details is None else json.dumps(details) for _, details, *_ in given],
    }
    return build_frame(columns, len(given))


def told(triggered, valid=None, **more):
    return {"triggered": triggered, "valid": valid, "lenient_valid": valid, "leaked": False} | more


def reference(**triggered):
    return Reference(
        name="official", model=None, triggered={k.removeprefix("i"): v for k, v in triggered.items()}
    )


def test_the_published_definition_of_trigger_f1():
    official = Reference(
        name="r", model=None, triggered=dict(zip("123456", [True] * 3 + [False] * 3, strict=True))
    )
    vendor = rows(*((n, told(called)) for n, called in enumerate([True, True, False, True, False, False], 1)))
    found = trigger_metrics(vendor, official)
    assert (found.tp, found.fp, found.fn, found.tn) == (2, 1, 1, 2)
    assert (
        round(found.precision.value, 4) == round(found.recall.value, 4) == round(found.f1.value, 4) == 0.6667
    )


def wilson(hits, n, z=1.959963984540054):
    centre, half = hits / n + z * z / (2 * n), z * math.sqrt(hits * (n - hits) / n**3 + z * z / (4 * n * n))
    return (centre - half) / (1 + z * z / n), (centre + half) / (1 + z * z / n)


@pytest.fixture(scope="module")
def two_thousand(tmp_path_factory):
    """An official run of 2,000 requests of our own making and a vendor's, with counts known by construction.

    Official: 1 to 800 call. Vendor: 1 to 700 and 801 to 900 call (20 of the first 700 and 10 of the others
    wrongly), 701 to 760 do not, 761 to 770 are cut, 771 to 780 fail, 1,991 to 2,000 are not there.
    """
    directory = tmp_path_factory.mktemp("made")
    official = [result(n, calls=1 if n <= 800 else 0, valid=True) for n in range(1, 2001)]
    vendor = []
    for n in range(1, 1991):
        if n <= 700 or 801 <= n <= 900:
            vendor.append(result(n, calls=1 + n % 2, valid=not (n <= 20 or 801 <= n <= 810)))
        elif 761 <= n <= 770:
            vendor.append(result(n, finish="length"))
        elif 771 <= n <= 780:
            vendor.append(failed(n))
        else:
            vendor.append(result(n))
    paths = directory / "official.jsonl", directory / "vendor" / "results.jsonl"
    return write_lines(paths[0], official), write_lines(paths[1], vendor)


def test_two_thousand_rows_by_hand(two_thousand):
    official, vendor = two_thousand
    (run,) = find_runs(vendor)
    found = tool_call_metrics(run.frame, read_reference(official))
    assert (found.n_responses, found.n_errors, found.n_truncated) == (1980, 10, 10)
    assert (found.n_triggered, found.n_judged) == (800, 800)
    assert found.schema.value == 770 / 800
    assert (found.schema.interval.low, found.schema.interval.high) == pytest.approx(wilson(770, 800))
    trigger = found.trigger
    # joined: 2,000 less 10 failed and 10 absent; the official run calls in 1-770 and 781-800 of them
    assert (trigger.n_joined, trigger.tp, trigger.fp, trigger.fn) == (1980, 700, 100, 90)
    assert trigger.precision.value == 700 / 800 and trigger.recall.value == 700 / 790
    assert trigger.f1.value == pytest.approx(2 * 700 / (2 * 700 + 100 + 90))
    limits = wilson(700, 890)
    expected = tuple(2 * limit / (1 + limit) for limit in limits)
    assert (trigger.f1.interval.low, trigger.f1.interval.high) == pytest.approx(expected)
    assert trigger.failed == tuple(map(str, range(771, 781)))
    assert trigger.missing == tuple(map(str, range(1991, 2001)))
    assert trigger.unknown == () and not trigger.is_complete


def test_failed_requests_are_counted_by_what_was_said_of_them():
    frame = rows((1, None), (2, None), (3, None), (4, None), (5, told(True)))
    said = ["server: HTTP 500", "server: HTTP 500 (given up after 3 attempts in 9 s)", "server:\n HTML", None]
    frame["error"] = [*said, None]
    found = tool_call_metrics(frame)
    assert (found.n_errors, dict(found.failures)) == (4, {"server: HTTP 500": 2, "server: HTML": 1})


def test_the_official_run_against_itself_is_perfect(two_thousand):
    official = read_reference(two_thousand[0])
    (floor,) = noise_floor([official, official])
    assert floor.value == 1.0 and floor.interval.low < 1.0
    assert noise_floor([official]) == ()


def test_the_noise_floor_pairs_every_two_official_runs(tmp_path):
    runs = [
        read_reference(
            write_lines(tmp_path / f"{n}.jsonl", [result(i, calls=(i + n) % 2) for i in range(1, 9)])
        )
        for n in (0, 0, 1)
    ]
    assert [estimate.value for estimate in noise_floor(runs)] == [1.0, 0.0, 0.0]


def test_a_reference_that_shares_no_request_joins_nothing():
    found = trigger_metrics(rows((1, told(True)), (2, told(False))), reference(i8=True, i9=False))
    assert (found.n_joined, found.f1, found.precision, found.recall) == (0, None, None, None)
    assert (found.missing, found.unknown) == (("8", "9"), ("1", "2"))


def test_nobody_calls_is_no_f1():
    found = trigger_metrics(rows((1, told(False))), reference(i1=False))
    assert found.f1 is None and found.tn == 1 and found.is_complete


def test_a_vendor_that_answers_nothing_has_counts_and_no_figures():
    found = tool_call_metrics(rows((1, None), (2, None)), reference(i1=True, i2=False))
    assert (found.n_responses, found.n_errors, found.n_triggered) == (0, 2, 0)
    assert (found.schema, found.finish_agreement, found.leak_rate, found.trigger.f1) == (None,) * 4
    assert found.trigger.failed == ("1", "2")
    block = tool_call_block(found)
    assert block["schema_accuracy"] == {"value": None, "low": None, "high": None}
    assert "not measured" in "\n".join(tool_call_lines(block))


def test_rows_that_tell_of_no_calls_have_no_figures():
    plain = build_frame({"sample_id": ["1"], "epoch": [1], "outcome": ["correct"], "score": [1.0]}, 1)
    assert tool_call_metrics(plain) is None


MIXED = rows(
    (1, told(True, True, streamed=True)),
    (2, told(True, False, streamed=True, lenient_valid=True, reasons=["args_double_encoded"])),
    (3, told(True, None, streamed=False, reasons=["data_fault"], data_faults=["tools[0]: odd"])),
    (4, told(False, streamed=False, leaked=True, recoverable_calls=2, finish_agrees=False)),
    (5, told(True, False, streamed=False, stop="length", reasons=["args_truncated", "schema"])),
    (6, None),
)


def test_what_is_counted():
    found = tool_call_metrics(MIXED)
    assert (found.n_responses, found.n_errors, found.n_truncated, found.n_triggered) == (5, 1, 1, 4)
    assert found.n_judged == 3 and found.schema.value == 1 / 3 and found.schema_lenient.value == 2 / 3
    assert (found.n_leaked, found.n_recoverable_calls, found.leak_rate.value) == (1, 2, 1 / 5)
    assert found.n_data_faults == 1 and found.finish_agreement.value == 0.0
    assert found.reasons == {"args_double_encoded": 1, "data_fault": 1, "args_truncated": 1, "schema": 1}
    assert (found.deliveries["streamed"].n_responses, found.deliveries["plain"].n_triggered) == (2, 2)
    assert found.stream_gap is None  # no request went both ways


def test_the_lines_for_people_name_what_is_broken():
    lines = "\n".join(
        tool_call_lines(tool_call_block(tool_call_metrics(MIXED, reference(i1=True, i2=False))))
    )
    for words in (
        "tools called in 4 of 5 responses",
        "schema accuracy 33.33%",
        "leaked 1 (2 calls lost in the text)",
        "args_double_encoded 1",
        "data faults: 1 requests",
        "trigger F1 66.67%",
        "against official over 2 responses",
    ):
        assert words in lines, lines


def test_streaming_that_loses_calls_is_told_by_the_requests_that_went_both_ways():
    both = [
        (n, told(True, True, streamed=streamed), 2 - streamed)
        for n in range(40)
        for streamed in (True, False)
    ]
    for n in range(10):  # ten requests lose their call when streamed
        both[2 * n] = (n, told(False, streamed=True), 1)
    alone = [(99, told(True, True, streamed=True), 1)]
    found = tool_call_metrics(rows(*both, *alone)).stream_gap
    assert (found.n_items, found.lost, found.gained) == (40, 10, 0)
    assert found.difference.value == -0.25 and found.difference.interval.high < 0
    assert "10 call less streamed, 0 more" in "\n".join(
        tool_call_lines(tool_call_block(tool_call_metrics(rows(*both))))
    )


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_f1_is_the_same_whoever_is_the_reference(pairs):
    one, other = ([(n, told(pair[side])) for n, pair in enumerate(pairs)] for side in (0, 1))
    there = trigger_metrics(rows(*one), run_as_reference(rows(*other), "other")).f1
    back = trigger_metrics(rows(*other), run_as_reference(rows(*one), "one")).f1
    assert (there is None) == (back is None)
    assert there is None or there.value == pytest.approx(back.value)


def test_a_run_is_no_reference_where_its_repeats_disagree():
    repeated = rows((1, told(True), 1), (1, told(False), 2), (2, told(True), 1), (2, told(True), 2))
    found = run_as_reference(repeated, "baseline")
    assert (dict(found.triggered), found.contradicting) == ({"2": True}, ("1",))


def test_candidate_against_baseline_is_a_paired_delta():
    base = rows(*((n, told(True, n >= 4)) for n in range(100)))
    cand = rows(*((n, told(n % 10 != 9, n >= 14)) for n in range(101)))
    found = compare_tool_calls(base, cand, reference(**{f"i{n}": True for n in range(100)}))
    assert set(found) == {"schema", "schema_lenient", "trigger_f1"}
    schema = found["schema"]
    assert (schema.baseline.value, schema.candidate.value) == (0.96, 77 / 90)
    assert schema.delta.value == pytest.approx(77 / 90 - 0.96) and schema.delta.interval.high < 0
    assert found["trigger_f1"].candidate.value == pytest.approx(2 * 90 / (2 * 90 + 10))
    (note,) = trigger_notes(base, cand)
    assert "10 calls of the baseline's are missing, 0 are new" in note


def test_other_tasks_have_no_tool_calls_to_compare():
    plain = build_frame({"sample_id": ["1"], "epoch": [1], "outcome": ["correct"], "score": [1.0]}, 1)
    assert compare_tool_calls(plain, plain) == {} and list(trigger_notes(plain, plain)) == []


def test_a_file_of_moonshots_is_a_run_read_by_its_calls(tmp_path):
    lines = [
        result(1, calls=2, valid=True),
        result(2, calls=1, finish="stop"),  # called all the same
        result(3, finish="tool_calls"),  # promised and not there
        result(4, calls=1, valid=False),
        result(5, finish="length"),
    ]
    (run,) = find_runs(write_lines(Path(tmp_path) / "results.jsonl", lines))
    assert list(run.frame["score"]) == [1.0, 1.0, 0.0, 0.0, 0.0]
    found = tool_call_metrics(run.frame)
    assert (found.n_triggered, found.n_judged, found.schema.value) == (3, 2, 0.5)
    assert found.finish_agreement.value == 2 / 4 and found.leak_rate is None
    assert isinstance(run.frame, pd.DataFrame)


REFERENCE_LINES = [
    pytest.param([result(1), "{cut"], {"n_broken": 1}, "1 lines hold no result", id="a broken line"),
    pytest.param([result(1), [1]], {"n_broken": 1}, "1 lines hold no result", id="a line that is a list"),
    pytest.param(
        [result(1), {"x": 1}], {"n_broken": 1}, "1 lines hold no result", id="a line without an index"
    ),
    pytest.param(
        [result(1), failed(2)], {"failed": ("2",)}, "1 requests failed in it", id="a failed request"
    ),
    pytest.param([failed(1), result(1)], {"failed": ()}, "", id="a failure that was tried again"),
    pytest.param([result(1), result(1)], {"n_duplicated": 1}, "1 rows repeat an index", id="a repeated row"),
    pytest.param(
        [result(2), result(1), result(1, calls=1)],
        {"contradicting": ("1",), "n_duplicated": 0},
        "contradict each other",
        id="rows that contradict each other",
    ),
    pytest.param(
        [result(1, calls=1, finish="stop")],
        {"n_finish_disagrees": 1, "triggered": {"1": True}},
        "the calls count",
        id="a finish reason that lies",
    ),
    pytest.param(
        [result(1, response=None)], {"triggered": {"1": False}}, "", id="no response: the finish reason"
    ),
    pytest.param([result(1, finish="length")], {"triggered": {"1": False}}, "", id="cut: it did not call"),
]


@pytest.mark.parametrize(("lines", "expected", "words"), REFERENCE_LINES)
def test_what_cannot_be_joined_is_counted(tmp_path, lines, expected, words):
    found = read_reference(write_lines(tmp_path / "results.jsonl", lines))
    assert {name: getattr(found, name) for name in expected} == expected
    assert words in " ".join(found.notes)
    assert found.official is None and "not one of the official files" in found.notes[-1]


@pytest.mark.parametrize("lines", [[], ["x"], [failed(1)], [{"messages": []}]])
def test_a_file_without_results_is_no_reference(tmp_path, lines):
    with pytest.raises(Exception, match="holds no result with data_index"):
        read_reference(write_lines(tmp_path / "results.jsonl", lines))


@pytest.mark.parametrize(
    ("name", "model", "line"),
    [
        pytest.param("kimi-k2-thinking_results.jsonl", "x", 0.73, id="by the file's name"),
        pytest.param("r.jsonl", "kimi-k2-thinking", 0.73, id="by the model"),
        pytest.param("r.jsonl", "kimi-k2-0905-preview", 0.80, id="0905"),
        pytest.param("r.jsonl", "other", None, id="nothing published"),
    ],
)
def test_published_pass_lines(tmp_path, name, model, line):
    request = {"model": model, "messages": []} if model != "x" else {}
    found = read_reference(write_lines(tmp_path / name, [result(1, request=request)]))
    assert (found.pass_line.value if found.pass_line else None) == line
    assert {one.value for one in PASS_LINES.values()} == {0.73, 0.80}
