"""The fault matrix: every way in which an endpoint misbehaves, how often, streamed and plain.

For each cell a run of a made exam against a simulated endpoint that misbehaves is held against the
undisturbed run under the same seeds, and then run again against one that behaves: nothing may be lost
(asked again though it was answered), duplicated or scored otherwise than undisturbed.

    python -m benchmarks.fault_matrix [--faults http_500 stall ...] [--rates 1% 10% 100% first:1] [--out FILE]
"""

import argparse
import contextlib
import io
import itertools
import json
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import pandas as pd

from benchmarks.wire_faults import HARMLESS, REFUSED, faults_of_the_wire
from evals.commands.run import finish
from evals.endpoint import Endpoint
from evals.exit_code import CommandError
from evals.fleet.survey import survey
from evals.runner import RunRequest, RunSettings, run
from evals.simulator.config import SimulatorConfig
from evals.simulator.exams import book_of
from evals.simulator.fault_kind import FaultKind
from evals.simulator.faults import parse_faults
from evals.simulator.profile import Lengths, Profile, TaskProfile
from evals.simulator.server import Running, serve_in_thread
from evals.storage.journal_records import read_places
from evals.transport.retry import RetryPolicy
from evals.waits import Waits
from reports.run_files import read_scores
from tasks.aime25 import AIME25
from tasks.exam import Exam, load_exam
from tasks.protocol import Overrides, resolve_spec

RATES = ("1%", "10%", "100%", "first:1")
COLUMNS = ("outcome", "score", "answer", "stop_reason", "seed", "output_tokens", "reasoning_tokens", "flags")
PROFILE = Profile(
    name="matrix",
    tasks={"aime25": TaskProfile(mean=0.6, reasoning=Lengths(median=12, sigma=0.4))},
    answer=Lengths(median=8),
)
# Everything a run waits for, shortened; still longer than a busy machine holds a process up.
WAITS = Waits(connect_s=10.0, first_byte_s=6.0, idle_s=2.0, plain_s=4.0)
POLICY = RetryPolicy(outage_s=3.0, cold_s=1.0, base_wait_s=0.002, max_wait_s=0.02)


@dataclass(frozen=True, kw_only=True)
class Size:
    """How much each cell asks."""

    n_items: int = 10
    epochs: int = 3

    @property
    def n_responses(self) -> int:
        """Responses of one run."""
        return self.n_items * self.epochs


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One fault at one rate: what came of the disturbed run, and of the run after it."""

    fault: str
    rate: str
    form: str
    requests: int
    finished: int
    errors: int
    lost: int  # finished responses that the next run asked for again
    duplicated: int  # responses that stand twice in the score table
    misscored: int  # finished responses that differ from the undisturbed run, errors with a score
    exit_code: int
    complete_after: (
        bool  # the next run, against an endpoint that behaves, is whole and equal to the undisturbed
    )
    seconds: float


def made_exam(folder: Path) -> Exam:
    """Return an exam of 30 problems that nobody set."""
    rows = [
        {"id": str(k), "problem": f"What is {k} times {k + 2}?", "answer": str(k * (k + 2) % 1000)}
        for k in range(30)
    ]
    path = folder / "made.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return load_exam(AIME25, path=path, accept_changes=True)


class Matrix:
    """Runs cells over one exam, and holds them against one undisturbed run."""

    def __init__(self, folder: Path, size: Size, policy: RetryPolicy = POLICY) -> None:
        self._folder = folder
        self._policy = policy
        self._size = size
        self._exam = made_exam(folder)
        self._numbers = itertools.count()
        directory, _, code, _ = self._run("undisturbed", (), stream=True)
        self.undisturbed = score_rows(directory)
        if code != 0 or len(self.undisturbed) != size.n_responses:
            raise RuntimeError(f"undisturbed run: ended with {code}; expected {size.n_responses} responses")

    def cell(self, fault: str, rate: str, *, stream: bool) -> Cell:
        """Run one cell; ``fault`` may name several kinds, with ``+`` between them, each at the rate."""
        started = time.perf_counter()
        kinds = fault.split("+")
        label = f"{kinds[0]}-{next(self._numbers)}"
        directory, requests, code, _ = self._run(label, [f"{kind}={rate}" for kind in kinds], stream=stream)
        rows = score_rows(directory)
        finished = rows[rows["outcome"] != "error"]
        n_recorded = len(recorded_keys(directory))  # a stopped run may have answers that its log has not
        _, requests_after, _, _ = self._run(label, (), stream=stream)
        after = score_rows(directory)
        shows = frozenset[str]().union(*(HARMLESS.get(kind, frozenset()) for kind in kinds))
        columns = [name for name in COLUMNS if name not in shows]
        return Cell(
            fault=fault,
            rate=rate,
            form="stream" if stream else "plain",
            requests=requests,
            finished=len(finished),
            errors=len(rows) - len(finished),
            lost=requests_after - (self._size.n_responses - n_recorded),
            duplicated=int(rows.index.duplicated().sum() + after.index.duplicated().sum()),
            misscored=self._different(finished, columns) + scored_errors(rows),
            exit_code=code,
            complete_after=len(after) == len(self.undisturbed) and not self._different(after, columns),
            seconds=time.perf_counter() - started,
        )

    def _different(self, rows: pd.DataFrame, columns: Sequence[str]) -> int:
        if rows.empty:
            return 0
        expected = self.undisturbed.loc[rows.index, list(columns)]
        found = rows[list(columns)]
        same = (found == expected) | (found.isna() & expected.isna())
        return int((~same.all(axis=1)).sum())

    def _run(self, label: str, faults: Iterable[str], *, stream: bool) -> tuple[Path, int, int, str]:
        """Run against a new endpoint; return the directory, the requests it saw, the exit code and what was said."""
        config = SimulatorConfig(
            profile=PROFILE,
            book=book_of((AIME25, self._exam.items)),
            faults=parse_faults(faults),
            retry_after_s=0,
            slow_start_s=0.05,
        )
        said = io.StringIO()
        with (
            serve_in_thread(config) as server,
            contextlib.redirect_stdout(said),
            contextlib.redirect_stderr(said),
        ):
            end = run(self._request(server, label, stream=stream))
            try:
                code = finish(end, max_error_rate=0.0, as_json=False)
            except CommandError as error:
                code = error.code
        return end.directory, server.ledger.n_requests, int(code), said.getvalue()

    def _request(self, server: Running, label: str, *, stream: bool) -> RunRequest:
        overrides = Overrides(epochs=self._size.epochs, max_tokens=2000)
        return RunRequest(
            benchmark=AIME25,
            spec=resolve_spec(AIME25, self._exam.dataset, overrides=overrides),
            items=self._exam.items[: self._size.n_items],
            endpoint=Endpoint(base_url=server.base_url, model=server.model, label=label),
            facts=survey(server.base_url, api_key_env="OPENAI_API_KEY", headers={}),
            settings=RunSettings(
                runs_dir=self._folder / "runs",
                max_connections=8,
                stream=stream,
                waits=WAITS,
                policy=self._policy,
            ),
        )


def score_rows(directory: Path) -> pd.DataFrame:
    """Return the responses of a run by sample and epoch; ids as text, or runs of other samples are labelled otherwise."""
    frame = read_scores(directory).frame.astype({"sample_id": object})
    return frame.set_index(["sample_id", "epoch"])[list(COLUMNS)].sort_index().astype(object)


def recorded_keys(directory: Path) -> set[str]:
    """Return the keys of the answers in a run's journal."""
    with (directory / "journal.zst").open("rb", buffering=0) as file:
        return {key for key, _ in read_places(file)}


