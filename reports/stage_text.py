"""What a reader must know of a comparison with a run that may stop early."""

from collections.abc import Iterator

from reports import numbers
from reports.report import Analysis
from reports.stage import Stage
from reports.verdict import Verdict


def stage_notes(stage: Stage) -> Iterator[str]:
    """Yield the looks, what the interval allows for, and how the estimate is biased."""
    level = numbers.confidence_level(stage.confidence)
    epochs = f"{stage.epochs} of {stage.last_epochs} epochs"
    yield (
        f"{stage.side}: run until decided, look {stage.look} of {stage.n_looks} ({epochs}); its looks were"
        f" declared on {stage.declared[:10]}, the interval takes z = {stage.critical_value:.3f}"
        f" and holds with {level} over all looks"
    )
    if stage.is_early and stage.is_at_look:
        yield "the delta is an estimate after early stopping: biased outward, away from the margin"
    if not stage.is_at_look:
        yield (
            f"{stage.side}: {stage.epochs} epochs are no declared look"
            f" ({', '.join(map(str, stage.looks))}); the interval is that of look {stage.look}"
        )


def stage_reason(stage: Stage, analysis: Analysis) -> str:
    """Return why the verdict is what it is; an undecided run is told what its declaration leaves to do."""
    judgement = analysis.judgement
    if judgement.verdict is not Verdict.INCONCLUSIVE or judgement.reason.startswith("missing:"):
        return judgement.reason
    margin, shown = numbers.margin_points(judgement.margin), numbers.points_interval(analysis.interval)
    text = f"a loss of {margin} is neither shown nor ruled out: {shown} pp holds it"
    if stage.is_early and stage.is_stopped:
        return f"looks: stopped as futile at look {stage.look} of {stage.n_looks}: {text}; more epochs need a new run"
    if stage.is_early:
        return (
            f"looks: number {stage.look} of {stage.n_looks}: {text}; go on with the same run --until-decided"
        )
    return f"looks: undecided at the last of {stage.n_looks}: {text}; more epochs need a new run"
