"""Runs with declared looks for tests."""

from dataclasses import replace
from typing import Any

import numpy as np

from reports.declaration import BaselineIdentity, Declaration
from reports.run_files import TaskRun
from reports.score_table import TaskFacts, build_frame
from reports.sequential import plan_looks


def task_run(scores: np.ndarray, label: str = "int4", **facts: Any) -> TaskRun:
    """Return a run from an items x epochs array of scores (NaN: failed)."""
    n_items, n_epochs = scores.shape
    values = scores.astype(float).ravel()
    columns = {
        "task": ["aime25"] * values.size,
        "sample_id": np.repeat([f"a{i}" for i in range(n_items)], n_epochs).tolist(),
        "epoch": np.tile(np.arange(1, n_epochs + 1), n_items),
        "score": values,
        "outcome": ["error" if np.isnan(v) else "correct" if v else "incorrect" for v in values],
    }
    known = {"task": "aime25", "label": label, "source": f"runs/{label}", "expected": values.size} | facts
    return TaskRun(facts=TaskFacts(**known), frame=build_frame(columns, values.size))


def declaration(
    looks: tuple[int, ...] = (4, 8, 16), *, margin: float = 0.05, futility: bool = False, **plan: Any
) -> Declaration:
    """Return a declaration against a baseline of 16 epochs."""
    return Declaration(
        plan=plan_looks(looks, futility=futility, **({"baseline_epochs": 16} | plan)),
        margin=margin,
        baseline=BaselineIdentity(label="int4", fingerprint="f1", epochs=16, n_items=30, scores="abc123"),
        declared="2026-01-02T03:04:05+00:00",
    )


def declared(run: TaskRun, what: Declaration, **more: Any) -> TaskRun:
    """Return the run as one that declared its looks."""
    return replace(run, facts=replace(run.facts, sequential=what.as_dict() | more))


def drawn(chance: float, n_epochs: int, n_items: int = 30, seed: int = 0) -> np.ndarray:
    """Return responses that are right with one chance."""
    return (np.random.default_rng(seed).random((n_items, n_epochs)) < chance).astype(float)
