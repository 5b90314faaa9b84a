"""``quantcheck simulate``: serve a simulated checkpoint whose true accuracy is known."""

import asyncio
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import orjson

from evals.exit_code import CommandError, ExitCode
from evals.simulator.answer_file import read_answer_book
from evals.simulator.answers import AnswerBook, AnswerBookError
from evals.simulator.config import REASONING_FIELDS, SimulatorConfig
from evals.simulator.exams import book_of
from evals.simulator.fault_kind import FaultKind
from evals.simulator.faults import FaultError, FaultRate, parse_faults
from evals.simulator.profile import Profile
from evals.simulator.profile_file import ProfileError, read_profile
from evals.simulator.server import PortError, Running, serve
from evals.simulator.token_model import TokenModel, TokenModelError, parse_token_model
from tasks.benchmark import Benchmark, Item
from tasks.catalog import find_benchmark
from tasks.exam import ExamSource, load_exam
from tasks.rows import DataError
from tasks.spec import SpecError

_POSITIVE = click.IntRange(min=1)
_SECONDS = click.FloatRange(min=0)


def _profile(_: click.Context, __: click.Parameter, value: str) -> Profile:
    try:
        return read_profile(value)
    except ProfileError as error:
        raise click.BadParameter(str(error)) from error


def _faults(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> dict[FaultKind, FaultRate]:
    try:
        return parse_faults(values)
    except FaultError as error:
        raise click.BadParameter(str(error)) from error


def _tokens(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> TokenModel:
    try:
        return parse_token_model(values)
    except TokenModelError as error:
        raise click.BadParameter(str(error)) from error


def _book(_: click.Context, __: click.Parameter, value: Path | None) -> AnswerBook:
    try:
        return read_answer_book(value) if value is not None else AnswerBook()
    except AnswerBookError as error:
        raise click.BadParameter(str(error)) from error


def _exam(name: str) -> tuple[Benchmark, Sequence[Item]]:
    """Load one task the simulator is to play, given as TASK, TASK:VARIANT, TASK=PATH or TASK:VARIANT=PATH."""
    task, _, path = name.partition("=")
    task, _, variant = task.partition(":")
    benchmark = find_benchmark(task)
    source = ExamSource(
        path=Path(path) if path else None,
        accept_changes=True,
        # every order in which the options may be asked, so that runs with and without it are played
        options={"shuffle_per_epoch": True} if "shuffle_per_epoch" in benchmark.options else {},
    )
    exam = load_exam(benchmark, variant=variant or None, source=source)
    return benchmark, exam.items


def _with_exams(book: AnswerBook, names: tuple[str, ...]) -> AnswerBook:
    """Add the tasks named to the book; by default those that can be had, silently fewer where none can."""
    if names:
        try:
            exams = [_exam(name) for name in names]
            return AnswerBook.from_entries([*book.entries, *book_of(*exams).entries])
        except (SpecError, AnswerBookError) as error:
            raise click.BadParameter(str(error), param_hint="--task") from error
        except DataError as error:
            raise CommandError(str(error), ExitCode.ENDPOINT_OR_DATA) from error
    if book.entries:
        return book
    smoke = _exam("smoke")
    try:
        return book_of(smoke, _exam("aime25"))
    except DataError as error:
        click.echo(f"note: plays smoke alone: {error}", err=True)
        return book_of(smoke)


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


def announce(running: Running, config: SimulatorConfig) -> None:
    """Say where the endpoint is: one JSON line on stdout for programs, plain words on stderr for people."""
    line = {"base_url": running.base_url, "model": running.model, "simulated": True}
    click.echo(orjson.dumps(line).decode())
    faults = ", ".join(kind.value for kind in config.faults) or "none"
    click.echo(
        f"SIMULATED endpoint: no model runs here. It plays the profile {config.profile.name!r} (seed "
        f"{config.seed}, faults: {faults}) at {running.base_url}; answers are drawn, not computed. "
        "Stop it with Ctrl-C.",
        err=True,
    )


async def _serve_until_stopped(config: SimulatorConfig) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for sign in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(sign, stopped.set)
    async with serve(config) as running:
        announce(running, config)
        await stopped.wait()


@click.command("simulate")
@click.option(
    "--profile", default="int4", callback=_profile, help="int4, nvfp4, broken, or a TOML or JSON file."
)
@click.option(
    "--answers",
    "book",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    callback=_book,
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
    callback=_faults,
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
    callback=_tokens,
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
def command(tasks: tuple[str, ...], **settings: Any) -> None:
    """Serve a simulated reasoning checkpoint with a known truth on 127.0.0.1, to try pipelines on.

    GET /simulation/truth tells each sample's probability of a right answer, GET /simulation/requests what
    was asked and sent.
    """
    settings["book"] = _with_exams(settings["book"], tasks)
    config = SimulatorConfig(**settings)
    try:
        asyncio.run(_serve_until_stopped(config))
    except PortError as error:
        raise click.BadParameter(str(error), param_hint="--port") from error
