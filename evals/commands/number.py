"""The type of flags that take a number."""

import math
from typing import Any

import click
from click.types import IntParamType


class Number(click.FloatRange):
    """A number in a range; "nan" and "inf" are none, though Python would take them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number; fail as click does."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a number", param, ctx)
        return number


class Seed(IntParamType):
    """A seed: a whole number that every server can take (64 bits). Help need not spell out its range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number; a text that is none, or needs more bits, is refused."""
        return click.IntRange(-(2**63), 2**63 - 1).convert(value, param, ctx)
