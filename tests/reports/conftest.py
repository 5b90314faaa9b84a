"""Build small logs in Inspect's own layout, so that reading is tested without running anything."""

import json
import zipfile
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


def summary(sample_id: str | int, epoch: int, **fields: Any) -> dict[str, Any]:
    """One sample summary; ``outcome`` and the other fields go into our scorer's metadata."""
    error = fields.pop("error", None)
    outcome = fields.pop("outcome", "correct")
    score = fields.pop("score", None if outcome == "error" else float(outcome == "correct"))
    entry: dict[str, Any] = {"id": sample_id, "epoch": epoch, "input": "q", "target": "t", "metadata": {}}
    if error is not None:
        return entry | {"scores": {}, "error": error}
    metadata = {"outcome": outcome, "score": score, "flags": [], **fields}
    value = float("nan") if score is None else score
    return entry | {"scores": {"outcome": {"value": value, "metadata": metadata, "history": []}}}


def header(**quantcheck: Any) -> dict[str, Any]:
    """A log header with our facts; ``quantcheck=None`` values are left out."""
    facts = {
        "task": "aime25",
        "label": "int4",
        "fingerprint": "f1",
        "spec": SPEC,
        "endpoint": {"model": "kimi"},
    }
    facts |= quantcheck
    created = facts.pop("created", "2026-01-01T00:00:00+00:00")
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "created": created,
            "task": facts["task"],
            "task_id": "t1",
            "model": "endpoint/kimi",
            "config": {"epochs": facts.get("epochs")},
            "dataset": {},
            "metadata": {"quantcheck": {key: value for key, value in facts.items() if value is not None}},
        },
    }


def write_log(path: Path, members: dict[str, Any], compression: int = 93) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", compression=compression) as archive:
        for name, value in members.items():
            archive.writestr(name, value if isinstance(value, str | bytes) else json.dumps(value))
    return path


def write_run(
    runs: Path,
    rows: list[dict[str, Any]],
    *,
    label: str = "int4",
    task: str = "aime25",
    key: str = "k1",
    name: str = "log.eval",
    **facts: Any,
) -> Path:
    """Write ``<runs>/<label>/<task>/<key>/`` with one log and a manifest; return the key directory."""
    directory = runs / label / task / key
    log_header = header(task=task, label=label, **facts)
    write_log(directory / name, {"summaries.json": rows, "header.json": log_header})
    manifest = {"schema": 1, "log": name} | log_header["eval"]["metadata"]["quantcheck"]
    (directory / "manifest.json").write_text(json.dumps(manifest))
    return directory


@pytest.fixture
def logs() -> Any:
    """The builders above, for tests that cannot import a conftest by name."""

    class Builders:
        pass

    builders = Builders()
    for builder in (summary, header, write_log, write_run):
        setattr(builders, builder.__name__, builder)
    builders.SPEC = SPEC  # type: ignore[attr-defined]
    return builders
