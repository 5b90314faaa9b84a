"""Tell on stderr how far a pass has come."""

import sys
import time

EVERY_S = 10.0


class Progress:
    """Counts texts and tokens of one pass and writes a line every few seconds, and one at the end."""

    def __init__(self, name: str, n_texts: int) -> None:
        self._name, self._n_texts = name, n_texts
        self._done = self._tokens = 0
        self._started = self._told_at = time.monotonic()

    def count(self, n_tokens: int) -> None:
        """Count one text."""
        self._done += 1
        self._tokens += n_tokens
        now = time.monotonic()
        if self._done == self._n_texts or now - self._told_at >= EVERY_S:
            self._told_at = now
            print(self.line(now), file=sys.stderr, flush=True)

    def line(self, now: float) -> str:
        """Return how far the pass has come."""
        elapsed = max(now - self._started, 1e-9)
        speed = self._tokens / elapsed
        left_s = elapsed / self._done * (self._n_texts - self._done)
        left = f" · about {left_s:.0f} s left" if self._done < self._n_texts else ""
        texts = f"{self._done:,}/{self._n_texts:,} texts"
        return f"{self._name}: {texts} · {self._tokens:,} tokens · {speed:,.0f} tok/s{left}"
