"""The tools that probes declare, and the conversations that call for them."""

from collections.abc import Mapping
from typing import Any

FACT = "KQ-48213"  # stands in a tool's result and nowhere else


def function_tool(name: str, description: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return one tool as requests declare it."""
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": dict(parameters)},
    }


def named(name: str) -> dict[str, Any]:
    """Return the tool choice that forces the tool ``name``."""
    return {"type": "function", "function": {"name": name}}


WEATHER = function_tool(
    "get_weather",
    "Get the current weather of one city.",
    {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Name of the city"},
            "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
        },
        "required": ["city", "unit"],
        "additionalProperties": False,
    },
)
GATE_CODE = function_tool(
    "get_gate_code",
    "Look up the access code of a gate.",
    {
        "type": "object",
        "properties": {"gate": {"type": "string", "description": "Name of the gate"}},
        "required": ["gate"],
        "additionalProperties": False,
    },
)
COLOUR = function_tool(
    "report_colour",
    "Report the colour of an image.",
    {
        "type": "object",
        "properties": {"colour": {"type": "string", "description": "Name of the colour in lower case"}},
        "required": ["colour"],
        "additionalProperties": False,
    },
)
TOOLS = (WEATHER, GATE_CODE)

WEATHER_QUESTION = "What is the weather in Paris now? Look it up with get_weather."
TWO_CITIES = "What is the weather now in both Paris and Rome? Call get_weather once for each, in parallel."
GATE_QUESTION = (
    "Which access code does the gate North have? Look it up with get_gate_code, then tell me the code."
)


def call_message(call_id: str, name: str, arguments: str, *, reasoning: str | None = None) -> dict[str, Any]:
    """Return the assistant's message that made one call; with reasoning, which Kimi's API wants back."""
    call = {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
    message: dict[str, Any] = {"role": "assistant", "content": "", "tool_calls": [call]}
    return message if reasoning is None else {**message, "reasoning_content": reasoning}


def result_message(call_id: str, name: str, content: str) -> dict[str, Any]:
    """Return the message that brings one call's result."""
    return {"role": "tool", "tool_call_id": call_id, "name": name, "content": content}
