"""The flags a command was given, to be repeated in the command that comes next."""

import json
import shlex
from collections.abc import Iterator, Sequence
from typing import Any

import click
from click.core import ParameterSource

SECRET = ("headers",)  # may hold a key


def given_flags(context: click.Context, *, leave_out: Sequence[str] = ()) -> list[str]:
    """Return the options given on the command line, quoted for a shell; values that may be secret are left out."""
    flags: list[str] = []
    for parameter in context.command.params:
        name = parameter.name or ""
        is_given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if isinstance(parameter, click.Option) and is_given and name not in leave_out:
            flags += _written(parameter, context.params[name])
    return flags


def _written(option: click.Option, value: Any) -> Iterator[str]:
    flag = option.opts[0]
    if option.name in SECRET:
        yield f"{flag} ..."
    elif isinstance(value, bool):
        yield flag if value else option.secondary_opts[0]
    else:
        text = json.dumps(value) if isinstance(value, dict) else str(value)
        yield f"{flag} {shlex.quote(text)}"
