"""Complete names of tasks, presets and variants in a shell; what knows them is loaded when Tab is pressed."""

from collections.abc import Callable, Mapping
from typing import Any

import click

from evals.flags.later import body


def completed_by(function: str) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """Return a completion with the names that a function of :mod:`evals.commands.names` knows."""

    def complete(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
        return [name for name in body("evals.commands.names", function)() if name.startswith(begun)]

    return complete


TASK: Mapping[str, Any] = {"shell_complete": completed_by("task_names")}
PRESET: Mapping[str, Any] = {"shell_complete": completed_by("preset_names")}
VARIANT: Mapping[str, Any] = {"shell_complete": completed_by("variant_names")}
