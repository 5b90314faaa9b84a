"""How a process died, in words: a code says little to a person, least of all that memory ran out."""

import signal

from evals.memory import is_memory_error, out_of_memory, perhaps_out_of_memory

MOST_WORDS = 300


def death_of(exit_code: int, last_words: str, memory_bytes: int | None) -> str:
    """Return how a process ended that should have gone on; a negative ``exit_code`` is the signal that killed it.

    ``last_words`` is the last line it wrote, ``memory_bytes`` what it used when it last said so.
    """
    if exit_code < 0:
        number = signal.Signals(-exit_code)
        is_kill = number is signal.SIGKILL
        return f"was killed by {number.name}{perhaps_out_of_memory(memory_bytes) if is_kill else ''}"
    if is_memory_error(last_words):
        return f"died: {out_of_memory(memory_bytes, 'it')}"
    if exit_code == 0:
        return "was told to stop by somebody else (SIGTERM)"
    said = f" ({last_words[:MOST_WORDS]})" if last_words else ""
    return f"ended with exit code {exit_code}{said}"
