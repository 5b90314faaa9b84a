"""How much a reply may bring before it is one that never ends: by the budget of its request, and never unbounded."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import aiohttp

ASSUMED_TOKENS = 1_000_000  # the budget of a request that names none
EVENTS_PER_TOKEN, OTHER_EVENTS = 8, 1_000  # one a token is usual; some servers send letter by letter
SENT_BYTES_PER_TOKEN = 4_096  # of a stream as sent: some servers repeat their usage with every token
TEXT_PER_TOKEN = (
    64  # characters or bytes: the longest tokens are that long, usual ones 4 letters or 6 bytes escaped
)
LOGPROBS_FACTOR = 64  # log-probabilities of 20 alternatives take some kilobytes a token
SPARE = 1024**2  # for everything that does not grow with the budget
SLOWEST_TOKENS_PER_S = 1.0
_BUDGETS = ("max_tokens", "max_completion_tokens")
_LOGPROBS = ("logprobs", "top_logprobs", "prompt_logprobs")


@dataclass(frozen=True, kw_only=True)
class ReplyLimits:
    """The most of one reply. ``events``, ``sent_bytes`` and ``characters`` (kept) are of a stream, ``plain_bytes``
    of a plain reply or of one single event; ``writing_s`` is how long a stream may go on being written.
    """

    events: int
    sent_bytes: int
    characters: int
    plain_bytes: int
    writing_s: float


def reply_limits(body: Mapping[str, Any]) -> ReplyLimits:
    """Return the limits of the reply to ``body``: what its budget can fill, with room for odd ways of sending."""
    given = [body[name] for name in _BUDGETS if type(body.get(name)) is int and body[name] > 0]
    n_choices = body["n"] if type(body.get("n")) is int and body["n"] > 0 else 1
    tokens = (max(given) if given else ASSUMED_TOKENS) * n_choices
    factor = LOGPROBS_FACTOR if any(body.get(name) for name in _LOGPROBS) else 1
    return ReplyLimits(
        events=EVENTS_PER_TOKEN * tokens + OTHER_EVENTS,
        sent_bytes=SENT_BYTES_PER_TOKEN * factor * tokens + SPARE,
        characters=TEXT_PER_TOKEN * tokens + SPARE,
        plain_bytes=TEXT_PER_TOKEN * factor * tokens + SPARE,
        writing_s=tokens / SLOWEST_TOKENS_PER_S,
    )


NO_BUDGET = reply_limits({})  # of a request that names none


async def read_at_most(http: aiohttp.ClientResponse, n_bytes: int) -> bytes:
    """Return the body of a response, only about its first ``n_bytes`` where it is longer or never ends."""
    found = bytearray()
    async for block in http.content.iter_any():
        found += block
        if len(found) >= n_bytes:
            break
    return bytes(found[:n_bytes])
