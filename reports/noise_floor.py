"""One checkpoint run twice: how far two runs differ by sampling alone, and whether these two differ by more."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from reports import numbers
from reports.comparability import NotComparableError, join_items
from reports.intervals import critical_value
from reports.multiplicity import holm
from reports.pairing import Pairing, pair_scores
from reports.power import Epochs, noise_from_pair, standard_error
from reports.report import Analysis, NoiseFloor, TaskReport
from reports.run_files import TaskRun
from reports.score_table import TaskFacts
from reports.verdict import Verdict

NOTE = "a-a: one checkpoint run twice; pass says that the runs differ by no more than sampling explains"
_KEYS = ["sample_id", "epoch"]
# What two runs of one checkpoint agree in, of what an endpoint says of itself.
_OF_CHECKPOINT = ("model", "served_path", "quantization", "kv_cache_dtype", "engine", "version")


@dataclass(frozen=True, kw_only=True)
class _Shared:
    """Which facts of the responses with a place in both runs agree throughout; ``None`` where not known."""

    times: bool | None
    seeds: bool | None


def with_noise_floor(report: TaskReport, first: TaskRun, second: TaskRun, confidence: float) -> TaskReport:
    """Return the report of two runs of one checkpoint with what sampling alone explains of their difference.

    Raises :class:`NotComparableError` for one run given twice.
    """
    if first.facts.source == second.facts.source:
        raise NotComparableError(
            f"a-a: {first.facts.source} is both sides; run the checkpoint again with another --seed"
        )
    if report.analysis is None:
        return report
    joined = join_items(first.frame, second.frame)
    pairing = pair_scores(joined.baseline, joined.candidate)
    shared = _shared(joined.baseline, joined.candidate)
    if shared.times:
        raise NotComparableError(
            f"a-a: {first.facts.source} and {second.facts.source} are copies of one run;"
            " run the checkpoint again with another --seed"
        )
    floor = _floor(pairing, report.analysis, confidence)
    notes = (*report.notes, *_notes(floor, shared, first.facts, second.facts))
    return replace(report, noise_floor=floor, notes=notes)


def judged_as_noise(reports: Sequence[TaskReport], confidence: float) -> tuple[TaskReport, ...]:
    """Return the reports with the verdict pass where the runs differ no more than by sampling, else invalid.

    By the exact test within items, allowing for the other tasks (Holm).
    """
    compared = [report for report in reports if report.analysis and report.noise_floor]
    p_values = iter(holm([report.analysis.delta.p_value for report in compared if report.analysis]))
    return tuple(
        _judged(report, next(p_values), 1 - confidence) if report in compared else report
        for report in reports
    )


def _floor(pairing: Pairing, analysis: Analysis, confidence: float) -> NoiseFloor:
    epochs = Epochs(baseline=pairing.baseline.n_epochs, candidate=pairing.candidate.n_epochs)
    error = standard_error(noise_from_pair(pairing), epochs)
    flips = analysis.delta.flips
    own = [rate for rate in (flips.baseline_self_rate, flips.candidate_self_rate) if rate is not None]
    return NoiseFloor(
        expected_error=error,
        expected_spread=critical_value(confidence) * error,
        flip_rate=flips.rate,
        flip_rate_within=sum(own) / 2 if len(own) == 2 else None,
    )


def _judged(report: TaskReport, p_value: float, level: float) -> TaskReport:
    analysis, floor = report.analysis, report.noise_floor
    if analysis is None or floor is None or report.verdict is Verdict.INVALID:
        return report
    differs = f"the runs differ by {numbers.points(analysis.delta.value)} (p {numbers.p_value(p_value)})"
    spread = numbers.margin_points(round(floor.expected_spread, 6))
    if p_value < level:
        reason = (
            f"noise floor: {differs}, more than the {spread} either way that sampling explains:"
            " not the same checkpoint, server or settings?"
        )
        return replace(report, verdict=Verdict.INVALID, reason=reason)
    seen = numbers.margin_points(round(analysis.plan.smallest_visible_loss, 6))
    reason = (
        f"noise floor: {differs}, within the {spread} either way that sampling explains;"
        f" a difference of {seen} would show 4 times in 5"
    )
    return replace(report, verdict=Verdict.PASS, reason=reason)


def _notes(floor: NoiseFloor, shared: _Shared, first: TaskFacts, second: TaskFacts) -> Iterator[str]:
    within = (
        "one epoch a side: these flips are the floor for every comparison at one epoch"
        if floor.flip_rate_within is None
        else f"{numbers.percent(floor.flip_rate_within)} between two epochs of one run"
    )
    yield f"flips floor: {numbers.percent(floor.flip_rate)} of the answers differ between the runs; {within}"
    if shared.seeds:
        yield (
            "both runs sent the same seeds: a server that keeps to them repeats itself, and this floor is too"
            " low; run one of them with another --seed"
        )
    for name in _OF_CHECKPOINT:
        one, other = first.endpoint.get(name), second.endpoint.get(name)
        if one is not None and other is not None and one != other:
            yield f"endpoint {name}: {one} and {other}; one checkpoint on one kind of server says the same"


def _shared(first: pd.DataFrame, second: pd.DataFrame) -> _Shared:
    """Return what all responses with one sample and epoch share."""
    columns = [*_KEYS, "finished_at", "seed"]
    sides = [side[columns].assign(sample_id=side["sample_id"].astype(str)) for side in (first, second)]
    both = sides[0].merge(sides[1], on=_KEYS, suffixes=("", "_second"))
    return _Shared(
        times=_agree(both["finished_at"], both["finished_at_second"]),
        seeds=_agree(both["seed"], both["seed_second"]),
    )


def _agree(one: "pd.Series[float]", other: "pd.Series[float]") -> bool | None:
    known = one.notna() & other.notna()
    return bool((one[known] == other[known]).all()) if known.any() else None
