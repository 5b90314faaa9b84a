"""The memory of a process, and what to tell a person where there is too little of it."""

import os
from pathlib import Path

_STATM = Path("/proc/self/statm")
WAY_OUT = "use fewer --workers or --max-connections, or more memory"


def memory_bytes() -> int | None:
    """Return the memory that this process uses now, ``None`` where the system does not tell."""
    try:
        n_pages = int(_STATM.read_text().split()[1])
    except OSError:
        return None
    return n_pages * os.sysconf("SC_PAGE_SIZE")


def is_memory_error(words: str) -> bool:
    """Return whether an exception, as its type or a traceback's last line names it, is one of memory."""
    return words.startswith("MemoryError")


def out_of_memory(n_bytes: int | None = None, who: str = "this process") -> str:
    """Return that memory ran out and the way out; ``n_bytes`` is what was in use, if known."""
    return f"{who} ran out of memory{_at(n_bytes)}; {WAY_OUT}"


def perhaps_out_of_memory(n_bytes: int | None) -> str:
    """Return what to add about a process that was killed from outside: who does that, and the way out."""
    return f"{_at(n_bytes)}, most likely by the kernel's out-of-memory killer; {WAY_OUT}"


def _at(n_bytes: int | None) -> str:
    return "" if n_bytes is None else f" (it used {n_bytes / 1e9:.1f} GB)"
