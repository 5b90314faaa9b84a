"""Read the result files of other harnesses as runs: which harness, which task, under which settings."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from reports.foreign_rows import FORMATS, ForeignFormat, Row
from reports.foreign_settings import harness_facts
from reports.json_text import parse_json
from reports.score_columns import ScoreFileError
from reports.score_file import checked_frame
from reports.score_loading import MAX_FILE_BYTES, json_rows, text_table
from reports.score_table import TaskFacts

_EPOCH = re.compile(r"output-rs(\d+)\.jsonl")


@dataclass(frozen=True, kw_only=True)
class ForeignRun:
    """One task of another harness: facts and rows, as in :class:`reports.run_files.TaskRun`."""

    facts: TaskFacts
    frame: pd.DataFrame


def sniff(path: Path) -> ForeignFormat | None:
    """Return the harness that wrote a JSON-lines file, judged by its first line; ``None`` for a score file."""
    with path.open("rb") as file:
        for line in file:
            if line.strip():
                return _format_of(line)
    return None


def _format_of(line: bytes) -> ForeignFormat | None:
    try:
        row = parse_json(line)
    except ValueError:
        return None  # the score-file reader says what is wrong with the line
    if not isinstance(row, dict):
        return None
    return next((found for found in FORMATS if found.matches(row)), None)


def foreign_files(directory: Path) -> list[Path]:
    """Return the files of another harness directly in ``directory``, in order of name."""
    found = {path for known in FORMATS for path in directory.glob(known.pattern)}
    return sorted(path for path in found if path.is_file() and sniff(path) is not None)


def read_foreign(paths: Sequence[Path]) -> list[ForeignRun]:
    """Return the runs in files of one directory: the repeats of one task together, each other task by itself.

    Raises :class:`reports.score_columns.ScoreFileError` naming file and line.
    """
    groups: dict[tuple[str, str], list[Path]] = {}
    formats: dict[str, ForeignFormat] = {}
    for path in paths:
        known = sniff(path)
        if known is None:
            raise ScoreFileError(
                f"{path}: is of no harness known here ({', '.join(f.name for f in FORMATS)})"
            )
        formats[known.name] = known
        together = "" if _EPOCH.fullmatch(path.name) else path.name
        groups.setdefault((known.name, together), []).append(path)
    return [run for (name, _), group in groups.items() for run in _runs(formats[name], group)]


def _runs(known: ForeignFormat, paths: Sequence[Path]) -> Iterator[ForeignRun]:
    """Yield one run a scored metric; a file that scores one way gives one run under the task's plain name."""
    collected: dict[tuple[str, str], list[Row]] = {}
    for path in paths:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise ScoreFileError(f"{path}: is larger than {MAX_FILE_BYTES:,} bytes; no more is read")
        match = _EPOCH.fullmatch(path.name)
        epoch = int(match[1]) + 1 if match else 1
        for number, line in json_rows(path):
            for key, row in known.rows(line, epoch):
                collected.setdefault(key, []).append(row | {"line": number, "file": path})
    facts = harness_facts(known.name, paths[0])
    scored = {key: rows for key, rows in collected.items() if all(_is_fraction(row) for row in rows)}
    if not scored:
        _refuse(paths[0], collected)
    several = [len({key[place] for key in scored}) > 1 for place in (0, 1)]
    for key, rows in scored.items():
        suffix = "".join(f"/{part}" for part, shown in zip(key, several, strict=True) if shown and part)
        yield _run(replace(facts, task=f"{facts.task}{suffix}"), rows)


def _is_fraction(row: Row) -> bool:
    score = row["score"]
    return score is not None and (math.isnan(score) or 0.0 <= score <= 1.0)


def _refuse(path: Path, found: Mapping[tuple[str, str], Sequence[Row]]) -> None:
    for rows in found.values():
        row = next(row for row in rows if not _is_fraction(row))
        raise ScoreFileError(
            f"{row['file']}: line {row['line']}: the score is {row['score']}; scores lie in [0, 1]"
        )
    raise ScoreFileError(f"{path}: holds no rows; a result file needs one line a response")


def _run(facts: TaskFacts, rows: Sequence[Row]) -> ForeignRun:
    table = text_table(row | {"task": facts.task or None} for row in _without_repeats(rows))
    return ForeignRun(facts=facts, frame=checked_frame(Path(facts.source), table))


def _without_repeats(rows: Sequence[Row]) -> list[Row]:
    """Return the rows with each (sample, epoch) once: a failure gives way to the answer of its rerun.

    Two answers to one request are no rerun; they are refused.
    """
    kept: dict[tuple[Any, Any], Row] = {}
    for row in rows:
        key = (_plain(row, "sample_id"), _plain(row, "epoch"))
        earlier = kept.get(key)
        if earlier is None or earlier.get("outcome") == "error":
            kept[key] = row
        elif row.get("outcome") != "error":
            raise ScoreFileError(
                f"{row['file']}: sample {row['sample_id']!r}, epoch {row['epoch']} is there twice (lines"
                f" {earlier['line']} and {row['line']}); give each response once"
            )
    return list(kept.values())


def _plain(row: Row, name: str) -> Any:
    """Return a value that must be one text or number, whatever the file holds there."""
    value = row[name]
    if isinstance(value, list | dict):
        raise ScoreFileError(
            f"{row['file']}: line {row['line']}: {name} is {str(value)[:40]}; it must be a text or a number"
        )
    return value
