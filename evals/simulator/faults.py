"""When the simulated endpoint misbehaves: rates as the command line gives them, and reproducible draws."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from evals.simulator.dice import unit
from evals.simulator.fault_kind import FaultKind


class FaultError(ValueError):
    """A fault was asked for that does not exist, or at a rate that is none."""


@dataclass(frozen=True, kw_only=True)
class FaultRate:
    """When a fault strikes: on the first ``first`` attempts of each request, else with ``probability``."""

    probability: float = 0.0
    first: int = 0


def parse_fault(text: str) -> tuple[FaultKind, FaultRate]:
    """Read ``KIND=RATE``, the rate a fraction, a percentage or ``first:N``."""
    name, equals, rate = text.partition("=")
    if name not in set(FaultKind):
        raise FaultError(f"fault: unknown kind {name!r}; the kinds are {', '.join(FaultKind)}")
    is_first = rate.startswith("first:")
    number = rate.removeprefix("first:").removesuffix("%")
    try:
        value = int(number) if is_first else float(number) / (100 if rate.endswith("%") else 1)
    except ValueError:
        value = -1
    if not equals or value < 0 or (not is_first and not value <= 1):
        raise FaultError(f"fault: {text!r} has no rate; give {name}=FRACTION (0 to 1), PERCENT% or first:N")
    return FaultKind(name), FaultRate(first=int(value)) if is_first else FaultRate(probability=value)


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

    def draw(self, request_key: str, attempt: int) -> frozenset[FaultKind]:
        """Return the faults of the ``attempt``-th (from 1) sending of the request ``request_key``."""
        return frozenset(
            kind
            for kind, rate in self.rates.items()
            if attempt <= rate.first
            or unit("fault", self.seed, kind.value, request_key, attempt) < rate.probability
        )
