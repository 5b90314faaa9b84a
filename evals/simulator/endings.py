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
    CLOSE = enum.auto()  # an orderly end of the connection in the middle of the body
    STALL = enum.auto()  # stay open and say nothing more


WireEvent = bytes | Break

# Faults after which the client has not received the whole reply.
SPOILING = frozenset(
    {
        FaultKind.GARBAGE_JSON,
        FaultKind.RESET_MID_STREAM,
        FaultKind.CLOSE_MID_STREAM,
        FaultKind.CUT_MID_STREAM,
        FaultKind.DONE_WITHOUT_FINISH,
        FaultKind.FINISH_NULL_THEN_EOF,
        FaultKind.FINISH_ABORT,
        FaultKind.ERROR_FRAME,
        FaultKind.ERROR_EVENT,
        FaultKind.STALL,
        FaultKind.ENDLESS,
    }
)
_ENGINE_DIED = orjson.dumps(error_body(500, "EngineCore encountered an issue (simulated)."))
# What comes after the first half of a stream, in the order in which one fault wins over another.
_HALF_WAY: dict[FaultKind, tuple[WireEvent, ...]] = {
    FaultKind.RESET_MID_STREAM: (Break.RESET,),
    FaultKind.CLOSE_MID_STREAM: (Break.CLOSE,),
    FaultKind.CUT_MID_STREAM: (),
    FaultKind.DONE_WITHOUT_FINISH: (DONE,),
    FaultKind.ERROR_FRAME: (_ENGINE_DIED, DONE),
    FaultKind.ERROR_EVENT: (_ENGINE_DIED,),
    FaultKind.STALL: (Break.STALL,),
}
# Faults that send half of a plain body.
_HALVING = frozenset(
    {
        FaultKind.GARBAGE_JSON,
        FaultKind.RESET_MID_STREAM,
        FaultKind.CLOSE_MID_STREAM,
        FaultKind.CUT_MID_STREAM,
        FaultKind.STALL,
        FaultKind.ENDLESS,
    }
)
_FRAMING = frozenset({FaultKind.CRLF, FaultKind.DATA_NO_SPACE, FaultKind.SSE_FIELDS, FaultKind.ERROR_EVENT})
_ENDLESS_BLOCK = b"and so on " * 800  # of a plain reply
_MAX_SPLITS = 500
_SPLIT_EVERY = 37


def _spoiled(payloads: list[bytes], faults: Set[FaultKind]) -> Iterable[WireEvent]:
    """Return ``payloads`` (at least two) with the first fault that spoils them half-way."""
    half = max(1, (len(payloads) - 1) // 2)
    said: list[WireEvent] = [*payloads[:half]]
    if FaultKind.GARBAGE_JSON in faults:
        broken = payloads[half]
        return [*said, broken[: len(broken) * 2 // 3], *payloads[half + 1 :]]
    for fault, rest in _HALF_WAY.items():
        if fault in faults:
            return [*said, *rest]
    if FaultKind.ENDLESS in faults:
        return itertools.chain(said, itertools.repeat(said[-1]))
    return [*payloads]


def _frame(payload: bytes, faults: Set[FaultKind]) -> bytes:
    """Return ``payload`` as one server-sent event."""
    end = b"\r\n" if FaultKind.CRLF in faults else b"\n"
    lines = [b"data:" + payload if FaultKind.DATA_NO_SPACE in faults else b"data: " + payload]
    if payload is _ENGINE_DIED and FaultKind.ERROR_EVENT in faults:
        lines.insert(0, b"event: error")
    elif FaultKind.SSE_FIELDS in faults:
        lines = [b"event: message", b"id: 7", *lines, b"retry: 3000"]
    return end.join([*lines, b"", b""])


def stream_events(payloads: Iterator[bytes], faults: Set[FaultKind]) -> Iterator[WireEvent]:
    """Yield the frames of a stream of ``payloads``, misbehaving as ``faults`` say."""
    events: Iterable[WireEvent] = _spoiled(list(payloads), faults) if faults & SPOILING else payloads
    is_odd = bool(faults & _FRAMING)
    keeps_alive = FaultKind.KEEPALIVE_COMMENTS in faults
    for number, event in enumerate(events):
        if not isinstance(event, bytes):
            yield event
            continue
        if keeps_alive and number % 5 == 0:
            yield b": keep-alive\r\n\r\n" if FaultKind.CRLF in faults else b": keep-alive\n\n"
        yield _frame(event, faults) if is_odd else b"data: " + event + b"\n\n"


def plain_events(body: bytes, faults: Set[FaultKind]) -> Iterator[WireEvent]:
    """Yield the bytes of a plain reply, misbehaving as ``faults`` say."""
    if FaultKind.KEEPALIVE_COMMENTS in faults:
        yield b"\n  \n"
    if {FaultKind.ERROR_FRAME, FaultKind.ERROR_EVENT} & faults:
        yield _ENGINE_DIED
        return
    is_halved = bool(faults & _HALVING)
    yield body[: len(body) // 2] if is_halved else body
    broken = (_HALF_WAY[fault] for fault in _HALF_WAY if fault in faults & _HALVING)
    yield from next(broken, ())
    if FaultKind.ENDLESS in faults:
        yield from itertools.repeat(_ENDLESS_BLOCK)


def split_anywhere(data: bytes) -> Iterator[bytes]:
    """Yield ``data`` in a few hundred pieces at most, ending inside characters, lines and words."""
    inside = {place for place, byte in enumerate(data) if byte & 0xC0 == 0x80}
    places = sorted(inside | set(range(_SPLIT_EVERY, len(data), _SPLIT_EVERY)))
    step = len(places) // _MAX_SPLITS + 1
    edges = [0, *places[::step], len(data)]
    yield from (data[start:end] for start, end in itertools.pairwise(edges))
