"""When the simulated endpoint misbehaves: rates as the command line gives them, and reproducible draws."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from evals.simulator.dice import unit
from evals.simulator.fault_kind import FaultKind

_SHAPES = {"stream": True, "plain": False}


class FaultError(ValueError):
    """A fault was asked for that does not exist, or at a rate that is none."""


@dataclass(frozen=True, kw_only=True)
class FaultRate:
    """When a fault strikes: on the first ``first`` attempts of each request, else with ``probability``.

    ``stream`` confines it to requests that ask for a stream, or (``False``) to those that do not.
    """

    probability: float = 0.0
    first: int = 0
    stream: bool | None = None


def _read_rate(text: str) -> FaultRate | None:
    number, at, shape = text.partition("@")
    if at and shape not in _SHAPES:
        return None
    stream = _SHAPES.get(shape)
    try:
        if number.startswith("first:"):
            first = int(number.removeprefix("first:"))
            return FaultRate(first=first, stream=stream) if first >= 0 else None
        probability = float(number.removesuffix("%")) / (100 if number.endswith("%") else 1)
    except ValueError:
        return None
    return FaultRate(probability=probability, stream=stream) if 0 <= probability <= 1 else None


def parse_fault(text: str) -> tuple[FaultKind, FaultRate]:
    """Read ``KIND=RATE``: a fraction, a percentage or ``first:N``; ``@stream`` or ``@plain`` may follow."""
    name, _, rate_text = text.partition("=")
    if name not in set(FaultKind):
        raise FaultError(f"fault: unknown kind {name!r}; the kinds are {', '.join(FaultKind)}")
    rate = _read_rate(rate_text)
    if rate is None:
        expected = f"{name}=FRACTION (0 to 1), PERCENT% or first:N, and @stream or @plain to confine it"
        raise FaultError(f"fault: {text!r} has no rate; give {expected}")
    return FaultKind(name), rate


def parse_faults(texts: Iterable[str]) -> dict[FaultKind, FaultRate]:
    """Read several ``KIND=RATE``; raise :class:`FaultError` where a kind comes twice."""
    rates: dict[FaultKind, FaultRate] = {}
    for text in texts:
        kind, rate = parse_fault(text)
        if kind in rates:
            raise FaultError(f"fault: {kind.value} is given twice; give each kind once")
        rates[kind] = rate
    return rates


@dataclass(frozen=True, kw_only=True)
class FaultPlan:
    """Decides which faults strike an attempt, the same way each time for the same seed."""

    rates: Mapping[FaultKind, FaultRate] = field(default_factory=dict)
    seed: int = 0

    def draw(self, request_key: str, attempt: int, *, stream: bool) -> frozenset[FaultKind]:
        """Return the faults of the ``attempt``-th (from 1) sending of the request ``request_key``."""
        return frozenset(
            kind
            for kind, rate in self.rates.items()
            if rate.stream in (None, stream)
            and (
                attempt <= rate.first
                or unit("fault", self.seed, kind.value, request_key, attempt) < rate.probability
            )
        )
