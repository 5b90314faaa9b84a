"""The flags that say which endpoint and which protocol, each said once."""

import re
from collections.abc import Callable
from typing import Any, TypeVar

import click
import orjson

from evals.commands.number import Number
from evals.endpoint import DEFAULT_KEY_VARIABLE
from evals.flags.completion import PRESET, VARIANT

Command = TypeVar("Command", bound=Callable[..., Any])

HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110 5.6.2


def read_json_object(
    _context: click.Context, _parameter: click.Parameter, text: str | None
) -> dict[str, Any]:
    """Read an object as strictly as it is sent: no NaN, no half characters."""
    if text is None:
        return {}
    try:
        value = orjson.loads(text.encode(errors="surrogateescape"))
    except orjson.JSONDecodeError as error:
        raise click.BadParameter(
            f"{text!r} is not JSON ({error.msg}); give an object like '{{\"min_p\": 0.1}}'"
        ) from error
    if not isinstance(value, dict):
        raise click.BadParameter(f"{text!r} is not a JSON object")
    return value


def read_headers(
    _context: click.Context, _parameter: click.Parameter, lines: tuple[str, ...]
) -> dict[str, str]:
    """Read headers given as ``Name: value``."""
    headers = {}
    for line in lines:
        name, colon, value = (part.strip() for part in line.partition(":"))
        if not colon or not HEADER_NAME.fullmatch(name) or not value.isprintable():
            raise click.BadParameter(f"{name!r} is not the name of a header; give 'Name: value' on one line")
        headers[name] = value
    return headers


def apply(command: Command, options: list[Callable[[Any], Any]]) -> Command:
    """Return the command with the flags, in their order."""
    for option in reversed(options):
        command = option(command)
    return command


def endpoint_options(command: Command) -> Command:
    """Add the flags that say which model, with which key, and how it is told to think."""
    return apply(
        command,
        [
            click.option("--model", help="Model string; needless where the endpoint serves exactly one."),
            click.option(
                "--label", help="Name of the checkpoint in reports (int4, nvfp4 ...); else the model's."
            ),
            click.option(
                "--api-key-env",
                default=DEFAULT_KEY_VARIABLE,
                show_default=True,
                metavar="NAME",
                help="Environment variable that holds the key; the key itself is never stored.",
            ),
            click.option(
                "--header",
                "headers",
                multiple=True,
                callback=read_headers,
                metavar="'NAME: VALUE'",
                help="Extra HTTP header; repeat for more. Never stored.",
            ),
            click.option(
                "--think-mode",
                type=click.Choice(["kimi", "opensource", "none"]),
                default="none",
                show_default=True,
                help="How thinking is switched: Moonshot's API, chat template arguments, or not at all.",
            ),
            click.option(
                "--thinking/--no-thinking", default=None, help="Ask for thinking or instant answers."
            ),
            click.option("--effort", type=click.Choice(["low", "high", "max"]), help="Thinking effort."),
            click.option(
                "--extra-body",
                callback=read_json_object,
                metavar="JSON",
                help="Object merged into every request body.",
            ),
        ],
    )


def protocol_options(command: Command) -> Command:
    """Add the flags that change the protocol, and with it the fingerprint (all but epochs and limit)."""
    return apply(
        command,
        [
            click.option("--preset", help="Published protocol by name; see quantcheck list.", **PRESET),
            click.option("--variant", help="Variant of the task's dataset; see quantcheck list.", **VARIANT),
            click.option("--epochs", type=click.IntRange(min=1), help="Passes over all samples."),
            click.option("--limit", type=click.IntRange(min=1), help="Only the first N samples."),
            click.option(
                "--max-tokens",
                type=click.IntRange(min=1),
                help="Output budget of a response, reasoning included.",
            ),
            click.option(
                "--clamp-budget",
                is_flag=True,
                help="Cut the budget to the endpoint's context where it does not fit (else it is refused).",
            ),
            click.option("--temperature", type=Number(0, 2), help="Sampling temperature."),
            click.option("--top-p", type=Number(0, 1, min_open=True), help="Nucleus sampling."),
            click.option(
                "--dataset-path", type=click.Path(), help="Local copy of the dataset (file or directory)."
            ),
            click.option(
                "--image-root",
                type=click.Path(file_okay=False, exists=True),
                help="Folder of a local dataset's image files; else that of the data file.",
            ),
            click.option("--accept-dataset", is_flag=True, help="Run on data that is not the pinned data."),
            click.option(
                "--shuffle-per-epoch",
                is_flag=True,
                help="gpqa_diamond: move the options on by one place each epoch, for balanced positions.",
            ),
            click.option(
                "--max-image-pixels",
                type=click.IntRange(min=1),
                metavar="N",
                help="Scale larger images down to N pixels; by default they are sent as they are.",
            ),
            click.option(
                "--both-ways",
                is_flag=True,
                help="k2_tool_calls: send each request streamed and plain (two epochs for one).",
            ),
            click.option(
                "--raw-completions",
                is_flag=True,
                help="k2_tool_calls: render the chat template here and read the model's own tool tokens,"
                " to tell a parser's fault from the model's.",
            ),
            click.option(
                "--tokenizer",
                metavar="PATH|REPO",
                help="Whose chat template --raw-completions renders: a directory or a hub repository.",
            ),
            click.option(
                "--trust-tokenizer-code",
                is_flag=True,
                help="Let a chat template use the tokenizer's own Python code, which then runs here.",
            ),
        ],
    )
