"""``quantcheck simulate``: serve a simulated checkpoint whose true accuracy is known."""

import asyncio
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import orjson

from evals.exit_code import CommandError, ExitCode
from evals.simulator.answer_file import read_answer_book
from evals.simulator.answers import AnswerBook, AnswerBookError
from evals.simulator.config import SimulatorConfig
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


def read_played_profile(value: str) -> Profile:
    """Return the profile that ``--profile`` names; raise :class:`click.BadParameter` where it names none."""
    try:
        return read_profile(value)
    except ProfileError as error:
        raise click.BadParameter(str(error)) from error


def read_faults(values: tuple[str, ...]) -> dict[FaultKind, FaultRate]:
    """Return the faults of ``--fault``; raise :class:`click.BadParameter` for what is none."""
    try:
        return parse_faults(values)
    except FaultError as error:
        raise click.BadParameter(str(error)) from error


def read_tokens(values: tuple[str, ...]) -> TokenModel:
    """Return how ``--tokens`` plays log-probabilities; raise :class:`click.BadParameter` for what it cannot."""
    try:
        return parse_token_model(values)
    except TokenModelError as error:
        raise click.BadParameter(str(error)) from error


def read_book(value: Path | None) -> AnswerBook:
    """Return the book of ``--answers``, an empty one without; raise :class:`click.BadParameter` for a bad one."""
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


def serve_simulation(tasks: tuple[str, ...], **settings: Any) -> None:
    """Do what ``quantcheck simulate`` is asked; its flags are in :mod:`evals.flags.simulate`."""
    settings["book"] = _with_exams(settings["book"], tasks)
    config = SimulatorConfig(**settings)
    try:
        asyncio.run(_serve_until_stopped(config))
    except PortError as error:
        raise click.BadParameter(str(error), param_hint="--port") from error
