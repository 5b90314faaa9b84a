"""A made exam, endpoints that play it, and the command line in this process: Inspect is imported once."""

import contextlib
import functools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from evals.cli import run_command_line
from evals.simulator.config import SimulatorConfig
from evals.simulator.exams import book_of
from evals.simulator.faults import parse_faults
from evals.simulator.profile import Lengths, Profile, TaskProfile
from evals.simulator.server import Running, serve_in_thread
from evals.transport.retry import RetryPolicy
from reports.run_files import read_scores
from tasks.aime25 import AIME25
from tasks.exam import Exam, load_exam

QUICK = Profile(
    name="quick",
    tasks={"aime25": TaskProfile(mean=0.6, reasoning=Lengths(median=12, sigma=0.4))},
    answer=Lengths(median=8),
)
QUICK_RETRIES = {"base_wait_s": 0.002, "max_wait_s": 0.02}
COMPARED = ("outcome", "score", "answer", "stop_reason", "seed", "output_tokens", "reasoning_tokens", "flags")
ROWS = [
    {"id": str(number), "problem": f"What is {number} plus {number}, and why?", "answer": str(2 * number)}
    for number in range(1, 5)
]


@pytest.fixture(scope="session")
def aime_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thirty problems that nobody set, as JSON lines."""
    rows = [
        {"id": str(k), "problem": f"What is {k} times {k + 2}?", "answer": str(k * (k + 2) % 1000)}
        for k in range(30)
    ]
    path = tmp_path_factory.mktemp("data") / "aime.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture(scope="session")
def aime_exam(aime_file: Path) -> Exam:
    return load_exam(AIME25, path=aime_file, accept_changes=True)


@pytest.fixture
def serve(aime_exam: Exam) -> Iterator[Callable[..., Running]]:
    """Return a function that starts an endpoint: faults as texts, everything else as its config has it."""
    with contextlib.ExitStack() as running:

        def start(*faults: str, **settings: Any) -> Running:
            given = {
                "profile": QUICK,
                "book": book_of((AIME25, aime_exam.items)),
                "retry_after_s": 0,
                **settings,
            }
            return running.enter_context(
                serve_in_thread(SimulatorConfig(faults=parse_faults(faults), **given))
            )

        yield start


@pytest.fixture
def exam_path(tmp_path: Path) -> Path:
    """Four problems in the form of AIME 2025, written for these tests."""
    path = tmp_path / "exam.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


@pytest.fixture
def play(exam_path: Path) -> Iterator[Callable[..., Running]]:
    """Return a function that starts an endpoint that solves the exam after ``reasoning`` tokens of thought."""
    exam = load_exam(AIME25, path=exam_path, accept_changes=True)
    with contextlib.ExitStack() as running:

        def start(*faults: str, reasoning: int = 40, **settings: object) -> Running:
            profile = Profile(
                name="tiny",
                tasks={"aime25": TaskProfile(default=1.0, reasoning=Lengths(median=reasoning))},
                answer=Lengths(median=10),
            )
            given = {
                "profile": profile,
                "book": book_of((AIME25, exam.items)),
                "model": "m",
                **settings,
            }
            config = SimulatorConfig(faults=parse_faults(faults), **given)
            return running.enter_context(serve_in_thread(config))

        yield start


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on stdout."""
        assert self.out.count("\n") == 1, self.out
        return json.loads(self.out)

    @property
    def line(self) -> str:
        """The one line on stderr that says what was wrong; notes and warnings before it do not count."""
        lines = [line for line in self.err.splitlines() if not line.startswith(("note: ", "warning: "))]
        assert len(lines) == 1, self.err
        assert lines[0].startswith("quantcheck: ") and "Traceback" not in self.err
        return lines[0]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """Return a function that runs a command in this process."""

    def run(*arguments: object) -> Ended:
        capsys.readouterr()
        code = run_command_line([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Ended(int(code), out, err)

    return run


@pytest.fixture
def ask(cli, aime_file, tmp_path, monkeypatch) -> Callable[..., Ended]:
    """Return a function that runs aime25 against a URL: 6 items, 2 epochs, quick retries, more flags at will."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr("evals.commands.run.RetryPolicy", functools.partial(RetryPolicy, **QUICK_RETRIES))

    def run(url: str | None, *more: object, limit: int | None = 6, epochs: int = 2) -> Ended:
        base = ["--base-url", url] if url is not None else []
        size = [*(["--limit", limit] if limit else []), "--epochs", epochs]
        data = ["--dataset-path", aime_file, "--accept-dataset"]
        return cli(
            "run",
            "aime25",
            *base,
            *data,
            *size,
            "--label",
            "x",
            "--runs-dir",
            tmp_path / "runs",
            "--max-tokens",
            400,
            *more,
        )

    return run


@pytest.fixture
def scores() -> Callable[[Path], pd.DataFrame]:
    """Return a function that reads a run as a table of what an undisturbed run must give again."""

    def read(directory: Path) -> pd.DataFrame:
        frame = read_scores(directory).frame
        assert not frame.duplicated(["sample_id", "epoch"]).any()
        return frame.set_index(["sample_id", "epoch"])[list(COMPARED)].sort_index().astype(object)

    return read
