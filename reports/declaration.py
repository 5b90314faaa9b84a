"""What a run that may stop early declared before its first look: looks, margin, error, and the baseline."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import jsonschema
import numpy as np
import pandas as pd

from reports.log_members import LogError
from reports.run_files import TaskRun
from reports.schema_fault import schema_fault
from reports.schema_values import COUNT, MAYBE_TEXT, NUMBER, TEXT, list_of, maybe, object_of
from reports.sequential import LookPlan, Spending
from reports.verdict import check_margin

TAKEN = "taken"  # the looks taken so far, beside the declaration in the manifest
_BASELINE = object_of(
    {"label": TEXT, "fingerprint": MAYBE_TEXT, "epochs": COUNT, "n_items": COUNT, "scores": TEXT}
)
_KINDS = jsonschema.Draft202012Validator(
    object_of(
        {
            "looks": list_of({"type": "integer", "minimum": 1}),
            "critical_values": list_of({"type": "number", "exclusiveMinimum": 0}),
            "futility": {"type": "boolean"},
            "baseline_epochs": maybe(COUNT),
            "baseline": _BASELINE,
        }
        | dict.fromkeys(("error", "margin"), NUMBER)
        | dict.fromkeys(("spending", "declared"), TEXT)
    )
)


@dataclass(frozen=True, kw_only=True)
class BaselineIdentity:
    """Which baseline was declared: ``scores`` is a digest of every (sample, epoch, score) it has."""

    label: str
    fingerprint: str | None
    epochs: int
    n_items: int
    scores: str


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """Looks, margin (score units) and baseline as written to the manifest; ``declared`` is when (ISO time)."""

    plan: LookPlan
    margin: float
    baseline: BaselineIdentity
    declared: str

    @property
    def last_epochs(self) -> int:
        """Epochs at the last look: the most that this run may spend."""
        return self.plan.looks[-1]

    def terms(self) -> dict[str, Any]:
        """Return what must not change between the looks, as plain JSON values."""
        plan = self.plan
        return {
            "looks": list(plan.looks),
            "margin": self.margin,
            "error": plan.error,
            "spending": str(plan.spending),
            "futility": plan.futility,
            "baseline": asdict(self.baseline),
        }

    def as_dict(self) -> dict[str, Any]:
        """Return the declaration for the manifest."""
        bounds = {
            "critical_values": list(self.plan.critical_values),
            "baseline_epochs": self.plan.baseline_epochs,
        }
        return self.terms() | bounds | {"declared": self.declared}

    def differences(self, other: "Declaration") -> list[str]:
        """Return what another declaration says otherwise, such as ``margin 0.014, now 0.02``."""
        ours, theirs = self.terms(), other.terms()
        return [
            f"{name} {_shown(value)}, now {_shown(theirs[name])}"
            for name, value in ours.items()
            if value != theirs[name]
        ]


def read_declaration(value: Any, source: str) -> Declaration | None:
    """Return the declaration in a manifest or log header, ``None`` where there is none.

    Raises :class:`LogError` for one that was damaged: a run must not lose its looks by it.
    """
    if not value:
        return None
    try:
        if fault := schema_fault(_KINDS, value):
            raise ValueError(fault)
        plan = LookPlan(
            looks=tuple(map(int, value["looks"])),
            critical_values=tuple(map(float, value["critical_values"])),
            error=float(value["error"]),
            spending=Spending(value["spending"]),
            futility=bool(value["futility"]),
            baseline_epochs=value["baseline_epochs"],
        )
        check_margin(float(value["margin"]))
        if not plan.looks or len(plan.looks) != len(plan.critical_values):
            raise ValueError(f"{len(plan.looks)} looks, {len(plan.critical_values)} critical values")
        return Declaration(
            plan=plan,
            margin=float(value["margin"]),
            baseline=BaselineIdentity(**value["baseline"]),
            declared=str(value["declared"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise LogError(
            f"{source}: its declared looks cannot be read ({error!r}); restore the manifest from the log's header"
        ) from None


def looks_taken(value: Any) -> list[Mapping[str, Any]]:
    """Return the looks that a manifest's declaration records as taken, in their order."""
    taken = value.get(TAKEN) if isinstance(value, Mapping) else None
    return [look for look in taken if isinstance(look, Mapping)] if isinstance(taken, list) else []


def identify(run: TaskRun) -> BaselineIdentity:
    """Return the identity of a run as a baseline."""
    return BaselineIdentity(
        label=run.facts.label,
        fingerprint=run.facts.fingerprint,
        epochs=int(run.frame["epoch"].nunique()),
        n_items=int(run.frame["sample_id"].nunique()),
        scores=_digest(run.frame),
    )


def _digest(frame: pd.DataFrame) -> str:
    """Return a digest of the scores, the same for any order of the rows."""
    columns = [frame[name].astype(str).to_numpy(dtype=object) for name in ("sample_id", "epoch", "score")]
    lines = sorted("\t".join(map(str, row)) for row in np.stack(columns, axis=1).tolist())
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{value['label']!r} ({value['epochs']} epochs, scores {value['scores'][:6]})"
    if isinstance(value, list):
        return ",".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value).lower()
