"""Send the bytes of a reply at the pace of a model, many frames a write."""

import asyncio
import socket
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass

from aiohttp import web

from evals.simulator.endings import Break, WireEvent, split_anywhere

# SO_LINGER on with a wait of zero: close() sends a reset instead of an orderly end.
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


@dataclass(frozen=True, kw_only=True)
class Pace:
    """How fast frames leave: ``frames_per_s`` of ``None`` is as fast as possible."""

    frames_per_s: float | None = None
    frames_per_write: int = 8
    splits_anywhere: bool = False


def cut_connection(request: web.Request, *, reset: bool) -> None:
    """Close the connection under ``request`` at once, with a TCP reset or an orderly end."""
    transport = request.transport
    if transport is None:
        return
    connection = transport.get_extra_info("socket")
    if reset and connection is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
    transport.abort() if reset else transport.close()


async def _write(response: web.StreamResponse, frames: list[bytes], pace: Pace) -> None:
    data = b"".join(frames)
    if not pace.splits_anywhere:
        await response.write(data)
        return
    for piece in split_anywhere(data):
        await response.write(piece)
        await asyncio.sleep(0)


async def send_events(
    request: web.Request, response: web.StreamResponse, events: Iterator[WireEvent], pace: Pace
) -> None:
    """Send ``events``; returns when the last is sent, raises ``ConnectionError`` when the client is gone."""
    started, n_sent, frames = time.monotonic(), 0, list[bytes]()
    for event in events:
        if isinstance(event, bytes):
            frames.append(event)
            if len(frames) < pace.frames_per_write:
                continue
        if frames:
            n_sent += len(frames)
            await _write(response, frames, pace)
            frames.clear()
            ahead_s = n_sent / pace.frames_per_s - (time.monotonic() - started) if pace.frames_per_s else 0.0
            await asyncio.sleep(max(ahead_s, 0.0))
        if event is Break.STALL:
            await asyncio.Event().wait()  # until the client goes away, which cancels this
        elif event in (Break.RESET, Break.CLOSE):
            await asyncio.sleep(0.01)  # let what was written leave first
            cut_connection(request, reset=event is Break.RESET)
            return
    if frames:
        await _write(response, frames, pace)
