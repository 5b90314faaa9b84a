"""What a series of nights shows; the text as a golden: REWRITE_GOLDENS=1 pytest this file."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from reports.delta import paired_delta
from reports.history import HistoryRun, Series, Skipped
from reports.score_table import TaskFacts
from reports.trend import Flag, Trend, follow
from reports.trend_text import render_trend, trend_document
from tests.reports.score_rows import score_matrix

N_ITEMS, N_EPOCHS = 40, 8
START = datetime(2026, 1, 1, 2, tzinfo=UTC)


def _night(
    day: int, scores: np.ndarray, *, version: str | None = "0.9.1", expected: int | None = None
) -> HistoryRun:
    n_items, n_epochs = scores.shape
    endpoint = {"engine": "vllm", "version": version} if version else {}
    facts = TaskFacts(
        task="aime25", label="nvfp4", source=f"night-{day}", endpoint=endpoint, versions={"quantcheck": "1.0"}
    )
    return HistoryRun(
        facts=facts,
        at=START + timedelta(days=day),
        codes=np.repeat(np.arange(n_items), n_epochs),
        scores=scores.ravel().astype(float),
        expected=expected or scores.size,
        truncated=0,
    )


def _series(runs: Sequence[HistoryRun]) -> Series:
    ids = tuple(f"a{item}" for item in range(N_ITEMS))
    return Series(
        task="aime25", labels=("nvfp4",), fingerprint="f1", n_items=N_ITEMS, item_ids=ids, runs=tuple(runs)
    )


def _scores(misses: int) -> np.ndarray:
    """All right but for ``misses``, dealt out over the items."""
    scores = np.ones((N_ITEMS, N_EPOCHS))
    for miss in range(misses):
        scores[miss % N_ITEMS, (miss // N_ITEMS + miss) % N_EPOCHS] = 0
    return scores


def _follow(misses: Sequence[int], versions: Sequence[str | None] | None = None) -> Trend:
    named = versions or ["0.9.1"] * len(misses)
    return follow(_series([_night(day, _scores(n), version=named[day]) for day, n in enumerate(misses)]))


def _point_flags(trend: Trend) -> list[Flag | None]:
    return [None if point.against_earlier is None else point.against_earlier.flag for point in trend.points]


@pytest.mark.parametrize(
    ("misses", "flags"),
    [
        pytest.param([20, 22, 19, 21, 20], [None] * 5, id="calm"),
        pytest.param([20, 22, 19, 21, 36], [None, None, None, None, Flag.WATCH], id="beyond 95 %"),
        pytest.param([20, 22, 19, 21, 70], [None, None, None, None, Flag.DRIFT], id="beyond 99.73 %"),
        pytest.param([70, 70, 70, 20], [None, None, None, Flag.DRIFT], id="a gain is a drift too"),
        pytest.param([0, 0, 0, 0], [None] * 4, id="all right"),
        pytest.param([320, 320, 320], [None] * 3, id="all wrong"),
        pytest.param([20], [None], id="one run"),
    ],
)
def test_a_run_is_flagged_by_the_difference_from_all_earlier_ones(
    misses: list[int], flags: list[Flag | None]
) -> None:
    assert _point_flags(_follow(misses)) == flags


def test_the_difference_is_the_paired_delta_of_the_pooled_runs() -> None:
    rng = np.random.default_rng(3)
    nights = [(rng.random((N_ITEMS, N_EPOCHS)) < 0.8).astype(float) for _ in range(3)]
    found = (
        follow(_series([_night(day, scores) for day, scores in enumerate(nights)])).points[2].against_earlier
    )
    delta = paired_delta(score_matrix(np.hstack(nights[:2])), score_matrix(nights[2]))
    assert found is not None
    assert found.delta.value == pytest.approx(delta.value)
    assert found.delta.interval.low == pytest.approx(delta.interval.low)
    assert found.delta.interval.high == pytest.approx(delta.interval.high)


def test_a_slow_trend_is_seen_though_no_night_stands_out() -> None:
    trend = _follow([10, 12, 14, 16, 18, 20, 22, 24, 26, 28])
    assert Flag.DRIFT not in _point_flags(trend)
    assert trend.slope is not None and trend.slope.per_day == pytest.approx(-2 / 320)
    assert trend.slope_flag is Flag.DRIFT


def test_a_version_change_compares_the_runs_on_both_sides_of_it() -> None:
    trend = _follow([20, 22, 50, 52, 21], ["0.9.1", "0.9.1", "0.9.2", "0.9.2", "0.9.1"])
    changes = [(c.before[0], c.after[0], c.n_before, c.n_after, c.shift.flag) for c in trend.changes]
    assert changes == [
        ("vllm 0.9.1", "vllm 0.9.2", 2, 2, Flag.DRIFT),
        ("vllm 0.9.2", "vllm 0.9.1", 2, 1, Flag.DRIFT),
    ]
    assert trend.changes[0].shift.delta.value == pytest.approx(-60 / 640)


def test_a_run_that_does_not_name_its_server_is_no_version_change() -> None:
    assert _follow([20, 22, 20], ["0.9.1", None, "0.9.1"]).changes == ()


def test_a_partial_run_is_shown_and_neither_judged_nor_pooled() -> None:
    part = _night(2, np.zeros((10, N_EPOCHS)), expected=N_ITEMS * N_EPOCHS)
    whole = [_night(day, _scores(20)) for day in (0, 1, 3)]
    trend, without = follow(_series([*whole[:2], part, whole[2]])), follow(_series(whole))
    assert trend.points[2].against_earlier is None
    assert trend.pooled == without.pooled
    assert _point_flags(trend) == [None] * 4


def test_nights_without_a_change_are_seldom_flagged() -> None:
    """60 series of 8 nights: 420 comparisons, of which 5 % may go beyond 95 % and 0.27 % beyond 99.73 %."""
    rng = np.random.default_rng(11)
    chances = rng.beta(4, 1, N_ITEMS)[:, None]
    flags: list[Flag | None] = []
    for _ in range(60):
        nights = [(rng.random((N_ITEMS, N_EPOCHS)) < chances).astype(float) for _ in range(8)]
        flags += _point_flags(follow(_series([_night(day, scores) for day, scores in enumerate(nights)])))
    assert 0.02 < sum(flag is not None for flag in flags) / 420 < 0.08
    assert sum(flag is Flag.DRIFT for flag in flags) <= 5


@pytest.fixture
def told() -> Trend:
    part = _night(9, np.ones((10, N_EPOCHS)), expected=N_ITEMS * N_EPOCHS, version=None)
    nights = [
        _night(day, _scores(n), version="0.9.1" if day < 4 else "0.9.2")
        for day, n in enumerate([20, 22, 19, 21, 38, 70, 68])
    ]
    return follow(_series([*nights, part]))


def test_what_people_read(told: Trend, golden: Callable[[str, str], None]) -> None:
    skipped = [Skipped(source="night-8", reason="night-8: holds no log (.eval); run the task again")]
    golden(
        "trend.txt", render_trend([told, _follow([20])], skipped, ["some runs do not record their server"])
    )


def test_what_pipelines_read(told: Trend) -> None:
    document = trend_document([told], [], [])
    (series,) = document["series"]
    assert series["flag"] == "drift"
    assert [run["is_judged"] for run in series["runs"]] == [True] * 7 + [False]
    assert series["runs"][0]["against_earlier"] is None
    assert series["runs"][-1]["server"] is None
    assert series["runs"][5]["against_earlier"]["flag"] == "drift"
    assert series["changes"][0]["n_runs"] == {"before": 4, "after": 3}
    assert series["slope_per_day"]["high"] < 0
    assert series["between_runs"]["p_value"] < 0.001
