"""The flags that say how to run, none of which changes what is measured."""

import click

from evals.commands.number import Number, Seed
from evals.flags.run_options import Command, apply
from evals.shards.dealing import Shard
from evals.transport.retry import RetryPolicy
from evals.waits import Waits
from evals.worker_engine import Engine

WAITS = Waits()
OUTAGE_S = RetryPolicy().outage_s
POSITIVE = Number(min=0.0, min_open=True)

outage_option = click.option(
    "--outage",
    type=POSITIVE,
    default=OUTAGE_S,
    show_default=True,
    metavar="SECONDS",
    help="How long an endpoint that answers nobody is tried again before it is given up.",
)


def read_shard(_context: click.Context, _parameter: click.Parameter, text: str | None) -> Shard | None:
    """Read ``K/N``: the K-th of N shards."""
    if text is None:
        return None
    number, slash, n_shards = text.partition("/")
    if not (slash and number.isdecimal() and n_shards.isdecimal() and 1 <= int(number) <= int(n_shards)):
        raise click.BadParameter(
            f"{text!r} is no K/N with 1 <= K <= N; give 2/8 for the second of eight parts"
        )
    return Shard(number=int(number), n_shards=int(n_shards))


def running_options(command: Command) -> Command:
    """Add the flags that say how to run, none of which changes what is measured."""
    return apply(
        command,
        [
            click.option(
                "--runs-dir",
                type=click.Path(file_okay=False),
                default="runs",
                show_default=True,
                help="Where runs are kept: a directory, or a URL of object storage (s3://bucket/prefix).",
            ),
            click.option(
                "--spool-dir",
                type=click.Path(file_okay=False),
                metavar="DIR",
                help="Where runs are made before they are put in object storage; else in the cache directory.",
            ),
            click.option(
                "--seed",
                type=Seed(),
                show_default="0; k2_tool_calls sends no seed unless one is given",
                help="Run seed; every response's seed is derived from it.",
            ),
            click.option(
                "--max-connections",
                type=click.IntRange(1, 4096),
                show_default="64; k2_tool_calls: 256",
                help="Requests in flight.",
            ),
            click.option(
                "--stream/--no-stream",
                default=None,
                help="Read replies as streams (default) or whole; k2_tool_calls: as each request says.",
            ),
            click.option(
                "--workers",
                type=click.IntRange(min=1),
                default=1,
                show_default=True,
                metavar="N",
                help="Processes that ask, for more streams than one can read; --max-connections is for all.",
            ),
            click.option(
                "--engine",
                type=click.Choice([str(engine) for engine in Engine]),
                default=str(Engine.LOCAL),
                show_default=True,
                help="Where workers live: processes here, or the Ray cluster of $RAY_ADDRESS.",
            ),
            click.option(
                "--shard",
                callback=read_shard,
                metavar="K/N",
                help="Ask only the K-th of N parts; afterwards run without it, on the same --runs-dir.",
            ),
            click.option(
                "--max-error-rate",
                type=Number(0, 1),
                default=0.0,
                show_default=True,
                help="Share of errors above which the run is invalid.",
            ),
            click.option(
                "--on-truncation",
                type=click.Choice(["count", "escalate"]),
                default="count",
                show_default=True,
                help="Truncated samples: count as served, or also ask again with doubled budgets up to the"
                " endpoint's context and report both.",
            ),
            outage_option,
            click.option(
                "--idle-timeout",
                type=POSITIVE,
                default=WAITS.idle_s,
                show_default=True,
                metavar="SECONDS",
                help="Longest silence within a stream.",
            ),
            click.option(
                "--first-token-timeout",
                type=POSITIVE,
                default=WAITS.first_byte_s,
                show_default=True,
                metavar="SECONDS",
                help="Longest wait for a stream to start.",
            ),
            click.option(
                "--reply-timeout",
                type=POSITIVE,
                default=WAITS.plain_s,
                show_default=True,
                metavar="SECONDS",
                help="Longest wait for a reply without streaming.",
            ),
        ],
    )
