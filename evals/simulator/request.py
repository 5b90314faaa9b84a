"""Read one chat completion request: what is asked, checked as a server checks it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from evals.simulator.answers import PromptKey
from evals.simulator.messages import Conversation, read_conversation
from evals.simulator.refusals import RefusedError, bad_value
from evals.simulator.tokens import count_tokens
from evals.simulator.tool_request import ToolRequest, declared_tools, read_tool_request

_ONE_TOKEN_TOP_P = 0.001


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """The sampling parameters of a request; ``None`` where it left them to the server."""

    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    n: int = 1
    stop: tuple[str, ...] = ()
    presence_penalty: float | None = None
    frequency_penalty: float | None = None

    @property
    def is_greedy(self) -> bool:
        """Whether one token alone can be drawn at each place, so that the seed makes no difference."""
        return self.temperature == 0 or (self.top_p is not None and self.top_p < _ONE_TOKEN_TOP_P)

    @property
    def penalties(self) -> tuple[float, ...]:
        """The penalties, where any of them does something."""
        asked = (self.presence_penalty or 0.0, self.frequency_penalty or 0.0)
        return asked if any(asked) else ()


@dataclass(frozen=True, kw_only=True)
class ResponseFormat:
    """A demanded output format; ``schema`` is ``None`` for any JSON object."""

    schema: Any = None


@dataclass(frozen=True, kw_only=True)
class ChatRequest:
    """One checked chat completion request. ``thinking`` is ``None`` where the request did not say."""

    model: str | None
    conversation: Conversation
    sampling: Sampling
    tool_request: ToolRequest
    response_format: ResponseFormat | None
    max_tokens: int | None
    max_tokens_field: str
    prompt_tokens: int
    stream: bool
    include_usage: bool
    thinking: bool | None
    effort: str | None

    @property
    def key(self) -> PromptKey:
        """What the answer book is asked with."""
        return self.conversation.key


def _number(
    body: Mapping[str, Any], name: str, *, low: float, high: float = float("inf"), above: bool = False
) -> float | None:
    value = body.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise bad_value(f"{name} must be a number.", name, value)
    if not low <= value <= high or (above and value == low):
        bounds = f"{'(' if above else '['}{low:g}, {high:g}]"
        raise bad_value(f"{name} must be in {bounds}, got {value}.", name, value)
    return float(value)


def _integer(body: Mapping[str, Any], name: str, low: int | None = None) -> int | None:
    value = body.get(name)
    if value is None:
        return None
    if type(value) is not int:
        raise bad_value(f"{name} must be an integer.", name, value)
    if low is not None and value < low:
        raise bad_value(f"{name} must be at least {low}, got {value}.", name, value)
    return value


def _flag(body: Mapping[str, Any], name: str) -> bool:
    value = body.get(name)
    if value is not None and not isinstance(value, bool):
        raise bad_value(f"{name} must be a boolean.", name, value)
    return bool(value)


def _read_stop(value: Any) -> tuple[str, ...]:
    stops = [value] if isinstance(value, str) else value or []
    if not isinstance(stops, list) or not all(isinstance(stop, str) and stop for stop in stops):
        raise bad_value("stop must be a non-empty text or a list of them.", "stop", value)
    return tuple(stops)


def _read_sampling(body: Mapping[str, Any]) -> Sampling:
    return Sampling(
        temperature=_number(body, "temperature", low=0, high=2),
        top_p=_number(body, "top_p", low=0, high=1, above=True),
        seed=_integer(body, "seed"),
        n=_integer(body, "n", 1) or 1,
        stop=_read_stop(body.get("stop")),
        presence_penalty=_number(body, "presence_penalty", low=-2, high=2),
        frequency_penalty=_number(body, "frequency_penalty", low=-2, high=2),
    )


def _read_thinking(body: Mapping[str, Any]) -> bool | None:
    """Both ways of switching count; off wins where they disagree."""
    template = body.get("chat_template_kwargs")
    switches = [template.get("thinking")] if isinstance(template, dict) else []
    hosted = body.get("thinking")
    if isinstance(hosted, dict) and hosted.get("type") in ("enabled", "disabled"):
        switches.append(hosted["type"] == "enabled")
    said = [switch for switch in switches if isinstance(switch, bool)]
    return all(said) if said else None


def _read_effort(body: Mapping[str, Any]) -> str | None:
    template, hosted = body.get("chat_template_kwargs"), body.get("thinking")
    candidates = [
        template.get("thinking_effort") if isinstance(template, dict) else None,
        hosted.get("effort") if isinstance(hosted, dict) else None,
        body.get("reasoning_effort"),
    ]
    return next((effort for effort in candidates if isinstance(effort, str)), None)


def _read_response_format(value: Any) -> ResponseFormat | None:
    kind = value.get("type") if isinstance(value, dict) else value
    match kind:
        case None | "text":
            return None
        case "json_object":
            return ResponseFormat()
        case "json_schema":
            wrapper = value.get("json_schema")
            if isinstance(wrapper, dict) and isinstance(wrapper.get("schema"), dict | bool):
                return ResponseFormat(schema=wrapper["schema"])
            raise bad_value("response_format.json_schema.schema must be a schema.", "response_format", value)
        case _:
            raise bad_value("Unknown response_format.", "response_format", value)


def read_body(raw: bytes) -> dict[str, Any]:
    """Return the object in a body; raise :class:`RefusedError` for anything else."""
    try:
        body = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise RefusedError(400, f"The body is not JSON: {error}") from error
    if not isinstance(body, dict):
        raise RefusedError(400, f"The body is a {type(body).__name__}; an object is expected")
    return body


def _includes_usage(body: Mapping[str, Any], stream: bool) -> bool:
    options = body.get("stream_options")
    if options is None:
        return False
    if not stream:
        raise bad_value("Stream options can only be defined when `stream=True`.", "stream_options", options)
    return isinstance(options, dict) and options.get("include_usage") is True


def read_request(raw: bytes) -> ChatRequest:
    """Read a request body; raise :class:`RefusedError` as a server would. Unknown keys are ignored."""
    body = read_body(raw)
    model = body.get("model")
    if model is not None and not isinstance(model, str):
        raise bad_value("model must be a text.", "model", model)
    conversation = read_conversation(body.get("messages"))
    stream = _flag(body, "stream")
    field = "max_completion_tokens" if body.get("max_completion_tokens") is not None else "max_tokens"
    tools = declared_tools(body)
    tools_text = orjson.dumps(tools).decode() if tools else ""
    return ChatRequest(
        model=model,
        conversation=conversation,
        sampling=_read_sampling(body),
        tool_request=read_tool_request(body),
        response_format=_read_response_format(body.get("response_format")),
        max_tokens=_integer(body, field, 1),
        max_tokens_field=field,
        prompt_tokens=conversation.n_tokens + count_tokens(tools_text),
        stream=stream,
        include_usage=_includes_usage(body, stream),
        thinking=_read_thinking(body),
        effort=_read_effort(body),
    )
