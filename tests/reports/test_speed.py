import statistics
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.speed import client_bound, speed_of
from reports.speed_text import read_speed, speed_block, speed_line, speed_section
from tests.reports.timed_rows import timed_frame

NONE = float("nan")


def test_the_figures_are_those_of_serving_benchmarks() -> None:
    """Two responses, in flight over 0-2 s and 1-5 s: 5 s, 6 s of latency, 11 + 21 tokens."""
    speed = speed_of(
        timed_frame(
            {"finished_at": 2.0, "duration_s": 2.0, "ttft_s": 1.0, "output_tokens": 11.0},
            {
                "finished_at": 5.0,
                "duration_s": 4.0,
                "ttft_s": 2.0,
                "output_tokens": 21.0,
                "outcome": "incorrect",
            },
        )
    )
    assert speed.duration_s == 5.0
    assert speed.output_throughput == pytest.approx(32 / 5)
    assert speed.request_throughput == pytest.approx(2 / 5)
    assert speed.concurrency == pytest.approx(6 / 5)
    assert speed.max_concurrency == 2
    assert speed.tokens_per_solved == 32.0
    assert speed.ttft is not None and (speed.ttft.mean, speed.ttft.median) == (1.5, 1.5)
    assert speed.tpot is not None and speed.tpot.mean == pytest.approx((1 / 10 + 2 / 20) / 2)
    assert speed.itl_mean_s == pytest.approx(3 / 30)
    assert (
        speed.e2e is not None and speed.e2e.p90 == pytest.approx(3.8) and speed.e2e.p99 == pytest.approx(3.98)
    )


@pytest.mark.parametrize(
    ("row", "unknown"),
    [
        pytest.param({"ttft_s": NONE}, {"ttft", "tpot", "itl_mean_s"}, id="not streamed: no TTFT, no TPOT"),
        pytest.param({"ttft_s": 0.0}, {"ttft", "tpot", "itl_mean_s"}, id="a TTFT of 0 is none"),
        pytest.param({"ttft_s": 3.0}, {"ttft", "tpot", "itl_mean_s"}, id="a TTFT after the end is none"),
        pytest.param(
            {"output_tokens": 1.0}, {"tpot", "itl_mean_s"}, id="one token has no time between tokens"
        ),
        pytest.param(
            {"output_tokens": NONE},
            {"tpot", "itl_mean_s", "output_tokens", "output_throughput", "tokens_per_solved"},
            id="no usage: nothing per token",
        ),
        pytest.param(
            {"finished_at": NONE},
            {
                "duration_s",
                "paused_s",
                "output_throughput",
                "request_throughput",
                "concurrency",
                "max_concurrency",
            },
            id="no end times: no throughput, no concurrency",
        ),
        pytest.param({"outcome": "incorrect", "score": 0.0}, {"tokens_per_solved"}, id="none solved"),
        pytest.param(
            {"duration_s": NONE},
            {
                *("e2e", "tpot", "itl_mean_s", "duration_s", "paused_s", "output_throughput"),
                *("request_throughput", "concurrency", "max_concurrency"),
            },
            id="no latency",
        ),
    ],
)
def test_what_is_not_known_is_none_and_never_0(row: dict[str, Any], unknown: set[str]) -> None:
    speed = speed_of(timed_frame(row))
    section = speed_section(speed)
    assert section is not None
    assert {name for name, value in section.items() if value is None} - {"client_bound"} == unknown
    assert "nan" not in speed_block("t", speed).lower()


def test_a_file_without_times_and_tokens_has_no_speed() -> None:
    nothing = dict.fromkeys(("output_tokens", "ttft_s", "duration_s", "finished_at", "attempts"), NONE)
    assert speed_section(speed_of(timed_frame(nothing))) is None
    assert speed_section(speed_of(timed_frame())) is None


