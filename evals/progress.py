"""Live progress of a run on stderr: a bar on a terminal, plain lines elsewhere."""

import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TextIO

from inspect_ai.hooks import Hooks, SampleEnd, hooks
from tqdm import tqdm

from evals.transport.failure import FailureKind
from reports.dead import DEAD_SHARE, says_nothing

LINE_EVERY_S = 30.0
_BAR = "{l_bar}{bar}| {n_fmt}/{total_fmt} [{elapsed}{postfix}]"  # tqdm's own time left knows only what is finished
_NOTHING_SAID = ", nothing said"  # behind the outcome of a reply as a dead checkpoint gives it


class Watcher(Protocol):
    """What an evaluation under way tells of itself.

    ``on_unexpected`` is called with an error that no :class:`evals.transport.failure.Failure` explains;
    ``live_tokens`` returns the tokens received so far, also of responses that are still being written. The
    evaluation sets both.
    """

    on_unexpected: Callable[[str], None]
    live_tokens: Callable[[], int]

    def sent(self, is_retry: bool) -> None:
        """Hear of one request that is about to be sent, and whether it repeats a failed one."""

    def finished(self, outcome: str) -> None:
        """Hear of one finished response: its outcome, as :func:`told_outcome` words it."""

    def close(self) -> None:
        """Hear that it is over."""


class Progress:
    """Counts finished responses by outcome and shows them with speed and time left, under ``title`` if given.

    Speed counts tokens of responses that are still being written: with answers of an hour, finished ones
    alone would say nothing for long.
    """

    def __init__(
        self,
        *,
        expected: int,
        recorded: int,
        title: str = "",
        out: TextIO | None = None,
    ) -> None:
        self.on_unexpected: Callable[[str], None] = lambda _message: None
        self.live_tokens: Callable[[], int] = lambda: 0
        self._out = out if out is not None else sys.stderr
        self._title = f"{title}: " if title else ""
        self._expected = expected
        self._recorded = recorded
        self._outcomes: Counter[str] = Counter()
        self._n_nothing_said = 0
        self._n_sent = 0
        self._started = time.monotonic()
        self._line_at = self._started
        self._bar: tqdm[Any] | None = None
        if self._out.isatty():
            self._bar = tqdm(
                desc=title or None,
                total=expected,
                file=self._out,
                bar_format=_BAR,
                dynamic_ncols=True,
                leave=not title,  # of several bars one that is over would stand between the others
            )

    def sent(self, is_retry: bool) -> None:
        """Count what is being written: of the time left it says more than the few that are finished first."""
        self._n_sent += not is_retry

    def finished(self, outcome: str) -> None:
        """Count one finished response."""
        self._outcomes[outcome.removesuffix(_NOTHING_SAID)] += 1
        self._n_nothing_said += outcome.endswith(_NOTHING_SAID)
        if self._bar is not None:
            self._bar.set_postfix_str(f"{self.figures()}{self._time_left()}", refresh=False)
            self._bar.update()
        elif time.monotonic() - self._line_at >= LINE_EVERY_S:
            self._line_at = time.monotonic()
            self.line()

    def line(self) -> None:
        """Write one plain line with the state so far."""
        n_done = self._outcomes.total()
        print(
            f"{self._title}{n_done}/{self._expected} responses · {self.figures()}{self._time_left()}",
            file=self._out,
            flush=True,
        )

    def figures(self) -> str:
        """Return accuracy as served, truncated, errors and speed in a few words; no speed where nothing is asked."""
        counts = f"truncated {self._outcomes['truncated']} · errors {self._outcomes['error']}"
        elapsed = max(time.monotonic() - self._started, 1e-9)
        n_tokens = self.live_tokens()
        speed = f" · {n_tokens / elapsed:,.0f} tok/s" if n_tokens else ""
        return f"{self._accuracy()} · {counts}{speed}"

    def _accuracy(self) -> str:
        """Return accuracy so far; of replies as a dead checkpoint gives them it would be a score of a fault."""
        n_came = self._outcomes.total() - self._outcomes["error"]
        n_right, n_nothing = self._outcomes["correct"], self._n_nothing_said
        if n_nothing and not n_right and n_nothing >= DEAD_SHARE * n_came:
            return f"no accuracy, {n_nothing} of {n_came} replies say nothing"
        return f"accuracy {n_right / n_came:.1%}" if n_came else "accuracy -"

    def _time_left(self) -> str:
        """Return the time left at the pace so far; what is being written counts as half written."""
        n_done = self._outcomes.total()
        n_new = n_done - self._recorded
        if n_new <= 0 or n_done >= self._expected:
            return ""
        n_writing = self._n_sent - n_new  # too many where a response is asked with several budgets
        half_written = min(max(n_writing, 0), self._expected - n_done) / 2
        pace_s = (time.monotonic() - self._started) / (n_new + half_written)
        left_s = pace_s * (self._expected - n_done - half_written)
        return f" · about {left_s / 60:.0f} min left" if left_s >= 90 else f" · about {left_s:.0f} s left"

    def close(self) -> None:
        """Finish the display."""
        if self._bar is not None:
            self._bar.close()
        elif self._outcomes:
            self.line()


class ProgressSlot:
    """Holds who watches the run under way, and how many responses have been graded in this process.

    Inspect's hooks are one object per process.
    """

    current: Watcher | None = None
    n_graded = 0


@hooks(name="quantcheck_progress", description="Counts finished responses for the progress display.")
class ProgressHooks(Hooks):
    """Tells the progress of the run under way about every finished sample."""

    def enabled(self) -> bool:
        """Return whether a run of ours is under way."""
        return ProgressSlot.current is not None

    async def on_sample_end(self, data: SampleEnd) -> None:
        """Count one sample; pass on an error that is not one of ours."""
        watcher = ProgressSlot.current
        if watcher is None:
            return
        error = data.sample.error
        if error is not None and "Cancelled" in error.message:
            return  # never asked, or not to its end: no response of any kind
        score = (data.sample.scores or {}).get("outcome")
        metadata = score.metadata if score is not None else None
        ProgressSlot.n_graded += 1
        watcher.finished(told_outcome(metadata or {}))
        if error is not None and not is_foreseen(error.message):
            watcher.on_unexpected(error.message)


def told_outcome(row: Mapping[str, Any]) -> str:
    """Return how a scored response ended as a watcher is told it; without a score it is an error."""
    outcome = str(row.get("outcome", "error"))
    return outcome + _NOTHING_SAID * says_nothing(outcome, row.get("flags") or ())


def is_foreseen(message: str) -> bool:
    """Return whether a sample's error is a failure that the provider named."""
    return message.startswith(tuple(f"{kind}: " for kind in FailureKind))
