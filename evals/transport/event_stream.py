"""Read server-sent events from bytes as they come: no object per event, no matter how frames are cut."""

from collections.abc import Iterator

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
PIECE_BYTES = 50  # of memory that a piece takes beside its bytes


class EventStream:
    """Split a byte stream into the data of its events.

    Handles LF, CRLF and CR, a byte order mark, comments and keep-alives, lines cut anywhere (also inside a
    UTF-8 sequence or a CRLF), data over several lines, and servers that end events with one newline instead
    of two. Source: the "server-sent events" section of the HTML living standard.
    """

    def __init__(self) -> None:
        self._tail = b""  # what stands behind the last line end
        self._pieces: list[
            bytes
        ] = []  # of the same line, joined when it ends: long lines come in many blocks
        self._data: list[bytes] = []
        self._is_at_start = True
        self.n_held = 0  # bytes of memory that an event takes which is not complete yet

    def feed(self, block: bytes) -> Iterator[bytes]:
        """Yield the data of each event that ``block`` completes."""
        if b"\n" not in block and b"\r" not in block and not self._is_at_start and self._tail[-1:] != b"\r":
            self._pieces.append(block)
            self.n_held += len(block) + PIECE_BYTES
            return
        yield from self._feed_lines(self._whole_tail() + block)
        self.n_held = len(self._tail) + sum(map(len, self._data)) + PIECE_BYTES * len(self._data)

    def _whole_tail(self) -> bytes:
        tail = b"".join([self._tail, *self._pieces])
        self._pieces.clear()
        return tail

    def _feed_lines(self, text: bytes) -> Iterator[bytes]:
        if self._is_at_start:
            if len(text) < len(BYTE_ORDER_MARK) and BYTE_ORDER_MARK.startswith(text):
                self._tail = text
                return
            text = text.removeprefix(BYTE_ORDER_MARK)
            self._is_at_start = False
        if b"\r" in text:
            text = _with_newlines(text)
        lines = text.split(b"\n")
        self._tail = lines.pop()
        for line in lines:
            if line.startswith(b"data:"):
                if self._data:  # a second data line: one event over several lines, or a missing blank line
                    yield from self._split_unless_continued(line)
                self._data.append(line[5:].strip())
            elif self._data and not line.strip():
                yield self._take()

    def close(self) -> Iterator[bytes]:
        """Yield what the end of the stream completes: a last event without its blank line."""
        last = self._whole_tail()
        if last.startswith(b"data:"):
            yield from self._split_unless_continued(last)
            self._data.append(last[5:].strip())
        self._tail = b""
        if self._data:
            yield self._take()

    def _split_unless_continued(self, line: bytes) -> Iterator[bytes]:
        """End the event in hand where ``line`` opens a new one: JSON continued over lines never does."""
        if line[5:].lstrip().startswith((b"{", b"[DONE]")) and self._looks_whole():
            yield self._take()

    def _looks_whole(self) -> bool:
        if not self._data:
            return False
        # not joined: an event of endless lines would be joined once a line
        first, last = next((part for part in self._data if part), b""), self._data[-1]
        return self._data == [b"[DONE]"] or (first.startswith(b"{") and last.endswith(b"}"))

    def _take(self) -> bytes:
        data = self._data
        self._data = []
        return data[0] if len(data) == 1 else b"\n".join(data)


def _with_newlines(text: bytes) -> bytes:
    """Return ``text`` with every line end as LF; a CR at its very end stays, for its LF may be to come."""
    held = b"\r" if text.endswith(b"\r") else b""
    return text[: len(text) - len(held)].replace(b"\r\n", b"\n").replace(b"\r", b"\n") + held
