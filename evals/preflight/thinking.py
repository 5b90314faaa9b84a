"""Does thinking switch on and off as asked, and does reasoning arrive apart from the answer?"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from evals.endpoint import thinking_parameters
from evals.preflight.asker import Asked
from evals.preflight.finding import Finding, excerpt, fail, ok, skip, warn
from evals.preflight.plan import CheckPlan
from tasks.spec import ThinkMode
from verifiers.ending import Finish, finish_kind
from verifiers.thinking_switch import thinking_off_flags, thinks_aloud
from verifiers.visible_text import is_blank, split_thinking

SUM = "What is 3x7? Reply with the number alone."
NOT_DISABLED, SUSPECTED = "thinking_not_disabled", "cot_in_content_suspected"
_PARSER = {
    "vllm": "--reasoning-parser kimi_k2",
    "sglang": "--reasoning-parser kimi_k2",
    "llama.cpp": "--jinja --reasoning-format deepseek",
    "tensorrt-llm": "--reasoning_parser",
}


class Thought(StrEnum):
    """Where a reply keeps its reasoning."""

    SEPARATE = "in its own field"
    TAGGED = "in the content, within tags"
    COUNTED = "counted but not shown"
    SUSPECTED = "perhaps in the content, without tags"
    NONE = "none"


@dataclass(frozen=True, kw_only=True)
class SwitchReplies:
    """What came back with thinking switched on and off by one way of switching."""

    mode: ThinkMode
    on: Asked
    off: Asked


def switch_fields(mode: ThinkMode, *, thinking: bool) -> dict[str, Any]:
    """Return the request fields that switch thinking by ``mode``."""
    return thinking_parameters(mode, thinking=thinking, effort=None)


def thought_of(asked: Asked) -> Thought:
    """Return where the reasoning of a reply lies."""
    response = asked.response
    split = split_thinking(response.content)
    if split.flags and NOT_DISABLED in thinking_off_flags(response) and is_blank(response.reasoning):
        return Thought.TAGGED
    if not is_blank(response.reasoning):
        return Thought.SEPARATE
    if response.usage is not None and response.usage.reasoning_tokens:
        return Thought.COUNTED
    return Thought.SUSPECTED if thinks_aloud(response.content) else Thought.NONE


def switch_finding(replies: SwitchReplies, plan: CheckPlan, *, other: SwitchReplies) -> Finding:
    """Judge one way of switching thinking; ``other`` is the other way, which may be the one that works."""
    name = f"thinking_{replies.mode}"
    is_used = plan.endpoint.think_mode is replies.mode
    for asked in (replies.on, replies.off):
        if asked.is_refused:
            judge = fail if is_used else warn
            return judge(name, f"refused: {asked.words}", _use(other))
        if not asked.is_answered:
            return warn(name, f"no reply: {asked.words}")
    on, off = thought_of(replies.on), thought_of(replies.off)
    if off in (Thought.SEPARATE, Thought.TAGGED, Thought.COUNTED):
        judge = fail if is_used and plan.thinking is False else warn
        return judge(name, f"switched off it still thinks: {off}", _use(other), _flags(replies.off))
    if off is Thought.SUSPECTED:
        said = excerpt(replies.off.response.content or "")
        return warn(name, f"switched off the answer reads like thinking: {said}", _use(other), (SUSPECTED,))
    if on is Thought.NONE:
        judge = fail if is_used and plan.thinking is True else warn
        return judge(
            name,
            "no reasoning with thinking on or off",
            "the checkpoint does not think, or its chat template does not know this switch",
        )
    return ok(name, f"on: reasoning {on}; off: none")


def honours(replies: SwitchReplies) -> bool:
    """Whether both directions of a switch do what they say."""
    if not (replies.on.is_answered and replies.off.is_answered):
        return False
    return thought_of(replies.off) is Thought.NONE and thought_of(replies.on) is not Thought.NONE


def _use(other: SwitchReplies) -> str:
    if honours(other):
        return f"--think-mode {other.mode}"
    return "the chat template does not know this switch: no instant score can be measured here"


def _flags(asked: Asked) -> tuple[str, ...]:
    return thinking_off_flags(asked.response)


def reasoning_finding(thinking: Sequence[Asked], plan: CheckPlan) -> Finding:
    """Judge where reasoning arrives, over replies with thinking on or as the server has it."""
    name, answered = "reasoning", [asked for asked in thinking if asked.is_answered]
    thoughts = {asked_index: thought_of(asked) for asked_index, asked in enumerate(answered)}
    parser = _PARSER.get(plan.facts.engine or "", "the server's reasoning parser, kimi_k2")
    by_kind = {kind: [answered[i] for i, found in thoughts.items() if found is kind] for kind in Thought}
    if tagged := by_kind[Thought.TAGGED]:
        unclosed = [asked for asked in tagged if _is_unclosed(asked)]
        if unclosed:
            evidence = f"<think> never closes in the content: {excerpt(unclosed[0].response.content or '')}"
            return fail(name, evidence, parser, ("think_in_content",))
        evidence = f"<think> in the content of {len(tagged)} of {len(answered)} replies"
        return warn(name, evidence, parser, ("think_in_content",))
    if by_kind[Thought.SEPARATE]:
        return ok(name, "in a field of its own, no <think> in the content")
    if by_kind[Thought.COUNTED]:
        return ok(name, "counted in usage but not shown")
    if suspected := by_kind[Thought.SUSPECTED]:
        said = excerpt(suspected[0].response.content or "")
        return warn(
            name, f"none in a field of its own; the content reads like thinking: {said}", parser, (SUSPECTED,)
        )
    if plan.thinking is True:
        return fail(name, "thinking is asked for, no reasoning arrives", parser)
    return skip(name, "no reasoning arrives, none in the content either")


def _is_unclosed(asked: Asked) -> bool:
    """Whether a reply that ended by itself shows nothing because its thinking tag never closes."""
    stopped = finish_kind(asked.response.finish_reason) is Finish.STOPPED
    return stopped and is_blank(split_thinking(asked.response.content).visible)


def answer_finding(asked: Sequence[Asked]) -> Finding:
    """Judge whether whole answers come, over replies in the run's own mode that ended by themselves."""
    name = "answer"
    stopped = [
        one for one in asked if one.is_answered and finish_kind(one.response.finish_reason) is Finish.STOPPED
    ]
    if not stopped:
        return skip(name, "every reply was cut by the short budgets of this check")
    shown = [one for one in stopped if not is_blank(split_thinking(one.response.content).visible)]
    if shown:
        said = excerpt(split_thinking(shown[-1].response.content).visible)
        return ok(
            name, f"{len(shown)} of {len(stopped)} replies that ended by themselves hold one, as {said}"
        )
    before = (
        "reasoning but without" if any(not is_blank(one.text) for one in stopped) else "neither reasoning nor"
    )
    judge = fail if len(stopped) > 1 else warn
    plural = "replies" if len(stopped) > 1 else "reply"
    return judge(
        name,
        f"{len(stopped)} {plural} ended by themselves with {before} an answer",
        "check that chat template, reasoning parser and checkpoint belong together",
    )
