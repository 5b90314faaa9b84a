"""Read one side of a task of report.json back."""

from reports.delta import SideEstimate
from reports.read_values import Fields, known_estimate, read_blocks, read_interval
from reports.report import Counts, EpochCount, SideReport
from reports.score_table import TaskFacts
from reports.speed_text import read_speed


def read_side_report(found: Fields, provenance: Fields, side: str) -> SideReport:
    """Return what one side of a task shows by itself."""
    counts = found["counts"][side]
    return SideReport(
        facts=_facts(found["task"], provenance[side]["tasks"][found["task"]]),
        n_items=found.get("n_items_by_side", {}).get(side, found["n_items"]),
        epochs=found["epochs"][side],
        counts=Counts(
            errors=counts["error"],
            **{name: counts[name] for name in ("expected", "scored", "correct", "incorrect")},
            **{name: counts[name] for name in ("no_answer", "truncated")},
        ),
        per_epoch=tuple(EpochCount(**epoch) for epoch in found["per_epoch"][side]),
        replicas=read_blocks(found["replicas"][side]),
        pass_at={int(k): chance for k, chance in found["pass_at"][side].items()},
        majority=found["majority"][side],
        speed=read_speed(found.get("speed", {}).get(side)),
        starts=read_blocks(found.get("server_starts", {}).get(side)),
    )


def _facts(task: str, run: Fields) -> TaskFacts:
    return TaskFacts(
        task=task,
        label=run["label"],
        source=run["source"],
        fingerprint=run["fingerprint"],
        spec=run["spec"],
        endpoint=run["endpoint"],
        versions=run["versions"],
        git_revision=run["git_revision"],
        started=run["started"],
        finished=run["finished"],
        status=run["status"],
        is_foreign=run["foreign"],
    )


def read_side_estimate(found: Fields, side: str, confidence: float) -> SideEstimate:
    """Return one side's accuracy with its intervals."""
    estimate, counts = known_estimate(found[side], confidence), found["counts"][side]
    return SideEstimate(
        accuracy=estimate.value,
        interval=estimate.interval,
        population=read_interval(found[side]["population"], confidence),
        item_error=found[side]["item_error"],
        epochs=found["epochs"][side],
        scored=counts["scored"],
        expected=counts["expected"],
        missing=counts["missing"],
        if_missing_wrong=found[side]["if_missing_wrong"],
    )
