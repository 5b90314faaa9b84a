"""Ask past the server's own template and tool parser: prompts rendered here, tool tokens read here.

What the same checkpoint says through ``chat/completions`` beside it tells a parser's fault from the model's.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evals.endpoint import Endpoint
from evals.prompts.chat_template import ChatTemplate, RenderError
from tasks.benchmark import Item
from tasks.k2_tool_calls import RAW_COMPLETIONS

# Of a chat request what the completions endpoint does not know, or knows otherwise.
_CHAT_ONLY = frozenset(
    {"tools", "tool_choice", "parallel_tool_calls", "functions", "function_call", "response_format"}
    | {"chat_template_kwargs", "thinking", "reasoning_effort", "logprobs", "top_logprobs"}
)
# The model's tool tokens must come back as text, and the template has written every token it wants.
_TOKENS_AS_THEY_ARE = {
    "skip_special_tokens": False,
    "spaces_between_special_tokens": False,
    "add_special_tokens": False,
}
N_NAMED = 3


@dataclass(frozen=True, kw_only=True)
class RenderedItems:
    """Items with prompts in place of messages, and what is to be said of those that cannot be rendered."""

    items: Sequence[Item]
    notes: tuple[str, ...] = ()


def render_items(items: Iterable[Item], template: ChatTemplate, endpoint: Endpoint) -> RenderedItems:
    """Return the items as raw completions; those that the template refuses are left out and noted."""
    rendered: list[Item] = []
    refused: list[str] = []
    for item in items:
        try:
            rendered.append(_rendered(item, template, endpoint))
        except RenderError as error:
            refused.append(f"{item.sample_id}: {error}")
    if not refused:
        return RenderedItems(items=rendered)
    more = f" and {len(refused) - N_NAMED} more" if len(refused) > N_NAMED else ""
    named = "; ".join(refused[:N_NAMED])
    note = f"left out: {len(refused)} requests that the chat template cannot render ({named}{more})"
    return RenderedItems(items=rendered, notes=(note,))


def _rendered(item: Item, template: ChatTemplate, endpoint: Endpoint) -> Item:
    request = item.request or {}
    body = completion_body(request, template.render(request, template_variables(request, endpoint)))
    return replace(item, request=body, grading={**item.grading, RAW_COMPLETIONS: True})


def completion_body(request: Mapping[str, Any], prompt: str) -> dict[str, Any]:
    """Return the completions request for a chat request: the prompt stands where the messages stood."""
    body: dict[str, Any] = {}
    for name, value in request.items():
        if name == "messages":
            body["prompt"] = prompt
        elif name == "max_completion_tokens":
            body["max_tokens"] = value
        elif name not in _CHAT_ONLY:
            body[name] = value
    return body | _TOKENS_AS_THEY_ARE


def template_variables(request: Mapping[str, Any], endpoint: Endpoint) -> dict[str, Any]:
    """Return the template's own variables: the request's, then those by which the run switches thinking."""
    variables: dict[str, Any] = {}
    for source in (request, endpoint.thinking_parameters(), endpoint.extra_body):
        given, hosted = source.get("chat_template_kwargs"), source.get("thinking")
        if isinstance(given, Mapping):
            variables |= given
        if isinstance(hosted, Mapping) and hosted.get("type") in ("enabled", "disabled"):
            variables["thinking"] = hosted["type"] == "enabled"
    return variables
