"""What kind of loss it is, in one table: signs, output length, categories, position in the run, tokens."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reports import numbers
from reports.diagnosis import POSITION_LEVEL, Diagnosis
from reports.flips import FALSE_DISCOVERY
from reports.intervals import Estimate
from reports.metrics import TokenRatio
from reports.slices import LengthProfile, Slice

_SIGN, _LENGTH, _CATEGORY = "sign", "output length", "category"
_POSITION, _TOKENS = "place in the run", "tokens"


@dataclass(frozen=True, kw_only=True)
class DiagnosisRow:
    """One thing looked at: under which cut, both sides, the difference, how sure; ``mark`` where it stands out."""

    cut: str
    name: str
    baseline: str
    candidate: str
    difference: str
    evidence: str
    mark: str


def diagnosis_rows(found: Diagnosis) -> tuple[DiagnosisRow, ...]:
    """Return every row, those cut by one thing together."""
    by_length = _lengths(found.by_length)
    return (*_signs(found), *by_length, *_categories(found), *_position(found), *_tokens(found))


def _signs(found: Diagnosis) -> Iterator[DiagnosisRow]:
    for signal in found.signals:
        yield DiagnosisRow(
            cut=_SIGN,
            name=signal.name.replace("_", " "),
            baseline=numbers.percent(signal.baseline),
            candidate=numbers.percent(signal.candidate),
            difference=_points(signal.delta),
            evidence=numbers.q_value(signal.q_value),
            mark="more" if signal.is_more else "less" if signal.delta.interval.high < 0 else "",
        )


def _lengths(profile: LengthProfile | None) -> Iterator[DiagnosisRow]:
    if profile is None:
        return
    for part in profile.slices:
        yield _slice_row(_LENGTH, f"quarter {part.name}", part)
    if profile.slope is not None:
        yield DiagnosisRow(
            cut=_LENGTH,
            name="change of the delta with twice the tokens",
            baseline="",
            candidate="",
            difference=_points(profile.slope),
            evidence="",
            mark="grows" if profile.slope.interval.high < 0 else "",
        )


def _categories(found: Diagnosis) -> Sequence[DiagnosisRow]:
    return [_slice_row(_CATEGORY, part.name, part) for part in found.by_category]


def _slice_row(cut: str, name: str, part: Slice) -> DiagnosisRow:
    stands_out = part.q_value <= FALSE_DISCOVERY
    return DiagnosisRow(
        cut=cut,
        name=f"{name} ({part.n_items:,} item{'s' * (part.n_items != 1)})",
        baseline=numbers.percent(part.baseline, 1),
        candidate=numbers.percent(part.candidate, 1),
        difference=_points(part.delta),
        evidence=numbers.q_value(part.q_value),
        mark="" if not stands_out else "lower" if part.delta.value < 0 else "higher",
    )


def _position(found: Diagnosis) -> Iterator[DiagnosisRow]:
    """Yield the candidate's quarters of its run against what their items score on average."""
    if found.position is None:
        return
    for place, effect in enumerate(found.position.effects, start=1):
        yield DiagnosisRow(
            cut=_POSITION,
            name=f"quarter {place} of the candidate's",
            baseline="",
            candidate="",
            difference=f"{numbers.points(effect)} from its mean",
            evidence=f"p {numbers.p_value(found.position.p_value)}",
            mark="differs" if found.position.p_value < POSITION_LEVEL else "",
        )


def _tokens(found: Diagnosis) -> Iterator[DiagnosisRow]:
    for name, ratio in (("output tokens", found.output_tokens), ("reasoning tokens", found.reasoning_tokens)):
        if ratio is not None:
            yield DiagnosisRow(
                cut=_TOKENS,
                name=name,
                baseline="",
                candidate="",
                difference=f"x {numbers.ratio(ratio.value, ratio.interval)}",
                evidence=f"{ratio.n_items:,} item{'s' * (ratio.n_items != 1)}",
                mark=_longer(ratio),
            )


def _longer(ratio: TokenRatio) -> str:
    if ratio.interval is None:
        return ""
    return "more" if ratio.interval.low > 1 else "fewer" if ratio.interval.high < 1 else ""


def _points(found: Estimate) -> str:
    digits = numbers.digits_for(found.interval)
    value = numbers.points(found.value, digits).removesuffix(" pp")
    return f"{value} {numbers.points_interval(found.interval)} pp"
