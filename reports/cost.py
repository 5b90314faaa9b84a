"""What a run cost at a price per GPU hour or per million output tokens."""

import math
from dataclasses import dataclass

from reports.speed import Speed


class PriceError(ValueError):
    """A price that is none; the message says what to give."""


@dataclass(frozen=True, kw_only=True)
class Price:
    """A price in any currency: per GPU hour times ``n_gpus`` (of all servers), or per million output tokens."""

    gpu_hour: float | None = None
    n_gpus: int | None = None
    per_million: float | None = None

    def __post_init__(self) -> None:
        for name, value in (("GPU hour", self.gpu_hour), ("million tokens", self.per_million)):
            if value is not None and not (math.isfinite(value) and value > 0):
                raise PriceError(f"price per {name}: {value:g}; expected a number above 0")
        if (self.gpu_hour is None) == (self.per_million is None):
            raise PriceError("price: give one, per GPU hour or per million output tokens")
        if (self.gpu_hour is None) != (self.n_gpus is None):
            raise PriceError("price per GPU hour: needs the number of GPUs, and only it does")
        if self.n_gpus is not None and self.n_gpus < 1:
            raise PriceError(f"GPUs: {self.n_gpus}; expected 1 or more")


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Cost of a run in the price's currency: in all, a correct response, a million output tokens."""

    total: float | None
    per_solved: float | None
    per_million: float | None


def cost_of(speed: Speed, price: Price, n_solved: int) -> Cost:
    """Return the cost of a run with ``n_solved`` correct responses; ``None`` where time or tokens are unknown.

    Failed attempts are paid by the hour and not by the token, since nobody counted their tokens.
    """
    tokens = speed.output_tokens
    if price.per_million is not None:
        total = None if tokens is None else tokens / 1e6 * price.per_million
    elif speed.duration_s is None or price.gpu_hour is None or price.n_gpus is None:
        total = None
    else:
        total = speed.duration_s / 3600 * price.gpu_hour * price.n_gpus
    return Cost(
        total=total,
        per_solved=total / n_solved if total is not None and n_solved else None,
        per_million=total / tokens * 1e6 if total is not None and tokens else None,
    )