def test_failed_responses_count_for_nothing_but_retries() -> None:
    failed = {"outcome": "error", "score": NONE, "attempts": 8.0, "duration_s": 900.0, "finished_at": 9000.0}
    with_failed, without = speed_of(timed_frame({}, failed)), speed_of(timed_frame({}))
    assert with_failed.n_retried == 1
    assert with_failed.e2e == without.e2e
    assert with_failed.duration_s == without.duration_s


@pytest.mark.parametrize(
    ("idle", "duration", "paused"),
    [
        pytest.param(59.0, 63.0, 0.0, id="a minute of waiting is the run's own"),
        pytest.param(3600.0, 4.0, 3600.0, id="an hour with nothing in flight is a resumed run"),
    ],
)
def test_the_pause_of_a_resumed_run_is_not_its_duration(idle: float, duration: float, paused: float) -> None:
    speed = speed_of(timed_frame({"finished_at": 2.0}, {"finished_at": 4.0 + idle}))
    assert (speed.duration_s, speed.paused_s) == (duration, paused)


@pytest.mark.parametrize(
    ("client", "bound"),
    [
        pytest.param(None, None, id="not told"),
        pytest.param({}, None, id="empty"),
        pytest.param({"cpu_share": None}, None, id="null"),
        pytest.param({"cpu_share": "high"}, None, id="no number"),
        pytest.param({"cpu_share": True}, None, id="a truth value is no share"),
        pytest.param({"cpu_share": -1}, None, id="negative"),
        pytest.param({"cpu_share": 0.85}, False, id="at the limit"),
        pytest.param({"cpu_share": 0.86}, True, id="above the limit"),
        pytest.param({"cpu_share": 0.1, "client_bound": True}, True, id="its own word wins"),
        pytest.param({"cpu_share": 0.9, "client_bound": None}, True, id="no word of its own"),
    ],
)
def test_the_client_is_the_limit_only_where_the_run_says_so(client: Any, bound: bool | None) -> None:
    assert client_bound(client) is bound
    said = "not the server, was the limit" in speed_block("t", speed_of(timed_frame({}), client))
    assert said is (bound is True)


responses = st.lists(
    st.fixed_dictionaries(
        {
            "finished_at": st.floats(0, 50),
            "duration_s": st.floats(0.01, 30),
            "ttft_s": st.floats(0.001, 40),
            "output_tokens": st.integers(1, 5000).map(float),
        }
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=25)
@given(responses)
def test_the_figures_agree_with_each_other(rows: list[dict[str, float]]) -> None:
    speed = speed_of(timed_frame(*rows))
    assert speed.e2e is not None and speed.duration_s is not None and speed.concurrency is not None
    assert speed.e2e.mean == pytest.approx(statistics.fmean(row["duration_s"] for row in rows))
    assert speed.e2e.median <= speed.e2e.p90 <= speed.e2e.p99 <= max(row["duration_s"] for row in rows) + 1e-9
    assert speed.max_concurrency is not None
    assert 0 < speed.concurrency <= speed.max_concurrency + 1e-6
    assert speed.duration_s >= max(row["duration_s"] for row in rows) - 1e-6
    assert speed.output_throughput == pytest.approx(
        sum(row["output_tokens"] for row in rows) / speed.duration_s
    )


@settings(max_examples=25)
@given(responses)
def test_order_does_not_matter_and_the_block_reads_back(rows: list[dict[str, float]]) -> None:
    speed, turned = speed_of(timed_frame(*rows)), speed_of(timed_frame(*rows[::-1]))
    assert turned.max_concurrency == speed.max_concurrency
    assert turned.concurrency == pytest.approx(speed.concurrency)
    assert read_speed(speed_section(speed)) == speed
    later = {**(speed_section(speed) or {}), "a_later_key": 1}
    assert read_speed(later) == speed


def test_the_line_names_median_and_p99() -> None:
    line = speed_line(speed_of(timed_frame({})))
    assert line == (
        "5.5 tok/s at concurrency 1.0, TTFT 1,000 ms (p99 1,000 ms), TPOT 100 ms (p99 100 ms),"
        " E2E Latency 2,000 ms (p99 2,000 ms), 11 tokens a solved response"
    )
