"""A server that sends exactly the bytes it is told to, for what no HTTP library would let a server do."""

import asyncio
import contextlib
import gzip
import json
import socket
import struct
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

RESET = object()  # TCP reset
CLOSE = object()  # an orderly end
STALL = object()  # stay open and say nothing

Step = bytes | float | object


def head(
    status="200 OK", *, content_type="text/event-stream", length=None, chunked=False, version="1.1", **more
):
    """The status line and headers of a reply; ``more`` are headers with ``_`` for ``-``."""
    lines = [f"HTTP/{version} {status}", f"Content-Type: {content_type}"]
    if length is not None:
        lines.append(f"Content-Length: {length}")
    if chunked:
        lines.append("Transfer-Encoding: chunked")
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in more.items()]
    return "\r\n".join([*lines, "", ""]).encode()


def chunked(data: bytes, size: int = 10_000) -> bytes:
    """``data`` in chunks of ``size`` bytes, without the last (empty) one."""
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    return b"".join(f"{len(piece):x}\r\n".encode() + piece + b"\r\n" for piece in pieces)


LAST_CHUNK = b"0\r\n\r\n"


def plain(value, status="200 OK", **more):
    """A whole JSON reply."""
    content = value if isinstance(value, bytes) else json.dumps(value).encode()
    return head(status, content_type="application/json", length=len(content), **more) + content


def zipped(value):
    """A whole JSON reply, gzipped."""
    content = gzip.compress(json.dumps(value).encode())
    return head(content_type="application/json", length=len(content), Content_Encoding="gzip") + content


@dataclass
class WireServer:
    """Answers each request on each connection with the next script; the last one is repeated."""

    scripts: list[tuple[Step, ...]]
    url: str = ""
    requests: list[bytes] = field(default_factory=list)
    n_connections: int = 0

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.n_connections += 1
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while True:
                top = await reader.readuntil(b"\r\n\r\n")
                length = int(top.lower().partition(b"content-length: ")[2].split(b"\r\n")[0] or 0)
                self.requests.append(top + await reader.readexactly(length))
                script = self.scripts[min(len(self.requests), len(self.scripts)) - 1]
                for step in script:
                    if not await _play(step, writer):
                        return
        writer.close()


async def _play(step: Step, writer: asyncio.StreamWriter) -> bool:
    """Do one step; return whether the connection goes on."""
    if isinstance(step, bytes):
        writer.write(step)
        await writer.drain()
    elif isinstance(step, float):
        await asyncio.sleep(step)
    elif step is STALL:
        await asyncio.sleep(60)
    elif step is RESET:
        await asyncio.sleep(0.02)
        linger = struct.pack("ii", 1, 0)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        writer.transport.abort()
        return False
    else:
        writer.close()
        return False
    return True


@contextlib.asynccontextmanager
async def wire_server(*scripts: tuple[Step, ...]) -> AsyncIterator[WireServer]:
    """Serve the scripts, one after the other, a tuple of steps each."""
    told = WireServer(scripts=list(scripts))
    server = await asyncio.start_server(told.handle, "127.0.0.1", 0)
    told.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1/chat/completions"
    tasks: Callable[[], set[asyncio.Task[object]]] = asyncio.all_tasks
    before = tasks()
    try:
        yield told
    finally:
        server.close()
        for task in tasks() - before - {asyncio.current_task()}:
            task.cancel()
        await asyncio.sleep(0)
