"""The type of flags that take a number."""

import math
from typing import Any

import click


class Number(click.FloatRange):
    """A number in a range; "nan" and "inf" are none, though Python would take them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number; fail as click does."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a number", param, ctx)
        return number
