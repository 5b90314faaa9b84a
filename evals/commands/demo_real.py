"""``quantcheck demo-real``: real weights on this machine, quantized here, served by llama.cpp, compared."""

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from evals.exit_code import CommandError, ExitCode
from evals.flags.demo_real import MOST_PARALLEL
from evals.local_weights.settings import DemoSettings
from evals.local_weights.variants import DEFAULT_VARIANTS
from reports.verdict import check_margin

NEEDED = ("xllamacpp", "gguf")  # the extra `local`


def quantize_and_compare(
    gguf: Path | None, variants: tuple[str, ...], margin: float, parallel: int | None, **options: Any
) -> None:
    """Do what ``quantcheck demo-real`` is asked; its flags are in :mod:`evals.flags.demo_real`."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise CommandError(
            f"demo-real: {' and '.join(missing)} not installed; make demo-real installs what is needed,"
            " or add the extra: quantcheck[local]",
            ExitCode.USAGE,
        )
    try:
        check_margin(margin)
    except ValueError as error:
        raise click.UsageError(f"--{error}") from None
    settings = DemoSettings(
        variants=variants or DEFAULT_VARIANTS,
        margin=margin,
        parallel=parallel or min(_cores(), MOST_PARALLEL),
        **options,
    )
    # here and not above: only with the extra is there something to import
    from evals.local_weights.real_demo import show_demo  # noqa: PLC0415

    show_demo(gguf, settings)


def _cores() -> int:
    """Return how many cores this process may use, where the system tells; else how many there are."""
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else ()
    return len(allowed) or os.cpu_count() or 1
