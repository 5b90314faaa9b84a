"""Collect tokens one by one and write them to a record chunk by chunk."""

import math

import numpy as np

from reports.divergence.records import CHUNK_TOKENS, UNKNOWN_ID, UNKNOWN_RANK, RecordWriter, TokenChunk


class Columns:
    """The tokens of one record in the order of the text; at most one chunk of them is held."""

    def __init__(self, writer: RecordWriter) -> None:
        self.n_tokens = 0
        self._writer = writer
        self._clear()

    def add(
        self,
        token_id: int,
        text: str,
        *,
        logprob: float | None = None,
        rank: int | None = None,
        top: int | None = None,
    ) -> None:
        """Add the next token; ``None`` where something is not known."""
        self._ids.append(token_id)
        self._texts.append(text)
        self._logprobs.append(math.nan if logprob is None else logprob)
        self._ranks.append(UNKNOWN_RANK if rank is None else rank)
        self._tops.append(UNKNOWN_ID if top is None else top)
        self.n_tokens += 1
        if len(self._ids) == CHUNK_TOKENS:
            self._flush()

    def finish(self) -> None:
        """Write what is left and end the record."""
        self._flush()
        self._writer.finish()

    def abandon(self) -> None:
        """Delete what was written."""
        self._writer.abandon()

    def _flush(self) -> None:
        if self._ids:
            self._writer.add(
                TokenChunk(
                    start=self.n_tokens - len(self._ids),
                    ids=np.array(self._ids, dtype=np.int64),
                    logprobs=np.array(self._logprobs, dtype=np.float64),
                    ranks=np.array(self._ranks, dtype=np.int64),
                    tops=np.array(self._tops, dtype=np.int64),
                    texts=self._texts,
                )
            )
        self._clear()

    def _clear(self) -> None:
        self._ids: list[int] = []
        self._texts: list[str] = []
        self._logprobs: list[float] = []
        self._ranks: list[int] = []
        self._tops: list[int] = []
