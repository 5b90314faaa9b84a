"""Record one side: every text that is not recorded yet, a few at a time; run again to resume."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evals.divergence.pace import Pace
from evals.divergence.scorer import Scorer
from evals.divergence.text import PlannedText, TextError
from evals.divergence.token_gate import TokenGate
from evals.endpoint import EndpointError
from evals.storage.run_directory import write_json
from evals.transport.failure import Failure
from reports.divergence.records import SCHEMA_VERSION, RecordError
from reports.divergence.side import MANIFEST, RECORDS, Side, read_side, record_path

# What must not change between two runs that share a directory: the records are of one checkpoint.
_IDENTITY = ("model", "served_path", "quantization", "engine")


@dataclass(kw_only=True)
class Recorded:
    """What a pass did: texts and tokens scored now, texts refused by reason."""

    n_texts: int = 0
    n_tokens: int = 0
    refused: Counter[str] = field(default_factory=Counter)


def open_side(directory: Path, facts: Mapping[str, Any]) -> Side:
    """Return the side in ``directory``, begun with ``facts`` or continued.

    Raises :class:`RecordError` where it holds the records of another checkpoint.
    """
    if (directory / MANIFEST).exists():
        side = read_side(directory)
        for name in _IDENTITY:
            if side.facts.get(name) != facts.get(name):
                raise RecordError(
                    f"{directory}: holds records of {name} {side.facts.get(name)!r}, the endpoint has"
                    f" {facts.get(name)!r}; name another --out"
                )
        return side
    write_json(directory / MANIFEST, {"schema": SCHEMA_VERSION, **facts})
    return read_side(directory)


def missing_texts(directory: Path, planned: Sequence[PlannedText], part: str = RECORDS) -> list[PlannedText]:
    """Return the texts that are not recorded yet."""
    return [text for text in planned if not record_path(directory, text.key, part).exists()]


async def record_texts(
    scorer: Scorer,
    directory: Path,
    planned: Sequence[PlannedText],
    *,
    part: str = RECORDS,
    pace: Pace,
    on_text: Callable[[int], None],
) -> Recorded:
    """Score ``planned`` in their order; ``on_text`` is told the tokens of each text that is in.

    A text that the endpoint refuses is counted with the reason. Raises :class:`EndpointError` where it is no
    use to go on.
    """
    done, gate, queue = Recorded(), TokenGate(pace.max_tokens_in_flight), iter(planned)
    work = _Work(scorer=scorer, directory=directory, part=part, gate=gate, done=done, on_text=on_text)
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(pace.max_connections, len(planned))):
                group.create_task(work.go_on(queue))
    except* Failure as failures:
        raise EndpointError(_words(scorer, failures.exceptions[0])) from None
    if done.refused and not done.n_texts:
        reason, number = done.refused.most_common(1)[0]
        raise EndpointError(f"endpoint {scorer.base_url}: scores no text ({number:,} x {reason})")
    return done


@dataclass(frozen=True, kw_only=True)
class _Work:
    """What the workers of one pass share."""

    scorer: Scorer
    directory: Path
    part: str
    gate: TokenGate
    done: Recorded
    on_text: Callable[[int], None]

    async def go_on(self, queue: Iterator[PlannedText]) -> None:
        """Take text after text until none is left."""
        for planned in queue:
            async with self.gate.through(planned.n_tokens):
                await self._score(planned)

    async def _score(self, planned: PlannedText) -> None:
        path = record_path(self.directory, planned.key, self.part)
        try:
            n_tokens = await self.scorer.score(planned.load(), planned.key, path)
        except TextError as error:
            self.done.refused[str(error)] += 1
        except Failure as failure:
            # a text may be refused for what it says; what all share, or a server that is down, ends the pass
            if failure.status not in {400, 413, 422}:
                raise
            self.done.refused[failure.message] += 1
        else:
            self.done.n_texts += 1
            self.done.n_tokens += n_tokens
            self.on_text(n_tokens)


def _words(scorer: Scorer, failure: BaseException) -> str:
    message = failure.message if isinstance(failure, Failure) else str(failure)
    return f"endpoint {scorer.base_url}: {message}; what is recorded stays, run again to resume"
