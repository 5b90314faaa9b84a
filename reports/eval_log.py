"""Read an Inspect log fast: the header and one small summary a response, never the transcripts."""

import gc
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from reports.json_array import array_blocks
from reports.json_text import parse_json
from reports.log_members import MAX_MEMBER_BYTES, LogError, LogMembers, open_members
from reports.log_rows import LogRows
from reports.score_table import TaskFacts
from reports.zip_directory import Member

LOG_VERSIONS = (1, 2)
_SUMMARIES = "summaries.json"
_JOURNAL = re.compile(r"_journal/summaries/(\d+)\.json")


@dataclass(frozen=True, kw_only=True)
class EvalLog:
    """One log: the facts of its header, its rows, and the time it was made (ISO text, sorts by age)."""

    facts: TaskFacts
    frame: pd.DataFrame
    created: str
    run_group: str


def read_eval_log(path: Path) -> EvalLog:
    """Return header facts and score rows of the log at ``path``; raises :class:`LogError`."""
    header, summaries, torn = _read_json_log(path) if path.suffix == ".json" else _read_zip_log(path)
    spec = _mapping(header.get("eval"))
    facts = _facts(path, header, torn=torn)
    return EvalLog(
        facts=facts,
        frame=_frame(path, facts, summaries),
        created=str(spec.get("created") or ""),
        run_group=str(spec.get("task_id") or path.name),
    )


