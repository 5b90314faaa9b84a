"""What one side said of one text: a file of JSON lines in zstandard, written and read a few thousand tokens at once.

The first line is the header, then come columns of at most ``CHUNK_TOKENS`` tokens, the last line counts them:
a file without it is unfinished. ``zstdcat FILE`` shows it all. Nothing here holds a whole text.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
import orjson
import zstandard

SCHEMA_VERSION = 1
CHUNK_TOKENS = 4096
SUFFIX = ".jsonl.zst"
UNKNOWN_ID = -1
UNKNOWN_RANK = 0

Ids = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class RecordError(ValueError):
    """A record that cannot be used: unfinished, damaged, of another version, or of another endpoint."""


@dataclass(frozen=True, kw_only=True)
class TextFacts:
    """Which text a record is of.

    ``key`` names the text's content, equal on both sides. ``n_prompt`` tokens come before the response.
    ``n_inner_closers`` closing thinking tags lie within the reasoning, before the one that ends it.
    ``temperature`` and ``top_p`` are those it was sampled with, ``None`` where it was not or nobody knows.
    """

    key: str
    sample_id: str
    epoch: int = 1
    task: str = ""
    category: str | None = None
    n_prompt: int = 0
    has_reasoning: bool = False
    n_inner_closers: int = 0
    temperature: float | None = None
    top_p: float | None = None

    @property
    def is_sampled(self) -> bool:
        """Whether the response was drawn from the whole distribution: temperature 1, top_p 1."""
        return self.temperature == 1 and self.top_p == 1

    @property
    def name(self) -> str:
        """How a person finds the text again."""
        place = f"{self.task} {self.sample_id}".strip()
        return f"{place}, epoch {self.epoch}" if self.epoch != 1 else place


@dataclass(frozen=True, kw_only=True)
class TokenChunk:
    """Neighbouring tokens as columns. ``start`` is the position of the first one in the text.

    ``logprobs`` (natural) is NaN where unknown, as it always is for a text's first token. ``ranks`` count
    from 1, ``UNKNOWN_RANK`` where unknown. ``tops`` are the likeliest ids, ``UNKNOWN_ID`` where unknown.
    """

    start: int
    ids: Ids
    logprobs: Floats
    ranks: Ids
    tops: Ids
    texts: Sequence[str]

    def __len__(self) -> int:
        return len(self.ids)


class RecordWriter:
    """Writes one record; the file gets its name only when the last token is in."""

    def __init__(self, path: Path, facts: TextFacts) -> None:
        self._path = path
        self._partial = path.with_name(f"{path.name}.partial")
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file: BinaryIO = self._partial.open("wb")
        self._packed = zstandard.ZstdCompressor(level=3).stream_writer(self._file, closefd=False)
        self._n_tokens = 0
        self._line({"schema": SCHEMA_VERSION, **asdict(facts)})

    def add(self, chunk: TokenChunk) -> None:
        """Write the next tokens."""
        self._n_tokens += len(chunk)
        self._line(
            {
                "ids": chunk.ids.tolist(),
                "logprobs": chunk.logprobs.tolist(),  # NaN becomes null
                "ranks": chunk.ranks.tolist(),
                "tops": chunk.tops.tolist(),
                "texts": list(chunk.texts),
            }
        )

    def finish(self) -> None:
        """Write the last line and give the file its name."""
        self._line({"n_tokens": self._n_tokens})
        self._packed.flush(zstandard.FLUSH_FRAME)
        self._file.close()
        self._partial.replace(self._path)

    def abandon(self) -> None:
        """Delete what was written."""
        self._file.close()
        self._partial.unlink(missing_ok=True)

    def _line(self, value: Mapping[str, Any]) -> None:
        self._packed.write(orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE))


class RecordReader:
    """Reads one record from its start; :meth:`chunks` may be called again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.facts = self._facts(next(self._lines(), None))

    def chunks(self) -> Iterator[TokenChunk]:
        """Yield the tokens in order; raise :class:`RecordError` where the end is missing."""
        start = 0
        lines = self._lines()
        next(lines, None)
        for line in lines:
            if "n_tokens" in line:
                if line["n_tokens"] != start:
                    raise self._damaged(f"holds {start:,} tokens of {line['n_tokens']:,}")
                return
            chunk = self._chunk(line, start)
            start += len(chunk)
            yield chunk
        raise self._damaged("ends without its last line")

    def _lines(self) -> Iterator[dict[str, Any]]:
        rest = b""
        try:
            with self.path.open("rb") as file:
                reader = zstandard.ZstdDecompressor().stream_reader(file)
                while block := reader.read(2**18):
                    *whole, rest = (rest + block).split(b"\n")
                    yield from (orjson.loads(line) for line in whole)
        except (OSError, zstandard.ZstdError, json.JSONDecodeError) as error:
            raise self._damaged(str(error)) from None

    def _facts(self, header: dict[str, Any] | None) -> TextFacts:
        if header is None or header.get("schema") != SCHEMA_VERSION:
            raise self._damaged(f"is no record of version {SCHEMA_VERSION}")
        try:
            return TextFacts(**{field.name: header[field.name] for field in fields(TextFacts)})
        except (KeyError, TypeError) as error:
            raise self._damaged(f"its header lacks {error}") from None

    def _chunk(self, line: Mapping[str, Any], start: int) -> TokenChunk:
        try:
            columns = {name: np.array(line[name], dtype=np.int64) for name in ("ids", "ranks", "tops")}
            logprobs = np.array(line["logprobs"], dtype=np.float64)
            texts: list[str] = line["texts"]
        except (KeyError, TypeError, ValueError) as error:
            raise self._damaged(f"{type(error).__name__}: {error}") from None
        if len({len(texts), len(logprobs), *map(len, columns.values())}) != 1:
            raise self._damaged("its columns differ in length")
        return TokenChunk(start=start, logprobs=logprobs, texts=texts, **columns)

    def _damaged(self, what: str) -> RecordError:
        return RecordError(f"record {self.path}: {what}; delete it and run again, it resumes")
