"""Render a conversation to the text that a model reads, with the chat template of its own tokenizer."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from jinja2 import Template, TemplateError, meta
from jinja2.sandbox import ImmutableSandboxedEnvironment

from evals.prompts.tokenizer_files import ChatTemplateError, TokenizerFiles, find_tokenizer

__all__ = ["ChatTemplate", "ChatTemplateError", "RenderError", "load_chat_template"]

# What Kimi's tokenizers from K2.5 on add to the template's variables: the tools as TypeScript, by code of
# their own. Without it the template falls back to a form that the model was not trained on.
TYPESCRIPT_TOOLS = "tools_ts_str"


class RenderError(ValueError):
    """One conversation that the template refuses or cannot render."""


@dataclass(frozen=True, kw_only=True)
class ChatTemplate:
    """A chat template made ready. ``digest`` names its text; ``write_tools`` is the tokenizer's own code."""

    digest: str
    template: Template
    special_tokens: Mapping[str, str]
    sorts_tools: bool = False
    write_tools: Callable[[Any], str] | None = field(default=None, repr=False)

    def render(self, request: Mapping[str, Any], variables: Mapping[str, Any]) -> str:
        """Return the prompt for the messages and tools of a request, up to where the answer begins.

        ``variables`` are the template's own (thinking ...). Raises :class:`RenderError`.
        """
        tools = request.get("tools") or None
        if self.sorts_tools:
            tools = _sorted_keys(tools)
        given = dict(variables)
        try:
            if tools and self.write_tools is not None:
                given[TYPESCRIPT_TOOLS] = self.write_tools(tools)
            return self.template.render(
                messages=request.get("messages"),
                tools=tools,
                documents=None,
                add_generation_prompt=True,
                **{name: value for name, value in self.special_tokens.items() if name not in given},
                **given,
            )
        except (TemplateError, TypeError, ValueError, LookupError, AttributeError, RecursionError) as error:
            raise RenderError(f"{type(error).__name__}: {error}") from error


def load_chat_template(where: str, *, has_tools: bool = True, trust_code: bool = False) -> ChatTemplate:
    """Return the chat template of a tokenizer, given as a directory, a template file or a hub repository.

    ``trust_code`` lets the tokenizer's own Python file write the tools where its template asks for that.
    Raises :class:`ChatTemplateError` where there is none, or none that can be rendered without that code.
    """
    files = find_tokenizer(where)
    text = _template_text(files, has_tools=has_tools)
    environment = _environment()
    try:
        variables = meta.find_undeclared_variables(environment.parse(text))
        template = environment.from_string(text)
    except TemplateError as error:
        raise ChatTemplateError(
            f"chat template of {where!r}: cannot be read ({error}); check the file"
        ) from error
    return ChatTemplate(
        digest=hashlib.sha256(text.encode()).hexdigest()[:16],
        template=template,
        special_tokens=_special_tokens(files.config),
        sorts_tools=files.sorts_tools,
        write_tools=files.tool_writer(trust_code=trust_code) if TYPESCRIPT_TOOLS in variables else None,
    )


def _template_text(files: TokenizerFiles, *, has_tools: bool) -> str:
    """Return the template's text; of several by name the one for tools, else the default one."""
    if files.template is not None:
        return files.template
    given = files.config.get("chat_template")
    if isinstance(given, list):
        named = {entry.get("name"): entry.get("template") for entry in given if isinstance(entry, Mapping)}
        given = (named.get("tool_use") if has_tools else None) or named.get("default")
    if not isinstance(given, str) or not given:
        raise ChatTemplateError(
            f"tokenizer {files.where!r}: has no chat template (chat_template.jinja, or chat_template in"
            " tokenizer_config.json); name the tokenizer of the served checkpoint"
        )
    return given


def _environment() -> ImmutableSandboxedEnvironment:
    """Return the environment that chat templates are written for: that of transformers, sandboxed."""
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = lambda form: datetime.now().strftime(form)
    return environment


def _to_json(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


def _refuse(message: str) -> None:
    raise TemplateError(message)


def _special_tokens(config: Mapping[str, Any]) -> dict[str, str]:
    """Return ``bos_token`` and its kin, which stand as text or as an object with ``content``."""
    found: dict[str, str] = {}
    for name, value in config.items():
        content = value.get("content") if isinstance(value, Mapping) else value
        if name.endswith("_token") and isinstance(content, str):
            found[name] = content
    return found


def _sorted_keys(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _sorted_keys(value[name]) for name in sorted(value)}
    return [_sorted_keys(part) for part in value] if isinstance(value, list) else value
