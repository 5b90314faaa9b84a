"""Read the tools of a request and how far the model may choose among them."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from evals.simulator.refusals import RefusedError, bad_value


class ToolMode(StrEnum):
    """Who decides whether a tool is called."""

    NONE = "none"
    AUTO = "auto"
    REQUIRED = "required"
    NAMED = "named"


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A declared function; ``parameters`` is its JSON schema, ``None`` where it declares none."""

    name: str
    parameters: Any = None


@dataclass(frozen=True, kw_only=True)
class ToolRequest:
    """The tools declared (with ``named``: the demanded one alone)."""

    mode: ToolMode = ToolMode.NONE
    tools: tuple[Tool, ...] = ()
    parallel: bool = True


def _read_tools(value: Any) -> tuple[Tool, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise bad_value("tools must be a list.", "tools", value)
    tools = []
    for item in value:
        function = item.get("function") if isinstance(item, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            raise bad_value("Each tool has a function with a name.", "tools", str(item)[:80])
        tools.append(Tool(name=function["name"], parameters=function.get("parameters")))
    return tuple(tools)


def declared_tools(body: Mapping[str, Any]) -> Any:
    """Return the tools at the top of a request with those that its messages add, unchecked."""
    tools, messages = body.get("tools"), body.get("messages")
    added = [
        tool
        for message in (messages if isinstance(messages, list) else ())
        if isinstance(message, dict) and isinstance(message.get("tools"), list)
        for tool in message["tools"]
    ]
    return [*(tools or ()), *added] if added and isinstance(tools, list | None) else tools


def read_tool_request(body: Mapping[str, Any]) -> ToolRequest:
    """Read the tools and ``tool_choice``; raise :class:`RefusedError` where they do not fit together."""
    tools = _read_tools(declared_tools(body))
    choice = body.get("tool_choice")
    parallel = body.get("parallel_tool_calls") is not False
    if choice is None:
        choice = "auto" if tools else "none"
    if choice == "none":
        return ToolRequest(tools=tools, parallel=parallel)
    if not tools:
        raise RefusedError(400, "When using `tool_choice`, `tools` must be set.", param="tool_choice")
    if choice in ("auto", "required"):
        return ToolRequest(mode=ToolMode(choice), tools=tools, parallel=parallel)
    function = choice.get("function") if isinstance(choice, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    if name is None:
        raise bad_value("Invalid value for `tool_choice`.", "tool_choice", choice)
    named = tuple(tool for tool in tools if tool.name == name)
    if not named:
        raise bad_value("`tool_choice` names none of the given `tools`.", "tool_choice", name)
    return ToolRequest(mode=ToolMode.NAMED, tools=named[:1], parallel=parallel)
