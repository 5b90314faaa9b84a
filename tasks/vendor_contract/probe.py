"""A probe: what is asked, what the contract expects of the answer, and how the evidence is judged."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from verifiers.contract_evidence import Judge, ProbeReply

Body = Mapping[str, Any]
Replies = Mapping[str, ProbeReply]


class Group(StrEnum):
    """What part of the contract a probe belongs to; one line of the report each, in this order."""

    BASICS = "basics"
    SAMPLING = "sampling"
    THINKING = "thinking"
    TOOLS = "tools"
    SCHEMAS = "schemas"
    FORMATS = "formats"
    USAGE = "usage"
    LIMITS = "limits"
    IMAGES = "images"


class Delivery(StrEnum):
    """How replies are asked for. ``BOTH``: one judgement on each request's plain and streamed reply."""

    STREAM = "stream"
    PLAIN = "plain"
    BOTH = "both"


class Demand(StrEnum):
    """What a profile makes of a probe."""

    REQUIRED = "required"  # a failure disqualifies
    OPTIONAL = "optional"  # may be refused, with a 400 and a reason; otherwise as required
    ADVISORY = "advisory"  # a failure is reported and disqualifies nobody


@dataclass(frozen=True, kw_only=True)
class Ask:
    """One request of a probe: the body without model, streaming and the switch for thinking.

    ``thinking`` of ``None`` says nothing, so that the server's default applies. Requests of different
    probes that are equal in everything, ``draw`` included, are sent once and share their reply.
    """

    name: str
    body: Body
    thinking: bool | None = None
    effort: str | None = None
    draw: int = 0


@dataclass(frozen=True, kw_only=True)
class Probe:
    """One point of the contract.

    ``expectation`` is one sentence; ``advice`` says what to look at when it is not met. ``follow_up`` makes
    a further request of the replies so far, ``None`` where they leave nothing to ask. ``depends_on`` names
    probes whose failure, in the same way of delivery, explains a failure of this one.
    """

    name: str
    group: Group
    expectation: str
    asks: tuple[Ask, ...]
    judge: Judge
    advice: str = ""
    deliveries: tuple[Delivery, ...] = (Delivery.STREAM, Delivery.PLAIN)
    depends_on: tuple[str, ...] = ()
    follow_up: Callable[[Replies], Ask | None] | None = None


@dataclass(frozen=True, kw_only=True)
class Budgets:
    """How many output tokens probes may spend, and the context length where it is known.

    ``reply`` is for a whole reply, reasoning included; ``short`` for replies whose text does not matter.
    """

    reply: int = 4096
    short: int = 16
    sampled: int = 48
    context_tokens: int | None = None

    def within_context(self) -> "Budgets":
        """Return the same with a reply of at most half the context, so that the prompt has room."""
        if self.context_tokens is None:
            return self
        reply = max(1, min(self.reply, self.context_tokens // 2))
        return Budgets(
            reply=reply,
            short=min(self.short, reply),
            sampled=min(self.sampled, reply),
            context_tokens=self.context_tokens,
        )


def user(text: str) -> list[dict[str, Any]]:
    """Return the messages of a conversation that begins with ``text``."""
    return [{"role": "user", "content": text}]
