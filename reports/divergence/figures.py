"""From sums to figures: how far the candidate has moved, beyond which noise, and where."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from reports.divergence.clustered import exponential, mean_per_token, share_of_tokens, slope_per_unit
from reports.divergence.measure import Measured
from reports.divergence.parts import Part
from reports.divergence.records import Floats, TextFacts
from reports.divergence.sums import NEAR_MARKERS, RESPONSE, Sum, TextSums, bin_edges, bin_name
from reports.intervals import Estimate

_MOST_BINS = 32


@dataclass(frozen=True, kw_only=True)
class Figures:
    """What one set of tokens shows, over all texts; ``None`` where unknown or without any spread.

    ``log_ratio`` is the mean of log p(baseline) - log p(candidate) in nats per token; ``controlled`` has the
    same expectation under the baseline and far less variance; ``ratio`` is the mean of p(candidate) /
    p(baseline) - 1, which is 0 for texts drawn from the baseline; ``absolute`` the mean of |log ratio|.
    """

    name: str
    n_texts: int
    n_tokens: int
    mean_log_ratio: float | None
    mean_absolute: float | None
    log_ratio: Estimate | None
    controlled: Estimate | None
    ratio: Estimate | None
    absolute: Estimate | None
    perplexity_ratio: Estimate | None
    top1_agreement: Estimate | None
    left_top_k: Estimate | None
    n_ruled_out: tuple[int, int] = (0, 0)

    @property
    def is_identical(self) -> bool:
        """Whether every log-probability is the same on both sides."""
        return self.n_tokens > 0 and self.mean_absolute == 0 and not any(self.n_ruled_out)


@dataclass(frozen=True, kw_only=True)
class Located:
    """The figures of part of the tokens; ``low`` to ``high`` are positions where it is a range of them."""

    figures: Figures
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True, kw_only=True)
class PositionTrend:
    """How |log ratio| changes with each doubling of the position, and that change over its mean."""

    per_doubling: Estimate
    relative: float


@dataclass(frozen=True, kw_only=True)
class Divergence:
    """All figures of two recorded sides."""

    measured: Measured
    confidence: float
    top_k: int
    headline: Figures
    floor: Figures | None
    beyond_floor: Estimate | None
    by_part: tuple[Located, ...]
    by_position: tuple[Located, ...]
    by_task: tuple[Located, ...]
    by_category: tuple[Located, ...]
    trend: PositionTrend | None

    @property
    def is_sampled(self) -> bool:
        """Whether every response was drawn at temperature 1 and top_p 1: only then is the mean a divergence."""
        return bool(self.measured.texts) and all(text.is_sampled for text in self.measured.texts)


def diverge(measured: Measured, *, top_k: int, confidence: float) -> Divergence:
    """Return the figures of what was measured."""
    sums, facts = measured.sums, measured.texts
    headline = _figures(RESPONSE, [one.of(RESPONSE) for one in sums], confidence)
    floor = [one.of(RESPONSE) for one in measured.floor.values()]
    return Divergence(
        measured=measured,
        confidence=confidence,
        top_k=top_k,
        headline=headline,
        floor=_figures("noise floor", floor, confidence) if floor else None,
        beyond_floor=_beyond_floor(measured, confidence),
        by_part=_groups([part.value for part in Part] + [NEAR_MARKERS], sums, confidence),
        by_position=_positions(sums, confidence),
        by_task=_by_text(lambda text: text.task, facts, sums, confidence),
        by_category=_by_text(lambda text: text.category or "", facts, sums, confidence),
        trend=_trend(sums, headline, confidence),
    )


def _figures(name: str, rows: Sequence[Floats], confidence: float) -> Figures:
    table = np.array([row for row in rows if row.any()]).reshape(-1, len(Sum))
    n, tops, ranked = table[:, Sum.TOKENS], table[:, Sum.TOPS], table[:, Sum.IN_TOP_K]

    def mean(which: Sum) -> Estimate | None:
        return mean_per_token(table[:, which], n, confidence)

    total = float(n.sum())
    log_ratio = mean(Sum.LOG_RATIO)
    return Figures(
        name=name,
        n_texts=len(table),
        n_tokens=int(total),
        mean_log_ratio=float(table[:, Sum.LOG_RATIO].sum()) / total if total else None,
        mean_absolute=float(table[:, Sum.ABSOLUTE].sum()) / total if total else None,
        log_ratio=log_ratio,
        controlled=mean(Sum.CONTROLLED),
        ratio=mean(Sum.RATIO),
        absolute=mean(Sum.ABSOLUTE),
        perplexity_ratio=exponential(log_ratio),
        top1_agreement=share_of_tokens(table[:, Sum.SAME_TOP], tops, confidence),
        left_top_k=share_of_tokens(table[:, Sum.LEFT_TOP_K], ranked, confidence),
        n_ruled_out=(
            int(table[:, Sum.RULED_OUT_BASELINE].sum()),
            int(table[:, Sum.RULED_OUT_CANDIDATE].sum()),
        ),
    )


def _groups(names: Sequence[str], sums: Sequence[TextSums], confidence: float) -> tuple[Located, ...]:
    found = (_figures(name, [one.of(name) for one in sums], confidence) for name in names)
    return tuple(Located(figures=one) for one in found if one.n_tokens or any(one.n_ruled_out))


def _positions(sums: Sequence[TextSums], confidence: float) -> tuple[Located, ...]:
    found = []
    for number in range(_MOST_BINS):
        low, high = bin_edges(number)
        rows = [one.of(bin_name(number)) for one in sums]
        figures = _figures(f"{low:,} to {high - 1:,}", rows, confidence)
        if figures.n_tokens:
            found.append(Located(figures=figures, low=low, high=high))
    return tuple(found)


def _by_text(
    name_of: Callable[[TextFacts], str],
    facts: Sequence[TextFacts],
    sums: Sequence[TextSums],
    confidence: float,
) -> tuple[Located, ...]:
    """Return the figures by a property of the text; nothing where all texts share one."""
    rows: dict[str, list[Floats]] = {}
    for text, one in zip(facts, sums, strict=True):
        rows.setdefault(name_of(text), []).append(one.of(RESPONSE))
    if len(rows) < 2:
        return ()
    return tuple(Located(figures=_figures(name or "-", rows[name], confidence)) for name in sorted(rows))


def _beyond_floor(measured: Measured, confidence: float) -> Estimate | None:
    """Return mean |log ratio| less that of the baseline against itself, paired by text."""
    pairs = [
        (one.of(RESPONSE), measured.floor[text.key].of(RESPONSE))
        for text, one in zip(measured.texts, measured.sums, strict=True)
        if text.key in measured.floor
    ]
    kept = [(one, other) for one, other in pairs if one[Sum.TOKENS] and other[Sum.TOKENS]]
    if not kept:
        return None
    tokens = np.array([one[Sum.TOKENS] for one, _ in kept])
    mean_floor = np.array([other[Sum.ABSOLUTE] / other[Sum.TOKENS] for _, other in kept])
    totals = np.array([one[Sum.ABSOLUTE] for one, _ in kept]) - mean_floor * tokens
    return mean_per_token(totals, tokens, confidence)


def _trend(sums: Sequence[TextSums], headline: Figures, confidence: float) -> PositionTrend | None:
    if not headline.mean_absolute:
        return None
    slope = slope_per_unit(np.array([one.moments for one in sums]), confidence)
    if slope is None:
        return None
    return PositionTrend(per_doubling=slope, relative=slope.value / headline.mean_absolute)
