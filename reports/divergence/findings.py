"""What the figures mean, in sentences: faults by name, and where the figures must not be trusted."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from reports.divergence.clustered import FEW_TEXTS
from reports.divergence.figures import Divergence
from reports.divergence.measure import Measured

GROWS_BY = 0.1  # of the mean a doubling: below it a trend is no fault worth a name
_LARGE_RATIO = 0.1


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One finding: its kind for programs, and what it is in one sentence."""

    kind: str
    text: str


def findings(found: Divergence) -> list[Finding]:
    """Return the findings, the one that questions the figures most first."""
    return [
        *_tokens(found.measured),
        *_missing(found.measured),
        *_ruled_out(found),
        *_beyond(found),
        *_growth(found),
        *_sampling(found),
    ]


def caveats(found: Divergence) -> list[str]:
    """Return what a reader must know before using the figures."""
    said = []
    n_other = sum(not text.is_sampled for text in found.measured.texts)
    if n_other:
        said.append(
            f"{n_other:,} of {len(found.measured.texts):,} texts were not drawn at temperature 1 and top_p 1,"
            " or nobody says so: the mean is a cross-entropy difference, not a Kullback-Leibler divergence"
        )
    if 0 < len(found.measured.texts) < FEW_TEXTS:
        said.append(f"{len(found.measured.texts)} texts are few: intervals by text need {FEW_TEXTS} or more")
    if found.floor is None and found.headline.n_tokens:
        said.append(
            "no noise floor: the baseline was not asked twice, so kernel noise is not told from change"
        )
    return said


def _tokens(measured: Measured) -> Iterator[Finding]:
    if not measured.n_differing:
        return
    total = measured.n_differing + len(measured.texts)
    kinds = Counter(difference.kind.value for difference in measured.differences)
    listed = "; ".join(f"{n:,} x {kind}" for kind, n in kinds.most_common())
    yield Finding(
        kind="tokens",
        text=f"the sides see different tokens in {measured.n_differing:,} of {total:,} texts ({listed});"
        " these texts are in no figure",
    )


def _missing(measured: Measured) -> Iterator[Finding]:
    for side, number in (("baseline", measured.n_only_baseline), ("candidate", measured.n_only_candidate)):
        if number:
            yield Finding(
                kind="missing",
                text=f"{number:,} texts are recorded on the {side} only; run again to complete the other side",
            )


def _ruled_out(found: Divergence) -> Iterator[Finding]:
    for side, number in zip(("baseline", "candidate"), found.headline.n_ruled_out, strict=True):
        if number:
            yield Finding(
                kind="ruled_out",
                text=f"the {side} gives {number:,} response tokens a probability of 0: their divergence has"
                " no bound and is in no mean",
            )


def _beyond(found: Divergence) -> Iterator[Finding]:
    if found.headline.is_identical:
        yield Finding(kind="identical", text="every log-probability is the same on both sides")
    elif found.beyond_floor is not None and found.beyond_floor.interval.low <= 0:
        yield Finding(
            kind="within_floor",
            text="the candidate moves no more than the baseline against itself: nothing beyond noise is shown",
        )


def _growth(found: Divergence) -> Iterator[Finding]:
    trend = found.trend
    if trend is None or trend.per_doubling.interval.low <= 0 or trend.relative < GROWS_BY:
        return
    yield Finding(
        kind="position",
        text=f"the divergence grows with position, by {100 * trend.relative:.0f} % of its mean each time the"
        " position doubles; rounded weights do not show that: look at the position encoding, long contexts and"
        " the KV-cache",
    )


def _sampling(found: Divergence) -> Iterator[Finding]:
    """Check that texts said to be drawn from the baseline behave so: the mean ratio is then 1."""
    ratio = found.headline.ratio
    if not found.is_sampled or ratio is None:
        return
    if abs(ratio.value) > _LARGE_RATIO and not ratio.interval.low <= 0 <= ratio.interval.high:
        yield Finding(
            kind="sampling",
            text=f"the mean of p(candidate) / p(baseline) is {1 + ratio.value:.3f} where 1 is expected of texts"
            " drawn from the baseline: other sampling, other weights or edited texts; or a candidate so far"
            " off that the mean needs more texts",
        )
