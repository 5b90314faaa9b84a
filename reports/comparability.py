"""Whether two runs sat the same exam: protocols field by field, and items joined by what they contain."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from reports.score_table import TaskFacts

COMPARABLE = "comparable"  # where a spec lists the very facts that its fingerprint digests
# What a spec tells besides: more epochs, or a preset's name, make no other exam.
_NOT_COMPARED = ("epochs", "preset")
# Where two copies of the same content came from says nothing once the content itself agrees.
_PROVENANCE_OF_DATA = ("dataset.name", "dataset.source", "dataset.revision", "dataset.path")
_CONTENT = "dataset.content_hash"
FINGERPRINT = "fingerprint"


class NotComparableError(Exception):
    """Two runs that answer different questions; the message names what differs and the way out."""


class UnknownFieldError(ValueError):
    """A field to allow a mismatch of that no protocol here has."""


@dataclass(frozen=True, kw_only=True)
class Mismatch:
    """A protocol field (dotted path) in which two runs differ; ``None`` is a value not recorded."""

    field: str
    baseline: Any
    candidate: Any
    allowed: bool

    def __str__(self) -> str:
        return f"{self.field}: {_shown(self.baseline)} against {_shown(self.candidate)}"


def protocol_mismatches(
    baseline: TaskFacts, candidate: TaskFacts, allowed: Iterable[str] = ()
) -> tuple[Mismatch, ...]:
    """Return the protocol fields in which the runs differ; none when their fingerprints agree.

    Where a side records no protocol at all (a score file) there is nothing to compare: see
    :func:`is_protocol_known`. ``allowed`` names fields, groups (``sampling``) or last parts (``top_p``).
    """
    if baseline.fingerprint and baseline.fingerprint == candidate.fingerprint:
        return ()
    ours, theirs = comparable_facts(baseline.spec), comparable_facts(candidate.spec)
    differing = _differing(ours, theirs) if _same_vocabulary(baseline, candidate) else []
    pairs = [(name, ours.get(name), theirs.get(name)) for name in differing]
    if not pairs and baseline.fingerprint and candidate.fingerprint:
        pairs = [(FINGERPRINT, baseline.fingerprint, candidate.fingerprint)]
    names = tuple(allowed)
    return tuple(
        Mismatch(field=name, baseline=left, candidate=right, allowed=is_allowed(name, names))
        for name, left, right in pairs
    )


def is_protocol_known(baseline: TaskFacts, candidate: TaskFacts) -> bool:
    """Return whether both sides record a protocol that can be held against the other's."""
    both_fingerprints = bool(baseline.fingerprint and candidate.fingerprint)
    return both_fingerprints or _same_vocabulary(baseline, candidate)


def is_allowed(field: str, allowed: Iterable[str]) -> bool:
    """Return whether ``field`` is named by ``allowed``: itself, its group, its last part, or a part of it."""
    return any(name == FINGERPRINT or _is_part(field, name) or _is_part(name, field) for name in allowed)


def _is_part(path: str, name: str) -> bool:
    return path == name or path.startswith(f"{name}.") or path.endswith(f".{name}")


def check_allowed_fields(specs: Iterable[Mapping[str, Any]], allowed: Iterable[str]) -> None:
    """Refuse the name of a field that no protocol has: a typing error would allow nothing, silently."""
    fields = sorted({name for spec in specs for name in comparable_facts(spec)})
    for name in allowed:
        if fields and name != FINGERPRINT and not any(is_allowed(field, (name,)) for field in fields):
            raise UnknownFieldError(f"{name!r} is no field of these protocols; they have {', '.join(fields)}")


def comparable_facts(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts of a spec that must agree: those its fingerprint digests where it lists them."""
    listed = spec.get(COMPARABLE)
    facts = flattened(listed if isinstance(listed, Mapping) and listed else spec)
    return {name: value for name, value in facts.items() if name not in _NOT_COMPARED}


def flattened(spec: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return the nested facts as ``{"sampling.top_p": 0.95}``."""
    flat: dict[str, Any] = {}
    for name, value in spec.items():
        if isinstance(value, Mapping) and value:
            flat |= flattened(value, f"{prefix}{name}.")
        else:
            flat[f"{prefix}{name}"] = value
    return flat


def _same_vocabulary(baseline: TaskFacts, candidate: TaskFacts) -> bool:
    return bool(baseline.spec and candidate.spec) and baseline.is_foreign == candidate.is_foreign


def _differing(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    names = [name for name in sorted({*ours, *theirs}) if ours.get(name) != theirs.get(name)]
    same_content = ours.get(_CONTENT) is not None and ours.get(_CONTENT) == theirs.get(_CONTENT)
    return [name for name in names if not (same_content and name in _PROVENANCE_OF_DATA)]


def _shown(value: Any) -> str:
    return "not recorded" if value is None else str(value)


@dataclass(frozen=True, kw_only=True)
class JoinedItems:
    """Both sides under common item names; ``by_content`` says whether contents, not names, were matched."""

    baseline: pd.DataFrame
    candidate: pd.DataFrame
    by_content: bool


def join_items(baseline: pd.DataFrame, candidate: pd.DataFrame) -> JoinedItems:
    """Return both frames with the candidate's items named as the baseline names the same content.

    Without a content hash on both sides items are the same when their sample ids are.
    """
    ours, theirs = _hash_by_sample(baseline), _hash_by_sample(candidate)
    if not (any(ours.values()) and any(theirs.values())):
        return JoinedItems(baseline=baseline, candidate=candidate, by_content=False)
    names = _candidate_names(ours, theirs)
    if all(name == sample_id for sample_id, name in names.items()):
        return JoinedItems(baseline=baseline, candidate=candidate, by_content=True)
    renamed = candidate.assign(sample_id=candidate["sample_id"].astype(object).map(names))
    return JoinedItems(baseline=baseline, candidate=renamed, by_content=True)


def _hash_by_sample(frame: pd.DataFrame) -> dict[str, str | None]:
    """Return each sample's content hash; ``None`` where no response of it carries one."""
    items = frame[["sample_id", "content_hash"]].drop_duplicates().astype(object)
    hashes: dict[str, str | None] = {}
    for sample_id, content in zip(items["sample_id"], items["content_hash"], strict=True):
        known = content if isinstance(content, str) else None
        hashes[sample_id] = hashes.get(sample_id) or known
    return hashes


def _candidate_names(ours: Mapping[str, str | None], theirs: Mapping[str, str | None]) -> dict[str, str]:
    """Return the baseline's name for each candidate sample; its own where the baseline has no such content.

    A sample without a hash (all its responses failed) is taken at its name. Several samples of one content
    are matched by name first, the rest in order.
    """
    names: dict[str, str] = {}
    free: dict[str, list[str]] = {}
    for sample_id, content in sorted(ours.items()):
        if content is not None:
            free.setdefault(content, []).append(sample_id)
    for sample_id, content in theirs.items():
        mine = ours.get(sample_id)
        if sample_id in ours and (content is None or mine is None or content == mine):
            names[sample_id] = sample_id
            if mine is not None:
                free[mine].remove(sample_id)
    for sample_id, content in sorted(theirs.items()):
        if sample_id in names:
            continue
        matches = free.get(content or "", [])
        taken = sample_id in ours  # another content under the same name
        names[sample_id] = matches.pop(0) if matches else f"{sample_id} (candidate)" if taken else sample_id
    return names