def scored_errors(rows: pd.DataFrame) -> int:
    """Return how many errors have a score: none ever may."""
    return int(rows.loc[rows["outcome"] == "error", "score"].notna().sum())


def expected_code(cell: Cell, size: Size) -> int:
    """Return the documented exit code of a cell: refused, invalid with errors, or done."""
    if set(cell.fault.split("+")) & set(REFUSED) and cell.finished < size.n_responses:
        return 5
    return 4 if cell.errors else 0


def is_good(cell: Cell, size: Size) -> bool:
    """Return whether nothing was lost, duplicated or mis-scored, and the run ended as documented."""
    is_kept = not (cell.lost or cell.duplicated or cell.misscored) and cell.complete_after
    return is_kept and cell.exit_code == expected_code(cell, size)


def as_table(cells: Sequence[Cell]) -> str:
    """Return the cells as a Markdown table."""
    names = [field.name for field in fields(Cell)]
    lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    for cell in cells:
        values = [getattr(cell, name) for name in names]
        lines.append(
            "| "
            + " | ".join(f"{value:.1f}" if isinstance(value, float) else str(value) for value in values)
            + " |"
        )
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the matrix, write the table and say whether anything was lost, duplicated or mis-scored."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--faults", nargs="+", default=faults_of_the_wire(), choices=sorted(FaultKind), metavar="KIND"
    )
    parser.add_argument("--rates", nargs="+", default=RATES, metavar="RATE")
    parser.add_argument("--items", type=int, default=Size().n_items)
    parser.add_argument("--epochs", type=int, default=Size().epochs)
    parser.add_argument("--out", type=Path, help="write the table there too")
    asked = parser.parse_args(arguments)
    cells: list[Cell] = []
    size = Size(n_items=asked.items, epochs=asked.epochs)
    with tempfile.TemporaryDirectory() as folder:
        matrix = Matrix(Path(folder), size)
        for fault, rate, stream in itertools.product(asked.faults, asked.rates, (True, False)):
            cells.append(matrix.cell(fault, rate, stream=stream))
            print(as_table(cells[-1:]).splitlines()[-1], flush=True)
    if asked.out is not None:
        asked.out.write_text(as_table(cells))
    bad = [cell for cell in cells if not is_good(cell, size)]
    print(
        f"{len(cells)} cells, {sum(cell.finished for cell in cells):,} responses finished under faults: "
        f"{sum(cell.lost for cell in cells)} lost, {sum(cell.duplicated for cell in cells)} duplicated, "
        f"{sum(cell.misscored for cell in cells)} mis-scored",
        file=sys.stderr,
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
