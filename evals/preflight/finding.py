"""What one probe found: a status, the evidence in a few words, and what to change."""

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """How a probe ended."""

    OK = "ok"
    WARN = "warn"  # a run is still worth its tokens; read the evidence first
    FAIL = "fail"  # a run would be worthless
    SKIP = "skip"  # not probed, or nothing can be said


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One line of a check. ``advice`` says what to change, empty where nothing is; ``flags`` are for programs."""

    name: str
    status: Status
    evidence: str
    advice: str = ""
    flags: tuple[str, ...] = ()


def ok(name: str, evidence: str, advice: str = "") -> Finding:
    """Return the finding that all is well."""
    return Finding(name=name, status=Status.OK, evidence=evidence, advice=advice)


def warn(name: str, evidence: str, advice: str = "", flags: tuple[str, ...] = ()) -> Finding:
    """Return the finding of something to know before a run."""
    return Finding(name=name, status=Status.WARN, evidence=evidence, advice=advice, flags=flags)


def fail(name: str, evidence: str, advice: str = "", flags: tuple[str, ...] = ()) -> Finding:
    """Return the finding of something that makes a run worthless."""
    return Finding(name=name, status=Status.FAIL, evidence=evidence, advice=advice, flags=flags)


def skip(name: str, evidence: str, advice: str = "") -> Finding:
    """Return the finding that nothing can be said."""
    return Finding(name=name, status=Status.SKIP, evidence=evidence, advice=advice)


def excerpt(text: str, length: int = 60) -> str:
    """Return the beginning of ``text`` on one line, quoted."""
    line = " ".join(text.split())
    return repr(line if len(line) <= length else line[: length - 1] + "…")
