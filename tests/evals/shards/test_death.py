"""How the death of a worker reads: the signal, what most likely sent it, and the way out."""

import pytest

from evals.shards.death import death_of

WAY_OUT = "use fewer --workers or --max-connections, or more memory"


@pytest.mark.parametrize(
    ("code", "last_words", "n_bytes", "words"),
    [
        pytest.param(
            -9,
            "warning: something",
            5_240_000_000,
            "was killed by SIGKILL (it used 5.2 GB), most likely by the kernel's out-of-memory killer;"
            f" {WAY_OUT}",
            id="SIGKILL",
        ),
        pytest.param(
            -9,
            "",
            None,
            f"was killed by SIGKILL, most likely by the kernel's out-of-memory killer; {WAY_OUT}",
            id="SIGKILL, memory unknown",
        ),
        pytest.param(-11, "", 10**9, "was killed by SIGSEGV", id="another signal"),
        pytest.param(
            1,
            "MemoryError",
            10**9,
            f"died: it ran out of memory (it used 1.0 GB); {WAY_OUT}",
            id="MemoryError",
        ),
        pytest.param(
            1, "ValueError: no", None, "ended with exit code 1 (ValueError: no)", id="another exception"
        ),
        pytest.param(0, "", None, "was told to stop by somebody else (SIGTERM)", id="SIGTERM"),
        pytest.param(3, "", None, "ended with exit code 3", id="no words"),
    ],
)
def test_a_death_in_words(code, last_words, n_bytes, words):
    assert death_of(code, last_words, n_bytes) == words
