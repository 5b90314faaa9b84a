"""Write simulated runs as logs in Inspect's own layout, a hundred thousand responses in seconds.

A run of the product takes milliseconds a response; these logs hold the same members (header, a sample and a
summary for every response, journal of summaries) without running anything, so that readers can be measured.
"""

import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pandas as pd
import zipfile_zstd  # noqa: F401  (teaches zipfile the compression that Inspect uses)

from reports.run_files import TaskRun
from reports.score_table import TaskFacts

_ZSTANDARD = 93
_STARTED = 1_796_000_000.0
_CREATED = "2026-11-30T07:36:43+00:00"
_TEXT = "Let us test this case against the bound found before. " * 12


def write_run(runs: Path, run: TaskRun) -> Path:
    """Write ``<runs>/<label>/<task>/synthetic/`` with a log and a manifest; return the directory."""
    facts, frame = run.facts, run.frame
    directory = runs / facts.label / facts.task / "synthetic"
    directory.mkdir(parents=True, exist_ok=True)
    header, summaries = _header(facts, frame), []
    with zipfile.ZipFile(directory / "log.eval", "w", compression=_ZSTANDARD) as log:
        for summary in _summaries(facts, frame):
            name = f"samples/{summary['id']}_epoch_{summary['epoch']}.json"
            log.writestr(name, orjson.dumps(_sample(summary)), zipfile.ZIP_DEFLATED, 1)
            summaries.append(orjson.dumps(summary))
        log.writestr("summaries.json", b"[" + b",".join(summaries) + b"]")
        log.writestr("header.json", orjson.dumps(header))
    (directory / "manifest.json").write_bytes(orjson.dumps(_ours(facts)))
    return directory


def _ours(facts: TaskFacts) -> dict[str, Any]:
    return {
        "schema": 1,
        "task": facts.task,
        "label": facts.label,
        "fingerprint": facts.fingerprint,
        "spec": facts.spec,
        "expected": facts.expected,
        "endpoint": facts.endpoint,
        "versions": facts.versions,
        "max_error_rate": facts.max_error_rate,
    }


def _header(facts: TaskFacts, frame: pd.DataFrame) -> dict[str, Any]:
    ids = [str(sample_id) for sample_id in frame["sample_id"].cat.categories]
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "eval_id": f"{facts.label}-{facts.task}",
            "run_id": f"run-{facts.label}",
            "created": _CREATED,
            "task": facts.task,
            "task_id": f"task-{facts.label}-{facts.task}",
            "dataset": {"name": facts.task, "samples": len(ids), "sample_ids": ids},
            "model": f"endpoint/{facts.label}",
            "config": {"epochs": int(frame["epoch"].nunique())},
            "metadata": {"quantcheck": _ours(facts)},
        },
    }


def _summaries(facts: TaskFacts, frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Return each response's summary with the fields that our runs leave in theirs."""
    rng = np.random.default_rng(len(frame))
    waits = rng.exponential(0.2, len(frame)).tolist()
    speeds = rng.uniform(60, 90, len(frame)).tolist()
    columns = ("sample_id", "epoch", "outcome", "score", "answer", "stop_reason", "output_tokens", "category")
    rows = zip(*(frame[name].tolist() for name in columns), strict=True)
    for row, (sample_id, epoch, outcome, score, answer, stop, tokens, category) in enumerate(rows):
        if outcome == "error":
            yield _summary(facts, sample_id, epoch, {}) | {"error": "Timeout: the server sent nothing"}
            continue
        duration = waits[row] + tokens / speeds[row]
        scored = {
            "outcome": outcome,
            "score": score,
            "answer": answer,
            "lenient_answer": None,
            "flags": [],
            "reason": "",
            "stop_reason": stop,
            "ttft_s": waits[row],
            "duration_s": duration,
            "seed": row,
            "replica": "http://127.0.0.1:8000/v1",
            "attempts": 1,
            "finished_at": _STARTED + row / 16 + duration,
            "category": category,
            "content_hash": f"{zlib.crc32(sample_id.encode()):016x}",
            "secondary": {},
            "prompt_tokens": 104,
            "output_tokens": int(tokens),
            "reasoning_tokens": int(tokens * 0.9),
            "answer_tokens": int(tokens) - int(tokens * 0.9),
            "tokens_estimated": False,
        }
        value = {"value": score, "answer": answer, "metadata": scored, "history": []}
        yield _summary(facts, sample_id, epoch, {"outcome": value})


def _summary(facts: TaskFacts, sample_id: str, epoch: int, scores: Mapping[str, Any]) -> dict[str, Any]:
    question = {"id": f"q{sample_id}", "content": f"{sample_id}: {_TEXT[:400]}", "role": "user"}
    return {
        "id": sample_id,
        "epoch": epoch,
        "input": [question],
        "target": "504",
        "metadata": {"category": None, "grading": {}},
        "scores": scores,
        "model_usage": {f"endpoint/{facts.label}": {"input_tokens": 104, "output_tokens": 700}},
        "role_usage": {},
        "started_at": _CREATED,
        "completed_at": _CREATED,
        "total_time": 1.0,
        "working_time": 1.0,
        "uuid": f"{facts.label}-{facts.task}-{sample_id}-{epoch}",
        "retries": 0,
        "completed": True,
        "message_count": 2,
        "turn_count": 1,
    }


def _sample(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sample of a summary: what a reader of summaries leaves unread, so it is kept short."""
    kept = ("id", "epoch", "input", "target", "scores", "metadata", "uuid")
    return {name: summary[name] for name in kept} | {"messages": []}
