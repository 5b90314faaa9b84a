"""How much is asked at once: apart from what asks, so that help can name the defaults without it."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Pace:
    """How much is asked at once; a text of more than ``max_tokens_in_flight`` goes alone."""

    max_connections: int = 8
    max_tokens_in_flight: int = 65_536
