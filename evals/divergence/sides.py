"""The two sides as the flags name them: an endpoint to ask, or a directory in which one is recorded."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evals.divergence.caller import Caller
from evals.divergence.cost import Pass
from evals.divergence.engine import Engine
from evals.divergence.pace import Pace
from evals.divergence.record_side import missing_texts, open_side, record_texts
from evals.divergence.scorer import Scorer
from evals.divergence.tell import Progress
from evals.divergence.text import PlannedText
from evals.endpoint import Endpoint, request_headers
from evals.endpoint_facts import EndpointFacts
from evals.prompts.chat_template import ChatTemplate
from evals.storage.run_directory import now_text
from evals.transport.retry import RetryPolicy
from evals.waits import Waits
from reports.divergence.side import FLOOR, RECORDS


@dataclass(frozen=True, kw_only=True)
class AskedSide:
    """An endpoint to ask, and the directory that its records go to. ``with_floor``: each text twice."""

    name: str
    endpoint: Endpoint
    engine: Engine
    facts: EndpointFacts
    directory: Path
    with_floor: bool = False

    @property
    def parts(self) -> tuple[str, ...]:
        """The passes over this side."""
        return (RECORDS, FLOOR) if self.with_floor else (RECORDS,)

    def passes(self, planned: Sequence[PlannedText]) -> list[Pass]:
        """Return what is still to do."""
        names = {RECORDS: self.name, FLOOR: f"{self.name} again (noise floor)"}
        return [
            Pass(name=names[part], texts=missing_texts(self.directory, planned, part)) for part in self.parts
        ]


@dataclass(frozen=True, kw_only=True)
class Manner:
    """How the endpoints are asked."""

    top_k: int
    pace: Pace = field(default_factory=Pace)
    waits: Waits = field(default_factory=Waits)
    policy: RetryPolicy = field(default_factory=RetryPolicy)
    template: ChatTemplate | None = None


def record(side: AskedSide, planned: Sequence[PlannedText], manner: Manner) -> Mapping[str, int]:
    """Record what is missing of a side; return the texts refused, by reason.

    Raises :class:`evals.endpoint.EndpointError` where the endpoint fails, and
    :class:`reports.divergence.records.RecordError` where the directory holds another checkpoint's records.
    """
    open_side(side.directory, _manifest(side))
    return asyncio.run(_record(side, planned, manner))


async def _record(side: AskedSide, planned: Sequence[PlannedText], manner: Manner) -> Counter[str]:
    endpoint, refused = side.endpoint, Counter[str]()
    headers = request_headers(endpoint)
    async with Caller(
        endpoint.base_url, endpoint.model, headers, waits=manner.waits, policy=manner.policy
    ) as caller:
        scorer = Scorer(
            caller,
            side.engine,
            top_k=manner.top_k,
            context_tokens=side.facts.context_tokens,
            template=manner.template,
        )
        for part, one in zip(side.parts, side.passes(planned), strict=True):
            # the second time the other way round, so that other texts share a batch
            texts = one.texts if part == RECORDS else [*reversed(one.texts)]
            progress = Progress(one.name, len(texts))
            done = await record_texts(
                scorer, side.directory, texts, part=part, pace=manner.pace, on_text=progress.count
            )
            refused.update(done.refused if part == RECORDS else {})
    return refused


def _manifest(side: AskedSide) -> dict[str, object]:
    facts = side.facts.as_dict()
    return {
        **facts,
        "label": side.endpoint.label,
        "model": side.endpoint.model,
        "base_url": side.endpoint.base_url,
        "engine": side.engine.value,
        "started": now_text(),
    }
