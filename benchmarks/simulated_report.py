"""A comparison of five simulated tasks, built in code: for report.html's tests, measurements and pictures."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from reports.comparison import ComparisonSettings, compare_sides
from reports.report import Report
from reports.run_files import TaskRun
from reports.score_table import TaskFacts, build_frame

Rng = np.random.Generator
Strings = npt.NDArray[np.object_]


@dataclass(frozen=True, kw_only=True)
class Shape:
    """One task: ``easy`` is the share of items that are nearly always right, ``loss`` the candidate's in logits.

    ``cut`` is the share of responses that reach the budget on the candidate; half as many on the baseline.
    """

    task: str
    n_items: int
    epochs: int
    easy: float
    loss: float
    tokens: float
    budget: int
    cut: float
    answers: tuple[str, ...]
    categories: tuple[str, ...] = ()
    failed: int = 0


SHAPES = (
    Shape(
        task="aime25", n_items=30, epochs=32, easy=0.9, loss=0.25, tokens=24_000, budget=131_072, cut=0.004,
        answers=("70", "588", "16", "117", "279", "504", "821", "77"),
    ),
    Shape(
        task="gpqa_diamond", n_items=198, epochs=8, easy=0.85, loss=0.0, tokens=14_000, budget=131_072,
        cut=0.001, answers=("A", "B", "C", "D"), categories=("Biology", "Chemistry", "Physics"),
    ),
    Shape(
        task="ocrbench", n_items=1000, epochs=1, easy=0.9, loss=0.05, tokens=900, budget=16_384, cut=0.001,
        answers=("WALKER", "open 9 to 5", "$ 12.40", "ΔE = 3.2", "7 cups"),
        categories=("Regular Text", "Handwriting", "Scene VQA", "Doc VQA", "Key Information", "Formula"),
    ),
    Shape(
        task="mmmu_pro", n_items=1730, epochs=1, easy=0.72, loss=1.1, tokens=6_000, budget=65_536, cut=0.03,
        answers=tuple("ABCDEFGHIJ"), categories=("Art", "Accounting", "Chemistry", "History", "Music"),
    ),
    Shape(
        task="k2_tool_calls", n_items=2000, epochs=1, easy=0.995, loss=0.0, tokens=700, budget=32_768,
        cut=0.0, answers=("get_weather", "search, open_page", "none"), failed=6,
    ),
)  # fmt: skip


def simulated_report(*, seed: int = 0, scale: float = 1.0, shapes: tuple[Shape, ...] = SHAPES) -> Report:
    """Return the comparison; ``scale`` multiplies the number of items."""
    rng = np.random.default_rng(seed)
    sides: dict[str, dict[str, list[TaskRun]]] = {"int4": {}, "nvfp4": {}}
    for shape in shapes:
        shape = replace(shape, n_items=max(1, round(shape.n_items * scale)))
        for label, run in zip(sides, simulated_runs(shape, rng), strict=True):
            sides[label][shape.task] = [run]
    return compare_sides(sides["int4"], sides["nvfp4"], ComparisonSettings())


def simulated_runs(shape: Shape, rng: Rng) -> tuple[TaskRun, TaskRun]:
    """Return the runs of one task: ``int4`` and ``nvfp4``."""
    easy = rng.random(shape.n_items) < shape.easy
    logits = np.where(easy, rng.normal(4.2, 1.2, shape.n_items), rng.normal(-0.5, 1.5, shape.n_items))
    length = np.exp(rng.normal(np.log(shape.tokens), 0.6, shape.n_items)) * np.where(easy, 1, 2)
    pair = []
    for label, loss, cut in (("int4", 0.0, shape.cut / 2), ("nvfp4", shape.loss, shape.cut)):
        chances = 1 / (1 + np.exp(-(logits - loss)))
        frame = _frame(shape, chances, length * (1.06 if loss else 1.0), cut, rng)
        pair.append(TaskRun(facts=_facts(shape, label), frame=frame))
    return pair[0], pair[1]


def _frame(shape: Shape, chances: Any, length: Any, cut: float, rng: Rng) -> pd.DataFrame:
    n = shape.n_items * shape.epochs
    items = np.tile(np.arange(shape.n_items), shape.epochs)
    tokens = np.minimum(np.exp(rng.normal(np.log(length[items]), 0.3)), shape.budget).round()
    truncated = (rng.random(n) < cut) | (tokens >= shape.budget)
    tokens[truncated] = shape.budget
    right = (rng.random(n) < chances[items]) & ~truncated
    silent = ~right & ~truncated & (rng.random(n) < 0.05)
    outcome = np.select(
        [truncated, right, silent], ["truncated", "correct", "no_answer"], "incorrect"
    ).astype(object)
    score = right.astype(float)
    failed = rng.choice(n, shape.failed, replace=False)
    outcome[failed], score[failed], tokens[failed] = "error", np.nan, np.nan
    choices: Strings = np.array(shape.answers, dtype=object)
    wrong = (items + rng.integers(1, len(choices), n)) % len(choices)
    answer = np.where(right, choices[items % len(choices)], choices[wrong])
    answer[(outcome == "truncated") | (outcome == "no_answer") | (outcome == "error")] = None
    columns = {
        "task": [shape.task] * n,
        "sample_id": _names(shape)[items],
        "epoch": np.repeat(np.arange(1, shape.epochs + 1), shape.n_items),
        "outcome": outcome,
        "score": score,
        "answer": answer,
        "stop_reason": np.where(truncated, "max_tokens", "stop"),
        "output_tokens": tokens,
        "reasoning_tokens": np.floor(tokens * 0.93),
        "category": _categories(shape)[items],
    }
    return build_frame(columns, n)


def _names(shape: Shape) -> Strings:
    return np.array([f"{shape.task}-{item:04d}" for item in range(shape.n_items)], dtype=object)


def _categories(shape: Shape) -> Strings:
    names = shape.categories or (None,)
    return np.array([names[item % len(names)] for item in range(shape.n_items)], dtype=object)


def _facts(shape: Shape, label: str) -> TaskFacts:
    comparable = {
        "task": shape.task,
        "dataset": "a91cb81b56dff0c2",
        "prompt": "89f5aa10526cd16c",
        "temperature": 1.0,
        "top_p": 0.95,
        "max_tokens": shape.budget,
        "think_mode": "kimi",
    }
    spec = {
        "dataset": {"name": shape.task, "revision": "b672f9c6660b", "n_items": shape.n_items},
        "scorer": f"{shape.task}/1",
        "sampling": {"temperature": 1.0, "top_p": 0.95},
        "max_tokens": shape.budget,
        "epochs": shape.epochs,
        "comparable": comparable,
    }
    endpoint = {
        "base_url": f"http://127.0.0.1:{8000 + (label != 'int4')}/v1",
        "model": f"kimi-k2.6-{label}",
        "engine": "sglang",
        "version": "0.6.1" if label == "int4" else "0.6.2",
        "quantization": "compressed-tensors" if label == "int4" else "modelopt_fp4",
        "kv_cache_dtype": "bfloat16" if label == "int4" else "fp8_e4m3",
        "context_tokens": 262_144,
    }
    return TaskFacts(
        task=shape.task,
        label=label,
        source=f"runs/{label}/{shape.task}/2851c464-f610",
        fingerprint="2851c4641db741af",
        spec=spec,
        endpoint=endpoint,
        versions={"quantcheck": "0.1.0", "inspect-ai": "0.3.285", "python": "3.11.7"},
        git_revision="3de0dae",
        started="2026-11-28T07:36:43+00:00" if label == "int4" else "2026-11-30T07:36:43+00:00",
        finished="2026-11-28T19:02:51+00:00" if label == "int4" else "2026-11-30T18:40:02+00:00",
        expected=shape.n_items * shape.epochs,
        max_error_rate=0.01,
        status="success",
    )
