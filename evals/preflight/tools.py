"""Do tools reach the model, and do its calls come back as structured calls, streamed and plain?"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from evals.preflight.asker import Asked, Asker
from evals.preflight.finding import Finding, fail, ok, warn
from evals.preflight.plan import CheckPlan
from evals.preflight.thinking import switch_fields
from tasks.spec import ThinkMode
from verifiers.tool_calls import ToolCallGrade, grade_tool_calls

NAME = "tools"
WEATHER = "What is the weather in Paris right now? Use the get_weather tool."
TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "Return the current weather of a city.",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string", "description": "Name of the city"}},
                "required": ["city"],
                "additionalProperties": False,
            },
        },
    }
]
_PARSER = {
    "vllm": "--enable-auto-tool-choice --tool-call-parser kimi_k2",
    "sglang": "--tool-call-parser kimi_k2",
    "llama.cpp": "--jinja and a chat template that knows tools (--chat-template-file)",
    "tensorrt-llm": "--tool_parser kimi_k2",
}
_LEAKS = ("leak_content", "leak_reasoning")
# Wire faults that lose or mix up calls; a serving fault where tools are what is measured.
_WIRE_FAULTS = frozenset(
    {"tool_calls_empty", "empty_deltas", "duplicate_index", "missing_index", "finish_reason_mismatch"}
)


@dataclass(frozen=True, kw_only=True)
class ToolReplies:
    """The same question without tools (its prompt alone), with tools plain and streamed, and demanded."""

    bare: Asked
    plain: Asked
    streamed: Asked | None
    required: Asked | None = None

    def called(self) -> list[Asked]:
        """Return the replies to a free choice of tools."""
        return [self.plain] if self.streamed is None else [self.plain, self.streamed]


async def tools_finding(asker: Asker, plan: CheckPlan, *, streams: bool, max_tokens: int) -> Finding:
    """Ask for the weather with a tool at hand; where no call comes, demand one."""

    async def ask(*, stream: bool, **fields: Any) -> Asked:
        fields = {"max_tokens": max_tokens, "tools": TOOLS, "tool_choice": "auto", **fields}
        return await asker.ask(WEATHER, stream=stream, **fields)

    bare, plain, streamed = await asyncio.gather(
        asker.ask(WEATHER, max_tokens=1, stream=False),
        ask(stream=False),
        ask(stream=True) if streams else asyncio.sleep(0, None),
    )
    replies = ToolReplies(bare=bare, plain=plain, streamed=streamed)
    if any(asked.is_refused or _grade(asked).triggered for asked in replies.called()):
        return judge_tools(replies, plan)
    # thinking off: engines enforce a demanded call only once the reasoning is closed
    switch = None if plan.thinking is False else switch_fields(ThinkMode.OPENSOURCE, thinking=False)
    required = await ask(stream=False, tool_choice="required", switch=switch)
    return judge_tools(ToolReplies(bare=bare, plain=plain, streamed=streamed, required=required), plan)


def judge_tools(replies: ToolReplies, plan: CheckPlan) -> Finding:
    """Judge the replies; strictly where the task to come is about tools."""
    parser = _PARSER.get(plan.facts.engine or "", "the server's tool-call parser, kimi_k2")
    broken: Callable[..., Finding] = fail if plan.is_tool_task else warn
    called = replies.called()
    if refused := [asked for asked in called if asked.is_refused]:
        return broken(NAME, f"refused: {refused[0].words}", parser)
    answered = [asked for asked in called if asked.is_answered]
    if not answered:
        return broken(NAME, f"no reply to a request with tools: {called[0].words}", parser)
    grades = {("streamed" if asked.stream else "plain"): _grade(asked) for asked in answered}
    all_flags = dict.fromkeys(flag for grade in grades.values() for flag in grade.flags)
    flags = tuple(flag for flag in all_flags if flag != "stream_ignored")  # told by the probe of streams
    if leaks := [flag for flag in _LEAKS if flag in flags]:
        place = leaks[0].removeprefix("leak_")
        return broken(NAME, f"the call stays in the {place} as the model's own tokens", parser, flags)
    triggered = [kind for kind, grade in grades.items() if grade.triggered]
    if not triggered:
        return _no_call(replies, answered, parser, flags, broken)
    if len(triggered) < len(grades):
        lost = next(kind for kind in grades if kind not in triggered)
        return warn(NAME, f"a {triggered[0]} call came, no {lost} one (chance or a parser)", parser, flags)
    return _judge_calls(grades, flags, parser, broken)


def _judge_calls(
    grades: dict[str, ToolCallGrade], flags: tuple[str, ...], parser: str, broken: Callable[..., Finding]
) -> Finding:
    for kind, grade in grades.items():
        bad = next((call for call in grade.calls if call.valid is False), None)
        if bad is not None and not grade.truncated:
            evidence = f"a {kind} call is not valid: {bad.reason}" + (f", {bad.detail}" if bad.detail else "")
            return broken(NAME, evidence[:160], parser, flags)
    if faults := [flag for flag in flags if flag in _WIRE_FAULTS]:
        return broken(NAME, f"calls come back with faults of the wire: {', '.join(faults)}", parser, flags)
    if all(grade.truncated for grade in grades.values()):
        return warn(NAME, "structured calls came back, cut by the short budget of this check", "", flags)
    kinds = " and ".join(grades)
    if flags:
        return warn(NAME, f"a structured, valid call ({kinds}), but {', '.join(flags)}", parser, flags)
    return ok(NAME, f"a structured, valid call ({kinds})")


def _no_call(
    replies: ToolReplies,
    answered: list[Asked],
    parser: str,
    flags: tuple[str, ...],
    broken: Callable[..., Finding],
) -> Finding:
    if faults := [flag for flag in flags if flag in _WIRE_FAULTS]:
        return broken(NAME, f"a call is promised and none comes: {', '.join(faults)}", parser, flags)
    demanded = _demanded(replies.required)
    if _tools_vanish(replies, answered):
        evidence = "tools never reach the model: the prompt has as many tokens with them as without"
        return broken(NAME, f"{evidence}; {demanded}", "a chat template that knows tools", flags)
    if all(asked.response.is_truncated for asked in answered):
        return warn(NAME, f"no call within the short budget of this check; {demanded}", "", flags)
    return warn(NAME, f"the model answered in text; {demanded}", parser, flags)


def _demanded(required: Asked | None) -> str:
    if required is None:
        return "none was demanded"
    if required.is_refused:
        return f"tool_choice required is refused: {required.words}"
    if not required.is_answered:
        return f"tool_choice required brought no reply: {required.words}"
    grade = _grade(required)
    if not grade.triggered:
        return "tool_choice required is not enforced"
    cut = " (cut by the budget)" if grade.truncated else ""
    return f"with tool_choice required a structured call came{cut}"


def _tools_vanish(replies: ToolReplies, answered: list[Asked]) -> bool:
    with_tools, without = _prompt_tokens(answered[0]), _prompt_tokens(replies.bare)
    return with_tools is not None and with_tools == without


def _prompt_tokens(asked: Asked) -> int | None:
    return asked.response.usage.prompt_tokens if asked.response.usage else None


def _grade(asked: Asked) -> ToolCallGrade:
    return grade_tool_calls(asked.response, TOOLS, tool_choice=asked.body.get("tool_choice"))
