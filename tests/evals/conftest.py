"""A small exam of our own on disk, and a simulated endpoint that knows its answers."""

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evals.simulator.config import SimulatorConfig
from evals.simulator.exams import book_of
from evals.simulator.faults import parse_faults
from evals.simulator.profile import Lengths, Profile, TaskProfile
from evals.simulator.server import Running, serve_in_thread
from tasks.aime25 import AIME25
from tasks.exam import load_exam

ROWS = [
    {"id": str(number), "problem": f"What is {number} plus {number}, and why?", "answer": str(2 * number)}
    for number in range(1, 5)
]


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