def _frame(path: Path, facts: TaskFacts, summaries: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return the rows. Parsed JSON holds no cycles: searching it for them would take as long as parsing it."""
    rows = LogRows(path=path, task=facts.task)
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        for summary in summaries:
            rows.add(summary)
        return rows.frame()
    finally:
        if was_enabled:
            gc.enable()


def _read_zip_log(path: Path) -> tuple[Mapping[str, Any], Iterable[Mapping[str, Any]], bool]:
    members = open_members(path)
    header = _read_header(members)
    if _is_foreign(header):  # a summary lacks the stop reason: without it truncation would pass as wrong
        samples = members.samples()
        if samples:
            return header, _samples(members, samples), members.torn
    return header, _summaries(members), members.torn


def _read_json_log(path: Path) -> tuple[Mapping[str, Any], Iterable[Mapping[str, Any]], bool]:
    """Return header and samples of a log in Inspect's plain JSON format."""
    try:
        if path.stat().st_size > MAX_MEMBER_BYTES:
            raise LogError(
                f"{path}: is larger than {MAX_MEMBER_BYTES:,} bytes; convert it: inspect log convert"
            )
        log = parse_json(path.read_bytes())
    except OSError as error:
        raise LogError(f"{path}: cannot be read ({error.strerror or error}); check the path") from None
    except ValueError as error:
        raise LogError(f"{path}: is no JSON ({error}); give a .eval log, a run or a score file") from None
    if not isinstance(log, dict) or not isinstance(log.get("eval"), dict):
        raise LogError(f"{path}: is no Inspect log; give a .eval log, a run or a score file")
    samples = log.get("samples") or []
    if not isinstance(samples, list) or not all(isinstance(sample, dict) for sample in samples):
        raise LogError(f"{path}: its samples are no list of objects; the log is of an unknown version")
    return log, samples, False


def _is_foreign(header: Mapping[str, Any]) -> bool:
    return not _mapping(_mapping(_mapping(header.get("eval")).get("metadata")).get("quantcheck"))


def _samples(members: LogMembers, samples: Mapping[str, Member]) -> Iterator[Mapping[str, Any]]:
    """Parse full samples one at a time: one alone may hold a transcript of megabytes."""
    for name, member in samples.items():
        sample = _parsed(members, name, member)
        if isinstance(sample, dict):
            yield sample


def _read_header(members: LogMembers) -> Mapping[str, Any]:
    for name in ("header.json", "_journal/start.json"):
        if name in members.members:
            header = _parsed(members, name)
            if isinstance(header, dict) and isinstance(header.get("eval"), dict):
                return header
    raise LogError(f"{members.path}: holds no Inspect header; give a .eval log, a run or a score file")


def _summaries(members: LogMembers) -> Iterator[Mapping[str, Any]]:
    """Return one summary a response: the final list, else the journal and the samples it does not name."""
    if _SUMMARIES in members.members:
        yield from _summary_list(members, _SUMMARIES)
        return
    found: dict[tuple[str, int], Mapping[str, Any]] = {}
    for name in _journal_names(members.members):
        for summary in _summary_list(members, name):
            found[_key(members, summary)] = summary  # a later entry is the retried one
    for sample in _samples(members, _unlisted(members.samples(), found)):
        found.setdefault(_key(members, sample), sample)
    yield from found.values()


def _journal_names(names: Iterable[str]) -> list[str]:
    numbered = [(int(match[1]), name) for name in names if (match := _JOURNAL.fullmatch(name))]
    return [name for _, name in sorted(numbered)]


def _unlisted(samples: Mapping[str, Member], found: Mapping[tuple[str, int], object]) -> dict[str, Member]:
    listed = {f"samples/{sample_id}_epoch_{epoch}.json" for sample_id, epoch in found}
    return {name: member for name, member in samples.items() if name not in listed}


def _summary_list(members: LogMembers, name: str) -> Iterator[Mapping[str, Any]]:
    try:
        for block in array_blocks(members.pieces(name)):
            if not isinstance(block, list) or not all(isinstance(entry, dict) for entry in block):
                raise LogError(
                    f"{members.path}: {name} is no list of summaries; the log is of an unknown version"
                )
            yield from block
    except ValueError as error:
        raise LogError(f"{members.path}: {name} is no JSON ({error}); copy the log again") from None


def _key(members: LogMembers, summary: Mapping[str, Any]) -> tuple[str, int]:
    sample_id, epoch = summary.get("id"), summary.get("epoch")
    if isinstance(sample_id, str | int) and isinstance(epoch, int):
        return str(sample_id), epoch
    raise LogError(f"{members.path}: a response has id {sample_id!r} and epoch {epoch!r}; both must be given")


def _parsed(members: LogMembers, name: str, member: Member | None = None) -> Any:
    try:
        return parse_json(members.read(name, member))
    except ValueError as error:
        raise LogError(f"{members.path}: {name} is no JSON ({error}); copy the log again") from None


def _facts(path: Path, header: Mapping[str, Any], *, torn: bool) -> TaskFacts:
    spec = _mapping(header.get("eval"))
    ours = _mapping(_mapping(spec.get("metadata")).get("quantcheck"))
    stats = _mapping(header.get("stats"))
    sample_ids = _mapping(spec.get("dataset")).get("sample_ids")
    n_items = _count(ours.get("n_items"))
    if n_items is None:
        n_items = len(sample_ids) if isinstance(sample_ids, list) else None
    epochs = _count(ours.get("epochs")) or _count(_mapping(spec.get("config")).get("epochs"))
    expected = _count(ours.get("expected"))
    if expected is None and n_items is not None and epochs is not None:
        expected = n_items * epochs
    return TaskFacts(
        task=str(ours.get("task") or _bare_task(spec)),
        label=str(ours.get("label") or spec.get("model") or path.stem),
        source=str(path),
        fingerprint=_text(ours.get("fingerprint")),
        spec=_mapping(ours.get("spec")) or _foreign_spec(spec),
        endpoint=_mapping(ours.get("endpoint")) or {"model": spec.get("model")},
        versions=_mapping(ours.get("versions")) or _mapping(spec.get("packages")),
        git_revision=_text(ours.get("git_revision") or _mapping(spec.get("revision")).get("commit")),
        started=_text(stats.get("started_at")) or _text(spec.get("created")),
        finished=_text(stats.get("completed_at")),
        n_items=n_items,
        epochs=epochs,
        expected=expected,
        max_error_rate=_fraction(ours.get("max_error_rate")),
        sample_ids=tuple(map(str, sample_ids)) if isinstance(sample_ids, list) else (),
        status="torn" if torn else str(header.get("status") or "started"),
        is_foreign=not ours,
        sequential=_mapping(ours.get("sequential")),
        notes=_version_notes(header),
    )


def _version_notes(header: Mapping[str, Any]) -> tuple[str, ...]:
    """Say that a log is of a version whose layout is not known here: what is read of it may be less than it holds."""
    version = header.get("version")
    if version is None or version in LOG_VERSIONS:
        return ()
    known = " and ".join(map(str, LOG_VERSIONS))
    return (
        f"the log is of version {str(version)[:20]}, made to be read here are {known}; check its numbers",
    )


def _bare_task(spec: Mapping[str, Any]) -> str:
    """Return the task's name without the package that registered it (``inspect_evals/aime2025``)."""
    return str(spec.get("task") or "unknown").rpartition("/")[2]


def _foreign_spec(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a log made without us tells of its protocol: enough to see that two logs differ."""
    dataset = _mapping(spec.get("dataset"))
    config = dict(_mapping(spec.get("model_generate_config")))
    for local in ("max_connections", "max_retries", "timeout", "seed", "adaptive_connections"):
        config.pop(local, None)
    scorers = spec.get("scorers")
    names = [str(_mapping(entry).get("name")) for entry in scorers] if isinstance(scorers, list) else None
    return {
        "dataset": {"name": dataset.get("name"), "n_items": dataset.get("samples")},
        "task_version": spec.get("task_version"),
        "task_args": dict(_mapping(spec.get("task_args"))),
        "generate_config": config,
        "scorer": names,
    }


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _fraction(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and 0 <= value <= 1 else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
