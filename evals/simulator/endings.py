"""What happens to the bytes of a reply on their way: cuts, resets, silence, noise between frames."""

import enum
import itertools
from collections.abc import Iterable, Iterator, Set

import orjson

from evals.simulator.fault_kind import FaultKind
from evals.simulator.refusals import error_body
from evals.simulator.wire import DONE


class Break(enum.Enum):
    """Something other than bytes that a connection can do."""

    RESET = enum.auto()  # TCP reset
    STALL = enum.auto()  # stay open and say nothing more


WireEvent = bytes | Break

# Faults after which the client has not received the whole reply.
SPOILING = frozenset(
    {
        FaultKind.GARBAGE_JSON,
        FaultKind.RESET_MID_STREAM,
        FaultKind.CUT_MID_STREAM,
        FaultKind.DONE_WITHOUT_FINISH,
        FaultKind.FINISH_NULL_THEN_EOF,
        FaultKind.FINISH_ABORT,
        FaultKind.ERROR_FRAME,
        FaultKind.STALL,
    }
)
_KEEPALIVE = b": keep-alive"
_ENGINE_DIED = orjson.dumps(error_body(500, "EngineCore encountered an issue (simulated)."))
_MAX_SPLITS = 500
_SPLIT_EVERY = 37


def _spoiled(payloads: list[bytes], faults: Set[FaultKind]) -> list[WireEvent]:
    """Return ``payloads`` (at least one) with the first fault that spoils them half-way."""
    half = max(1, (len(payloads) - 1) // 2)
    said: list[WireEvent] = [*payloads[:half]]
    if FaultKind.GARBAGE_JSON in faults:
        broken = payloads[half : half + 1] or payloads[-1:]
        return [*said, broken[0][: len(broken[0]) * 2 // 3], *payloads[half + 1 :]]
    if FaultKind.RESET_MID_STREAM in faults:
        return [*said, Break.RESET]
    if FaultKind.DONE_WITHOUT_FINISH in faults:
        return [*said, DONE]
    if FaultKind.ERROR_FRAME in faults:
        return [*said, _ENGINE_DIED, DONE]
    if FaultKind.STALL in faults:
        return [*said, Break.STALL]
    return said if FaultKind.CUT_MID_STREAM in faults else [*payloads]


def stream_events(payloads: Iterator[bytes], faults: Set[FaultKind]) -> Iterator[WireEvent]:
    """Yield the frames of a stream of ``payloads``, misbehaving as ``faults`` say."""
    events: Iterable[WireEvent] = _spoiled(list(payloads), faults) if faults & SPOILING else payloads
    end = b"\r\n\r\n" if FaultKind.CRLF in faults else b"\n\n"
    keeps_alive = FaultKind.KEEPALIVE_COMMENTS in faults
    for number, event in enumerate(events):
        if not isinstance(event, bytes):
            yield event
            continue
        if keeps_alive and number % 5 == 0:
            yield _KEEPALIVE + end
        yield b"data: " + event + end


def plain_events(body: bytes, faults: Set[FaultKind]) -> Iterator[WireEvent]:
    """Yield the bytes of a plain reply, misbehaving as ``faults`` say."""
    if FaultKind.KEEPALIVE_COMMENTS in faults:
        yield b"\n  \n"
    half = body[: len(body) // 2]
    if FaultKind.RESET_MID_STREAM in faults:
        yield from (half, Break.RESET)
    elif FaultKind.STALL in faults:
        yield from (half, Break.STALL)
    elif FaultKind.ERROR_FRAME in faults:
        yield _ENGINE_DIED
    elif {FaultKind.CUT_MID_STREAM, FaultKind.GARBAGE_JSON} & faults:
        yield half
    else:
        yield body


def split_anywhere(data: bytes) -> Iterator[bytes]:
    """Yield ``data`` in a few hundred pieces at most, ending inside characters, lines and words."""
    inside = {place for place, byte in enumerate(data) if byte & 0xC0 == 0x80}
    places = sorted(inside | set(range(_SPLIT_EVERY, len(data), _SPLIT_EVERY)))
    step = len(places) // _MAX_SPLITS + 1
    edges = [0, *places[::step], len(data)]
    yield from (data[start:end] for start, end in itertools.pairwise(edges))
