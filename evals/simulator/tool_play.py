"""Play tool calls: which tool, with which arguments, under which id."""

import re

import orjson

from evals.simulator.messages import Conversation
from evals.simulator.reply import PlayedCall
from evals.simulator.schema_value import schema_value
from evals.simulator.skills import asked_colour
from evals.simulator.tool_request import Tool, ToolRequest

_SEVERAL = re.compile(r"\b(both|in parallel|two)\b", re.IGNORECASE)
_QUOTED = re.compile(r"[\"'`\u201c]([^\"'`\u201d]{1,40})[\"'`\u201d]")
_NAME = re.compile(r"(?<=\s)[A-Z][a-z]{2,}\b")


def native_id(name: str, number: int) -> str:
    """Return a call id in the form Kimi is trained on; ``number`` counts calls over the conversation."""
    return f"functions.{name}:{number}"


def native_text(calls: tuple[PlayedCall, ...]) -> str:
    """Return ``calls`` as the model writes them, before a server's parser reads them."""
    written = "".join(
        f"<|tool_call_begin|>{call.id}<|tool_call_argument_begin|>{call.arguments}<|tool_call_end|>"
        for call in calls
    )
    return f"<|tool_calls_section_begin|>{written}<|tool_calls_section_end|>"


def _fitness(tool: Tool, prompt: str) -> int:
    words = re.split(r"[_\W]+", tool.name.lower())
    return sum(1 for word in words if word and word in prompt)


def _hints(conversation: Conversation) -> list[str]:
    """Return words for texts that may be anything: a colour that is asked for, quotations, names."""
    colour, prompt = asked_colour(conversation), conversation.user_text
    return [colour] if colour else _QUOTED.findall(prompt) or _NAME.findall(prompt)


def play_calls(request: ToolRequest, conversation: Conversation) -> tuple[PlayedCall, ...]:
    """Return one call, or two where the prompt asks for both of something and parallel calls are allowed.

    The tool is the one whose name the prompt mentions most, else the first; arguments are built from its
    schema, texts filled with names and quotations of the prompt.
    """
    prompt = conversation.user_text
    tool = max(request.tools, key=lambda tool: _fitness(tool, prompt.lower()))
    n_calls = 2 if request.parallel and _SEVERAL.search(prompt) else 1
    hints = _hints(conversation)
    calls = []
    for place in range(n_calls):
        arguments = schema_value(tool.parameters, hint=hints[place % len(hints)] if hints else None)
        text = orjson.dumps(arguments).decode()
        calls.append(
            PlayedCall(id=native_id(tool.name, conversation.n_calls + place), name=tool.name, arguments=text)
        )
    return tuple(calls)
