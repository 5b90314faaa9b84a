"""How long a request may be silent: apart from what sends it, so that help can name the defaults without it."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Waits:
    """How long a request may be silent, in seconds.

    ``first_byte_s`` is for a streamed reply in the server's queue, and the longest time that keep-alives
    alone may take; ``idle_s`` between two blocks of a stream, whose whole duration only its budget limits;
    ``plain_s`` for a whole reply without streaming: a thinking answer may take an hour.
    """

    connect_s: float = 60.0
    first_byte_s: float = 3600.0
    idle_s: float = 600.0
    plain_s: float = 7200.0
