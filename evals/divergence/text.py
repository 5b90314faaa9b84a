"""A text whose tokens are to be scored: what was asked, what the model said, how it was sampled."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reports.divergence.records import TextFacts
from tasks.spec import digest
from verifiers.response import ToolCall

OPENER, CLOSER = "<think>", "</think>"


class TextError(ValueError):
    """A text that cannot be scored: an image in it, a tool call without native form, a row that is none."""


@dataclass(frozen=True, kw_only=True)
class Text:
    """One text. The prompt is given as ``messages``, as text (``prompt``) or, with the response, as token ids.

    ``template`` holds the chat template's own variables. ``n_prompt_ids`` of the ``token_ids`` are the
    prompt. ``temperature`` and ``top_p`` are ``None`` where the response was not sampled or nobody knows,
    ``counted_tokens`` where no server has counted them.
    """

    sample_id: str
    epoch: int = 1
    task: str = ""
    category: str | None = None
    messages: Sequence[Mapping[str, Any]] = ()
    tools: Sequence[Any] = ()
    template: Mapping[str, Any] = field(default_factory=dict)
    prompt: str | None = None
    reasoning: str | None = None
    content: str = ""
    calls: Sequence[ToolCall] = ()
    token_ids: Sequence[int] = ()
    n_prompt_ids: int = 0
    temperature: float | None = None
    top_p: float | None = None
    counted_tokens: int | None = None

    @property
    def key(self) -> str:
        """The digest of what is scored: equal for equal texts, whoever serves them."""
        said = [self.reasoning, self.content, [[call.id, call.name, call.arguments] for call in self.calls]]
        asked = [list(self.messages), list(self.tools), dict(self.template), self.prompt]
        given = [list(self.token_ids), self.n_prompt_ids]
        who = [self.task, self.sample_id, self.epoch]
        return str(digest({"who": who, "asked": asked, "said": said, "given": given}))[:24]

    def facts(self, *, key: str, n_prompt: int) -> TextFacts:
        """Return the header of the text's record."""
        return TextFacts(
            key=key,
            sample_id=self.sample_id,
            epoch=self.epoch,
            task=self.task,
            category=self.category,
            n_prompt=n_prompt,
            has_reasoning=self.reasoning is not None,
            n_inner_closers=(self.reasoning or "").count(CLOSER),
            temperature=self.temperature,
            top_p=self.top_p,
        )


@dataclass(frozen=True, kw_only=True)
class PlannedText:
    """A text that is still on disk: its key, its length in tokens (an estimate unless ``is_counted``)."""

    key: str
    n_tokens: int
    is_counted: bool
    load: Callable[[], Text] = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Texts:
    """What can be scored, and how many texts cannot, by reason."""

    planned: Sequence[PlannedText]
    left_out: Mapping[str, int] = field(default_factory=dict)
    source: str = ""


def response_text(text: Text, *, is_thinking: bool) -> str:
    """Return the response as the model wrote it: thinking tags and native tool calls put back.

    ``is_thinking``: the prompt itself ends within an opened thinking tag. A response that ended while it
    was still thinking has no closing tag.
    """
    said = text.content + _native_calls(text.calls)
    if text.reasoning is None:
        return said
    opener = "" if is_thinking else OPENER
    return f"{opener}{text.reasoning}{CLOSER + said if said else ''}"


def _native_calls(calls: Sequence[ToolCall]) -> str:
    """Return calls in the form that Kimi's checkpoints write; refuse those of other models."""
    if not calls:
        return ""
    if any(not call.id or not call.id.startswith("functions.") or call.arguments is None for call in calls):
        raise TextError("tool calls whose native form is not known")
    written = (
        f"<|tool_call_begin|>{call.id}<|tool_call_argument_begin|>{call.arguments}<|tool_call_end|>"
        for call in calls
    )
    return f"<|tool_calls_section_begin|>{''.join(written)}<|tool_calls_section_end|>"
