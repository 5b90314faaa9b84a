"""The flags of ``quantcheck simulate``; what it does is in :mod:`evals.commands.simulate`."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from evals.flags.later import body
from evals.simulator.fault_kind import FaultKind
from evals.simulator.reasoning_field import REASONING_FIELDS

_POSITIVE = click.IntRange(min=1)
_SECONDS = click.FloatRange(min=0)
_WORK = "evals.commands.simulate"


def _read_by(name: str) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Return a callback that reads a flag by the function ``name`` beside the work."""
    return lambda _context, _parameter, value: body(_WORK, name)(value)


def _api_key(_: click.Context, __: click.Parameter, name: str | None) -> str | None:
    if name is None:
        return None
    key = os.environ.get(name)
    if not key:
        raise click.BadParameter(f"{name}: the environment variable is empty or not set; set it to the key")
    return key


def _list_faults(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        width = max(map(len, FaultKind))
        click.echo("\n".join(f"{kind.value:{width}}  {kind.description}" for kind in FaultKind))
        context.exit()


@click.command("simulate")
@click.option(
    "--profile",
    default="int4",
    callback=_read_by("read_played_profile"),
    help="int4, nvfp4, broken, or a TOML or JSON file.",
)
@click.option(
    "--answers",
    "book",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    callback=_read_by("read_book"),
    help="Answer book: JSON lines of task, sample_id, prompt_text, target, kind.",
)
@click.option(
    "--task",
    "tasks",
    multiple=True,
    metavar="TASK[=PATH]",
    help="Benchmark to play, from a local copy where given; repeat for more.  [default: smoke, aime25]",
)
@click.option("--model", help="Served model name.  [default: simulated-PROFILE]")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Port on 127.0.0.1; 0 takes a free one."
)
@click.option("--seed", type=int, default=0, help="Fixes which samples are hard and every draw.")
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="KIND=RATE",
    callback=_read_by("read_faults"),
    help="Misbehave: RATE is a fraction, a percentage or first:N (of each request), with @stream or @plain after it "
    "to confine it. Repeat for more; --list-faults prints the kinds.",
)
@click.option(
    "--speed",
    "tokens_per_s",
    type=_SECONDS,
    metavar="TOKENS_PER_S",
    help="Tokens per second of one reply; 0 is as fast as possible.  [default: the profile's]",
)
@click.option(
    "--ttft",
    "ttft_s",
    type=_SECONDS,
    metavar="SECONDS",
    help="Time to the first token.  [default: the profile's]",
)
@click.option(
    "--slow-start",
    "slow_start_s",
    type=_SECONDS,
    default=5.0,
    metavar="SECONDS",
    help="What the fault slow_start waits.",
)
@click.option(
    "--retry-after",
    "retry_after_s",
    type=click.IntRange(min=0),
    default=1,
    metavar="SECONDS",
    help="What the 429 faults ask for.",
)
@click.option(
    "--token-scale",
    type=click.FloatRange(min=0, min_open=True),
    default=1.0,
    metavar="FACTOR",
    help="Multiplies every length: 0.01 makes short replies for quick trials.",
)
@click.option("--tokens-per-frame", type=_POSITIVE, default=1, help="Tokens in one stream event.")
@click.option("--frames-per-write", type=_POSITIVE, default=8, help="Stream events sent in one write.")
@click.option("--max-concurrency", type=_POSITIVE, help="Replies played at once; further ones wait.")
@click.option("--max-model-len", type=_POSITIVE, default=262_144, help="Context length in tokens.")
@click.option("--reasoning-field", type=click.Choice(REASONING_FIELDS), default=REASONING_FIELDS[0])
@click.option(
    "--api-key-env",
    "api_key",
    metavar="NAME",
    callback=_api_key,
    help="Require the key in this environment variable.",
)
@click.option(
    "--immutable-sampling",
    is_flag=True,
    help="Refuse any temperature and top_p but the checkpoint's own, as the vendor's API does.",
)
@click.option(
    "--tokens",
    multiple=True,
    metavar="KEY=VALUE",
    callback=_read_by("read_tokens"),
    help="How the log-probabilities of prompts are played: drift=X, late_drift=X, jitter=X, tokenizer=digits, "
    "engine=vllm|sglang|llamacpp, prompt_logprobs=no. Repeat for more.",
)
@click.option(
    "--list-faults",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_faults,
    help="Print what can go wrong, and stop.",
)
def command(**given: Any) -> Any:
    """Serve a simulated reasoning checkpoint with a known truth on 127.0.0.1, to try pipelines on.

    GET /simulation/truth tells each sample's probability of a right answer, GET /simulation/requests what
    was asked and sent.
    """
    return body(_WORK, "serve_simulation")(**given)
