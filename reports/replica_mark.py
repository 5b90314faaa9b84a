"""How the words of an error name the replica that gave it: written by the run, read from its log."""

import re

_MARK = re.compile(r" \[at (\S+)\]")


def at_replica(base_url: str) -> str:
    """Return what stands behind an error's words where one of several replicas gave it."""
    return f" [at {base_url}]"


def replica_of_error(words: str) -> str | None:
    """Return the replica that an error names, ``None`` for an error of no replica or of the only one."""
    found = _MARK.findall(words)
    return found[-1] if found else None
