"""Build small logs in Inspect's own layout, so that reading is tested without running anything."""

import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zipfile_zstd  # noqa: F401  (teaches zipfile the compression that Inspect uses)

SPEC: dict[str, Any] = {
    "dataset": {"name": "aime25", "source": "hub", "revision": "r1", "content_hash": "d1", "n_items": 30},
    "variant": "sglang",
    "prompt_hash": "p1",
    "scorer": "aime25/1",
    "sampling": {"temperature": 1.0, "top_p": 0.95},
    "max_tokens": 131072,
    "thinking": True,
}


class LogBuilder:
    """Write summaries, headers, logs and run directories as Inspect and our runner lay them out."""

    spec = SPEC

    def summary(self, sample_id: str | int, epoch: int, **fields: Any) -> dict[str, Any]:
        """One sample summary; ``outcome`` and what else is given go into our scorer's metadata."""
        entry: dict[str, Any] = {"id": sample_id, "epoch": epoch, "input": "q", "target": "t", "metadata": {}}
        error = fields.pop("error", None)
        if error is not None:
            return entry | {"scores": {}, "error": error}
        outcome = fields.pop("outcome", "correct")
        score = fields.pop("score", None if outcome == "error" else float(outcome == "correct"))
        metadata = {"outcome": outcome, "score": score, "flags": [], **fields}
        value = float("nan") if score is None else score
        return entry | {"scores": {"outcome": {"value": value, "metadata": metadata, "history": []}}}

    def foreign(self, sample_id: str | int, epoch: int, value: Any, **fields: Any) -> dict[str, Any]:
        """One sample as somebody else's scorer leaves it."""
        scores = {"choice": {"value": value, "answer": "A"}}
        return {"id": sample_id, "epoch": epoch, "metadata": {}, "scores": scores, **fields}

    def header(self, **facts: Any) -> dict[str, Any]:
        """A log header with our facts."""
        created = facts.pop("created", "2026-01-01T00:00:00+00:00")
        ours = {"task": "aime25", "label": "int4", "fingerprint": "f1", "spec": SPEC} | facts
        spec = {"created": created, "task": ours["task"], "task_id": "t1", "model": "endpoint/kimi"}
        spec |= {"config": {"epochs": ours.get("epochs")}, "dataset": {}, "metadata": {"quantcheck": ours}}
        return {"version": 2, "status": "success", "eval": spec}

    def foreign_header(self, **spec: Any) -> dict[str, Any]:
        """A log header without our facts."""
        defaults = {"created": "2026-01-01T00:00:00+00:00", "task": "inspect_evals/gpqa", "task_id": "t9"}
        defaults |= {"model": "vllm/kimi", "config": {"epochs": 1}, "dataset": {"name": "gpqa", "samples": 2}}
        return {"version": 2, "status": "success", "eval": defaults | spec}

    def log(self, path: Path, members: dict[str, Any], compression: int = 93) -> Path:
        """Write a log with these members (values as JSON)."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(path, "w", compression=compression) as archive:
            for name, value in members.items():
                archive.writestr(name, value if isinstance(value, str | bytes) else json.dumps(value))
        return path

    def run(self, runs: Path, rows: list[dict[str, Any]], *, key: str = "k1", **facts: Any) -> Path:
        """Write ``<runs>/<label>/<task>/<key>/`` with one log and a manifest; return the key directory."""
        name = facts.pop("name", "log.eval")
        header = self.header(**facts)
        ours = header["eval"]["metadata"]["quantcheck"]
        directory = runs / ours["label"] / ours["task"] / key
        self.log(directory / name, {"summaries.json": rows, "header.json": header})
        (directory / "manifest.json").write_text(json.dumps({"schema": 1, "log": name} | ours))
        return directory

    def grid(self, n_items: int, n_epochs: int, wrong: dict[tuple[int, int], str] | None = None) -> list[Any]:
        """Summaries of a whole grid; ``wrong`` gives the outcomes that are not correct by (item, epoch)."""
        return [
            self.summary(f"a{item}", epoch, outcome=(wrong or {}).get((item, epoch), "correct"))
            for epoch in range(1, n_epochs + 1)
            for item in range(n_items)
        ]


@pytest.fixture(scope="session")
def logs() -> LogBuilder:
    return LogBuilder()


@pytest.fixture
def golden() -> Callable[[str, str], None]:
    """Compare a rendered text with ``tests/golden/<name>``; ``REWRITE_GOLDENS=1`` writes the file instead."""

    def check(name: str, text: str) -> None:
        path = Path(__file__).parents[1] / "golden" / name
        if os.environ.get("REWRITE_GOLDENS"):
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return check
