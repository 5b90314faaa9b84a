"""The official run that others are held against: who called a tool in it, request by request."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reports.foreign_rows import has_succeeded, n_recorded_calls
from reports.json_text import parse_json
from reports.score_columns import ScoreFileError
from reports.score_loading import MAX_FILE_BYTES

# The official files by the sha256 of their bytes.
OFFICIAL = {
    "ce02f035b606702a7b832a3095842161c0f729fb32121aafc7b32f05f5d17f0e": "kimi-k2-thinking",
    "96c0c115ca3523eb869014e8260509e327f1e3c0270306c19ed16eadd1bb9b42": "kimi-k2-0905-preview",
}


@dataclass(frozen=True, kw_only=True)
class PassLine:
    """A published criterion: the least trigger F1 against the official run, which itself is noisy."""

    name: str
    value: float
    source: str


PASS_LINES: Mapping[str, PassLine] = {
    "k2-thinking": PassLine(
        name="k2-thinking",
        value=0.73,
        source="K2-Vendor-Verifier; the official API against itself reaches 75.8 to 76 %",
    ),
    "k2-0905": PassLine(
        name="k2-0905",
        value=0.80,
        source="K2-Vendor-Verifier; the official API against itself reaches 82.7 to 84 %",
    ),
}


@dataclass(frozen=True, kw_only=True)
class Reference:
    """One official run. ``triggered`` says by ``data_index`` (as text) whether it called a tool.

    What cannot be joined is counted: lines that hold no result (``n_broken``), requests that failed there
    alone, repeated rows that agree (``n_duplicated``, counted once), and indexes whose rows contradict each
    other (left out). ``official`` names the model whose official file this is to the byte.
    """

    name: str
    model: str | None
    triggered: Mapping[str, bool]
    failed: tuple[str, ...] = ()
    contradicting: tuple[str, ...] = ()
    n_duplicated: int = 0
    n_broken: int = 0
    n_finish_disagrees: int = 0
    official: str | None = None

    @property
    def pass_line(self) -> PassLine | None:
        """The published line for this model, ``None`` where none was published."""
        model = (self.official or self.model or self.name).lower()
        if "thinking" in model:
            return PASS_LINES["k2-thinking"]
        return PASS_LINES["k2-0905"] if "0905" in model else None

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know of the file, one sentence each."""
        counts = (
            (self.n_broken, "lines hold no result and are left out"),
            (len(self.failed), "requests failed in it and are left out"),
            (self.n_duplicated, "rows repeat an index and agree; each index counts once"),
            (len(self.contradicting), "indexes have rows that contradict each other and are left out"),
            (
                self.n_finish_disagrees,
                "rows have a finish reason that does not agree with their calls; the calls count",
            ),
        )
        notes = tuple(f"reference {self.name}: {n} {words}" for n, words in counts if n)
        if self.official is None:
            return (*notes, f"reference {self.name}: not one of the official files by its sha256")
        return notes


@dataclass(kw_only=True)
class _Collected:
    answers: dict[str, list[bool]] = field(default_factory=dict)
    failed: dict[str, None] = field(default_factory=dict)
    models: dict[str, None] = field(default_factory=dict)
    n_broken: int = 0
    n_finish_disagrees: int = 0

    def add(self, line: bytes) -> None:
        try:
            row = parse_json(line)
        except ValueError:
            row = None
        index = row.get("data_index") if isinstance(row, Mapping) else None
        if isinstance(index, bool) or not isinstance(index, int | str) or not isinstance(row, Mapping):
            self.n_broken += 1
            return
        request = row.get("request")
        model = request.get("model") if isinstance(request, Mapping) else None
        if isinstance(model, str):
            self.models[model] = None
        if has_succeeded(row):
            self._add_answer(str(index), row)
        else:
            self.failed[str(index)] = None

    def _add_answer(self, index: str, row: Mapping[str, Any]) -> None:
        promised = row["finish_reason"] == "tool_calls"
        n_calls = n_recorded_calls(row)
        triggered = promised if n_calls is None else n_calls > 0
        self.n_finish_disagrees += row["finish_reason"] != "length" and triggered != promised
        self.answers.setdefault(index, []).append(triggered)


def read_reference(path: Path) -> Reference:
    """Return the official run in a results file of Moonshot's verifier, one line a request.

    Raises :class:`reports.score_columns.ScoreFileError` for a file that cannot be read or holds no result.
    """
    found, digest = _Collected(), hashlib.sha256()
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise ScoreFileError(f"{path}: is larger than {MAX_FILE_BYTES:,} bytes; no more is read")
        with path.open("rb") as lines:
            for line in lines:
                digest.update(line)
                if line.strip():
                    found.add(line)
    except OSError as error:
        raise ScoreFileError(f"{path}: cannot be read ({error.strerror or error}); check the path") from None
    if not found.answers:
        raise ScoreFileError(
            f"{path}: holds no result with data_index, status success and finish_reason"
            f" ({found.n_broken} lines hold none, {len(found.failed)} requests failed);"
            " give a results file of K2-Vendor-Verifier"
        )
    agreed = {index: answers[0] for index, answers in found.answers.items() if len(set(answers)) == 1}
    return Reference(
        name=path.name,
        model=next(iter(found.models)) if len(found.models) == 1 else None,
        triggered=agreed,
        failed=tuple(index for index in found.failed if index not in found.answers),
        contradicting=tuple(index for index in found.answers if index not in agreed),
        n_duplicated=sum(len(answers) - 1 for index, answers in found.answers.items() if index in agreed),
        n_broken=found.n_broken,
        n_finish_disagrees=found.n_finish_disagrees,
        official=OFFICIAL.get(digest.hexdigest()),
    )
