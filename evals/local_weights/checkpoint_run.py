"""Make one checkpoint, serve it, and run the smoke task on it: in this process or in one of its own."""

import json
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.commands.one_run import failed, run_one
from evals.exit_code import CommandError
from evals.flags.run import command as run_command
from evals.local_weights.settings import DemoSettings
from evals.local_weights.variants import VARIANTS, Variant
from evals.run_state import RunState
from evals.runner import Watch

TASK = "smoke"
# One request's prompt does not help the next, so that a seed gives its text again; llama.cpp's own sampling off.
EXTRA_BODY = {"cache_prompt": False, "top_k": 0, "min_p": 0}


@dataclass(frozen=True, kw_only=True)
class Workshop:
    """What makes and serves a checkpoint: ``write(source, target, variant)``, ``serve(weights, model, log)``."""

    write: Callable[[Path, Path, Variant], int]
    serve: Callable[[Path, str, Path], AbstractContextManager[str]]


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """One checkpoint to run; ``weights`` is its file, which a variant of ``source`` is first written to."""

    name: str
    source: Path
    weights: Path


def run_checkpoint(
    assignment: Assignment, settings: DemoSettings, workshop: Workshop, watch: Watch
) -> RunState:
    """Return how the run of a checkpoint stands: one that cannot be made, served or run has failed."""
    name = assignment.name
    try:
        if assignment.weights != assignment.source:
            _write(assignment, workshop)
        log = settings.runs_dir / f"{name}.server.log"
        with workshop.serve(assignment.weights, name, log) as base_url:
            return run_one(_asked(name, base_url, settings), watch)
    except CommandError as error:
        return failed(str(error), error.code)


def _write(assignment: Assignment, workshop: Workshop) -> None:
    variant = VARIANTS[assignment.name]
    started = time.monotonic()
    n_matrices = workshop.write(assignment.source, assignment.weights, variant)
    took = time.monotonic() - started
    print(f"{variant.name}: {variant.what}; {n_matrices} matrices in {took:.0f} s", file=sys.stderr)


def _asked(name: str, base_url: str, settings: DemoSettings) -> Mapping[str, Any]:
    """Return what a user would type after ``quantcheck run``, as its parameters."""
    flags: dict[str, object] = {
        "--base-url": base_url,
        "--label": name,
        "--runs-dir": settings.runs_dir,
        "--epochs": VARIANTS[name].epochs(settings.epochs) if name in VARIANTS else settings.epochs,
        "--limit": settings.limit,
        "--max-tokens": settings.max_tokens,
        "--temperature": settings.temperature,
        "--max-connections": 4,
        "--think-mode": "opensource",
        "--extra-body": json.dumps(EXTRA_BODY),
    }
    given = [text for flag, value in flags.items() if value is not None for text in (flag, str(value))]
    return run_command.make_context("quantcheck run", [TASK, "--no-thinking", *given]).params
