"""Between Inspect's messages and the request body that goes over the wire."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from inspect_ai.model import ChatMessage, Content, ContentImage, ContentReasoning, ContentText, GenerateConfig
from inspect_ai.tool import ToolChoice, ToolFunction, ToolInfo

from evals.endpoint import Endpoint
from evals.transport.whole_request import encode_whole, is_completion, merge, whole_body, whole_key
from tasks.response_record import RAW_REQUEST, REQUEST_IDENTITY, REQUEST_IMAGES
from tasks.spec import digest

CHAT, COMPLETIONS = "chat/completions", "completions"  # paths below the base URL


@dataclass(frozen=True, kw_only=True)
class WireRequest:
    """A request body, and the key under which its answer is journalled.

    The key covers every byte that is sent but for images, which stand in it as references, and the way
    of transport, which does not change the answer: so changed settings never reuse an old answer. The body
    of a whole request (``is_whole``) is what is sent to the letter, stream settings included; they are in
    its key, since they are what such requests try.
    """

    body: dict[str, Any]
    key: str
    stream: bool = True
    is_whole: bool = False
    path: str = CHAT


def build_request(
    messages: Sequence[ChatMessage],
    tools: Sequence[ToolInfo],
    tool_choice: ToolChoice,
    config: GenerateConfig,
    endpoint: Endpoint,
    *,
    salt: str,
    stream: bool = True,
) -> WireRequest:
    """Return the request for Inspect's messages; ``salt`` tells apart requests with equal bodies."""
    raw = _raw_request(messages)
    if raw is not None:
        return _whole_request(raw, whole_body(raw, _sampling(config), endpoint), salt)
    body: dict[str, Any] = {"model": endpoint.model, "messages": [_message(message) for message in messages]}
    body |= _sampling(config)
    if tools:
        body["tools"] = [_tool(tool) for tool in tools]
        body["tool_choice"] = _tool_choice(tool_choice)
    body |= merge(merge(endpoint.thinking_parameters(), endpoint.extra_body), config.extra_body or {})
    return WireRequest(body=body, key=digest({"body": body, "salt": salt})[:32], stream=stream)


def encode_request(request: WireRequest, load_image: Callable[[str], str]) -> bytes:
    """Return the bytes to send; of a whole request exactly its body."""
    if request.is_whole:
        return encode_whole(request.body)
    return encode_body(request.body, stream=request.stream, load_image=load_image)


def encode_body(body: Mapping[str, Any], *, stream: bool, load_image: Callable[[str], str]) -> bytes:
    """Return the bytes to send: streaming fields added, image references replaced by data URIs."""
    sent = {**body, "messages": [_with_images(message, load_image) for message in body.get("messages", ())]}
    if stream:
        sent |= {"stream": True, "stream_options": {"include_usage": True}}
    else:
        sent["stream"] = False
    return orjson.dumps(sent)


def has_images(body: Mapping[str, Any]) -> bool:
    """Return whether a message holds image parts."""
    return any(
        isinstance(part, dict) and part.get("type") == "image_url"
        for message in body.get("messages", ())
        if isinstance(message, dict) and isinstance(message.get("content"), list)
        for part in message["content"]
    )


def _whole_request(raw: Mapping[str, Any], body: dict[str, Any], salt: str) -> WireRequest:
    return WireRequest(
        body=body,
        key=whole_key(body, salt),
        stream=body.get("stream") is True,
        is_whole=True,
        path=COMPLETIONS if is_completion(raw) else CHAT,
    )


def request_identity(messages: Sequence[ChatMessage]) -> Mapping[str, Any]:
    """Return which response is asked for, as the solver noted it on the message."""
    for message in messages:
        identity = (message.metadata or {}).get(REQUEST_IDENTITY)
        if isinstance(identity, dict):
            return identity
    return {}


def _raw_request(messages: Sequence[ChatMessage]) -> dict[str, Any] | None:
    for message in messages:
        if message.metadata and RAW_REQUEST in message.metadata:
            return dict(message.metadata[RAW_REQUEST])
    return None


def _sampling(config: GenerateConfig) -> dict[str, Any]:
    """Return the sampling fields that are set; what Inspect calls otherwise is renamed."""
    names = {
        "temperature": "temperature",
        "top_p": "top_p",
        "top_k": "top_k",
        "max_tokens": "max_tokens",
        "seed": "seed",
        "stop_seqs": "stop",
        "frequency_penalty": "frequency_penalty",
        "presence_penalty": "presence_penalty",
        "reasoning_effort": "reasoning_effort",
    }
    values = {wire: getattr(config, name) for name, wire in names.items()}
    return {name: value for name, value in values.items() if value is not None}


def _message(message: ChatMessage) -> dict[str, Any]:
    images = (message.metadata or {}).get(REQUEST_IMAGES)
    if isinstance(images, dict):
        text = {"type": "text", "text": message.text}
        pictures = [_picture(reference) for reference in images["references"]]
        return {"role": message.role, "content": [*pictures, text] if images["first"] else [text, *pictures]}
    if isinstance(message.content, str):
        return {"role": message.role, "content": message.content}
    parts = [part for content in message.content if (part := _part(content)) is not None]
    if len(parts) == 1 and parts[0]["type"] == "text":
        return {"role": message.role, "content": parts[0]["text"]}
    return {"role": message.role, "content": parts}


def _part(content: Content) -> dict[str, Any] | None:
    if isinstance(content, ContentText):
        return {"type": "text", "text": content.text}
    if isinstance(content, ContentImage):
        return _picture(content.image)
    if isinstance(content, ContentReasoning):
        return None  # earlier reasoning is not sent back
    raise TypeError(f"message content {type(content).__name__}: only text and images are sent")


def _picture(url: str) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": url}}


def _with_images(message: Any, load_image: Callable[[str], str]) -> Any:
    if not isinstance(message, dict) or not isinstance(message.get("content"), list):
        return message
    return {**message, "content": [_loaded(part, load_image) for part in message["content"]]}


def _loaded(part: Any, load_image: Callable[[str], str]) -> Any:
    if not isinstance(part, dict) or part.get("type") != "image_url":
        return part
    image = part.get("image_url")
    if not isinstance(image, dict):
        return part
    url = image.get("url")
    if not isinstance(url, str) or url.startswith(("data:", "http:", "https:")):
        return part
    return {**part, "image_url": {**image, "url": load_image(url)}}


def _tool(tool: ToolInfo) -> dict[str, Any]:
    parameters = tool.parameters.model_dump(exclude_none=True)
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": parameters},
    }


def _tool_choice(choice: ToolChoice) -> Any:
    if isinstance(choice, ToolFunction):
        return {"type": "function", "function": {"name": choice.name}}
    return "required" if choice == "any" else choice
