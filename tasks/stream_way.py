"""Whether whole requests are streamed: as they say themselves, always, never, or each of them both ways."""

from collections.abc import Mapping
from typing import Any

from tasks.spec import SpecError

STREAM, BOTH_WAYS = "stream", "both_ways"  # options of tasks that send whole requests


def n_ways(options: Mapping[str, Any]) -> int:
    """Return how often each request is sent in a pass over all; raise :class:`SpecError` for a contradiction."""
    if not options.get(BOTH_WAYS):
        return 1
    if STREAM in options:
        raise SpecError(
            "--both-ways: sends each request streamed and plain; leave --stream and --no-stream out"
        )
    return 2


def in_its_way(request: Mapping[str, Any], options: Mapping[str, Any], epoch: int) -> dict[str, Any]:
    """Return the request as it is sent in ``epoch``: with both ways odd epochs stream and even ones do not.

    Without such an option a request says ``stream`` itself, and one that does not say is not streamed.
    """
    stream = epoch % 2 == 1 if options.get(BOTH_WAYS) else options.get(STREAM)
    return dict(request) if stream is None else {**request, "stream": bool(stream)}


def drawn_epoch(options: Mapping[str, Any], epoch: int) -> int:
    """Return the epoch that a seed is derived from: both ways of one request share their draw."""
    return (epoch + 1) // 2 if options.get(BOTH_WAYS) else epoch
