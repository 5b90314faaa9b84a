"""Where a run lies on disk: one directory per checkpoint, task and protocol, with its manifest."""

import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import orjson

from evals.storage.journal import JournalError
from reports.eval_log import read_eval_log
from reports.log_members import LogError
from reports.manifest import read_manifest as manifest_at
from tasks.spec import TaskSpec, digest

SCHEMA = 1
VERSIONED = ("quantcheck", "inspect-ai", "openai", "aiohttp", "datasets", "numpy", "scipy", "pandas")


def run_directory(runs_dir: Path, spec: TaskSpec, *, label: str, model: str, run_seed: int) -> Path:
    """Return the directory of a run: equal exactly for runs that may share answers.

    Epochs and limits are not part of it: growing either resumes the same run.
    """
    identity = digest({"fingerprint": spec.fingerprint, "model": model, "run_seed": run_seed})
    return runs_dir / label / spec.task / f"{spec.fingerprint[:8]}-{identity[:4]}"


def safe_label(text: str) -> str:
    """Return ``text`` as one path component: a model string such as ``moonshotai/Kimi-K2.6`` has slashes."""
    kept = "".join(char if char.isalnum() or char in "._-+" else "-" for char in text).strip("-.")
    return kept or "checkpoint"


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write a JSON document whole or not at all; raise :class:`JournalError` where the disk refuses."""
    partial = path.with_suffix(f".{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise JournalError(
            f"run directory {str(path.parent)!r}: cannot be written ({error.strerror})"
        ) from error


def read_notes(path: Path) -> dict[str, Any]:
    """Return a JSON object that we keep to save work, empty where it is not there or cannot be read."""
    try:
        value = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return {}
    return value if isinstance(value, dict) else {}


def read_manifest(directory: Path) -> dict[str, Any]:
    """Return the manifest of an earlier run here, empty where there is none; raises :class:`JournalError`."""
    try:
        return manifest_at(directory / "manifest.json")
    except LogError as error:
        raise JournalError(f"manifest {error}; or give the run another --label") from None


def software_facts() -> dict[str, Any]:
    """Return what ran: package versions, Python, and the revision of the checkout where it is one."""
    return {
        "versions": {name: version(name) for name in VERSIONED} | {"python": platform.python_version()},
        "git_revision": git_revision(Path(__file__).resolve().parent),
    }


def git_revision(folder: Path) -> str | None:
    """Return the commit of the checkout that holds ``folder``, ``-dirty`` where it has changes."""
    try:
        described = subprocess.run(
            ["git", "describe", "--always", "--abbrev=40", "--dirty"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=10,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return described.stdout.strip() or None if described.returncode == 0 else None


def now_text() -> str:
    """Return the time as ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def with_reach(manifest: Mapping[str, Any], earlier: Mapping[str, Any]) -> dict[str, Any]:
    """Return the manifest with how far the directory reaches: a smaller run takes nothing from a larger one."""
    names = ("n_items", "epochs", "expected")
    return {**manifest, **{name: max(manifest[name], earlier.get(name) or 0) for name in names}}


def newest_log(directory: Path, older: Sequence[Path]) -> Path | None:
    """Return the log that is in ``directory`` and not among ``older``, ``None`` where there is none."""
    new = sorted(set(directory.glob("*.eval")) - set(older), key=lambda path: path.stat().st_mtime)
    return new[-1] if new else None


def remove_superseded(older: Sequence[Path], manifest: Mapping[str, Any]) -> None:
    """Delete logs of earlier tries that a whole run covers: its log holds every response of theirs.

    A log of a larger run stays, and so does one that cannot be read: it may not be ours.
    """
    for path in older:
        try:
            facts = read_eval_log(path).facts
        except LogError:
            continue
        is_covered = (facts.n_items or 0) <= manifest["n_items"] and (facts.epochs or 0) <= manifest["epochs"]
        if is_covered and facts.fingerprint == manifest["fingerprint"]:
            path.unlink(missing_ok=True)
