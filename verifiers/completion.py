"""A :class:`Response` out of a plain chat completion or out of the chunks of a streamed one."""

from collections.abc import Mapping
from io import StringIO
from typing import Any

from verifiers.response import Response
from verifiers.wire_calls import CallCollector, has_index
from verifiers.wire_frame import (
    ErrorFrame,
    MalformedReply,
    NoChoices,
    UnusableReplyError,
    find_error,
    indexed_choices,
    json_text,
    object_fields,
    shown,
)
from verifiers.wire_text import FieldText, merge_messages, merge_reasoning, read_field
from verifiers.wire_usage import UsageReader

__all__ = [
    "CompletionAssembler",
    "ErrorFrame",
    "MalformedReply",
    "NoChoices",
    "UnusableReplyError",
    "read_completion",
]

# vLLM says `reasoning` since 0.16, SGLang and vendors `reasoning_content`, OpenRouter adds the details.
_REASONING_FIELDS = ("reasoning", "reasoning_content", "reasoning_details", "thinking")
_TEXT_FIELDS = frozenset({"content", "refusal", *_REASONING_FIELDS})
_CALL_FINISH_REASONS = frozenset({"tool_calls", "function_call"})
HELD_BY_OBJECT = 500  # characters' worth of memory that a call or a choice takes beside its text
_NO_FINISH_REASONS = ("", "null")  # sent on every chunk by some servers, in place of null


def read_completion(body: Mapping[str, Any]) -> Response:
    """Read a plain (not streamed) ``chat.completion`` or legacy ``text_completion`` object.

    Raises :class:`ErrorFrame` with the server's words, :class:`NoChoices` or :class:`MalformedReply`.
    """
    if not isinstance(body, Mapping):
        raise MalformedReply(f"completion: a JSON {type(body).__name__}, {shown(body)}; expected an object")
    if error := find_error(body):
        raise error
    if not body.get("choices"):
        raise NoChoices(f"completion: no choices in {shown(body)}; expected one choice")
    assembler = CompletionAssembler()
    assembler.add_body(body)
    return assembler.finish()


class CompletionAssembler:
    """Collects the chunks of one streamed completion; all state is the instance's own.

    Called once per chunk for answers of 100,000 chunks: the usual chunk costs a few dictionary lookups
    and one write, and text is kept as one growing buffer instead of a list of small strings.
    """

    __slots__ = (
        "_calls",
        "_finish_reason",
        "_flags",
        "_legacy_calls",
        "_length_at_finish",
        "_messages",
        "_other_choices",
        "_sinks",
        "_usage",
    )

    def __init__(self) -> None:
        self._sinks: dict[str, StringIO] = {}
        self._messages: dict[str, list[str]] = {}
        self._calls = CallCollector()
        self._legacy_calls = CallCollector()
        self._usage = UsageReader()
        self._finish_reason: str | None = None
        self._length_at_finish = 0
        self._other_choices: dict[int, CompletionAssembler] = {}
        self._flags: dict[str, None] = {}

    def add(self, chunk: Mapping[str, Any]) -> bool:
        """Take in one chunk; True when it carried generated text, reasoning or tool data.

        Raises :class:`ErrorFrame` or :class:`MalformedReply`; what came before can still be finished.
        """
        if type(chunk) is not dict:
            return self._add_mapping(chunk)
        if usage := chunk.get("usage"):
            self._usage.add(usage)
        choices = chunk.get("choices")
        if type(choices) is not list or len(choices) != 1 or chunk.get("error"):
            return self._add_unusual(chunk)
        choice = choices[0]
        if type(choice) is not dict or choice.get("index") or type(delta := choice.get("delta")) is not dict:
            return self._add_unusual(chunk)
        carried = False
        sinks = self._sinks
        for key, value in delta.items():
            if value is None:
                continue
            sink = sinks.get(key)
            if sink is not None and type(value) is str:
                sink.write(value)
                if value:
                    carried = True
            elif self._add_field(key, value):
                carried = True
        if choice.get("finish_reason") is not None:
            self._note_finish(choice)
        return carried

    def add_body(self, body: Mapping[str, Any]) -> None:
        """Take in a whole ``chat.completion`` object that is known to have choices."""
        self._usage.add(body.get("usage"))
        for index, choice in indexed_choices(body["choices"]):
            target = self._choice(index)
            if not target._is_touched:  # a second choice of the same index would be glued to the first
                target._add_message(choice, is_chunk=False)
            else:
                self._flags["several_choices"] = None

    def finish(self) -> Response:
        """The response so far; ``finish_reason`` is ``None`` when none ever came (a cut stream)."""
        others = self._other_choices
        chosen = self
        if others and not self._is_touched:
            chosen = others[min(others)]
            self._flags["choice_index_not_zero"] = None
        if others and (chosen is self or len(others) > 1):
            self._flags["several_choices"] = None
        return chosen._response(self._flags)

    def n_held(self) -> int:
        """About how many characters are held, a call or a choice counted as some more: to bound what has no end."""
        texts = sum(len(text) for told in self._messages.values() for text in told)
        calls = len(self._calls) + len(self._legacy_calls)
        others = sum(other.n_held() + HELD_BY_OBJECT for other in self._other_choices.values())
        return self._n_characters() + texts + calls * HELD_BY_OBJECT + others

    @property
    def _is_touched(self) -> bool:
        return bool(self._sinks or self._messages or self._calls or self._legacy_calls or self._finish_reason)

    def _add_mapping(self, chunk: object) -> bool:
        if isinstance(chunk, Mapping):
            return self.add(dict(chunk))
        raise MalformedReply(f"chunk: a JSON {type(chunk).__name__}, {shown(chunk)}; expected an object")

    def _add_unusual(self, chunk: dict[str, Any]) -> bool:
        """Everything but one choice with a delta: errors, usage alone, several choices, other shapes."""
        if error := find_error(chunk):
            raise error
        choices = chunk.get("choices")
        if not choices:
            if choices is None and not chunk.get("usage"):
                self._flags["unknown_frame"] = None
            return False
        carried = False
        for index, choice in indexed_choices(choices):
            carried = self._choice(index)._add_choice(choice) or carried
        return carried

    def _choice(self, index: int) -> "CompletionAssembler":
        """Where choice ``index`` is collected: 0 here; any other beside it, so that none is mixed in."""
        if index == 0:
            return self
        if index not in self._other_choices:
            self._other_choices[index] = CompletionAssembler()
            self._other_choices[index]._usage = self._usage
        return self._other_choices[index]

    def _add_choice(self, choice: Mapping[str, Any]) -> bool:
        delta = choice.get("delta")
        if delta is None:
            return self._add_message(choice, is_chunk=True)
        carried = False
        for key, value in object_fields(delta, "delta").items():
            carried = (value is not None and self._add_field(key, value)) or carried
        self._note_finish(choice)
        return carried

    def _add_message(self, choice: Mapping[str, Any], *, is_chunk: bool) -> bool:
        """A choice with a ``message``, with the ``text`` of the legacy API, or in a body with a ``delta``."""
        carried = False
        message = choice.get("message")
        if message is not None:
            if is_chunk:
                self._flags["message_in_chunk"] = None
        elif choice.get("delta") is not None:
            message = choice["delta"]
            self._flags["delta_in_body"] = None
        else:
            message = {"content": choice.get("text")}
            is_chunk = False  # nothing of the legacy API's is ever repeated
        for key, value in object_fields(message, "message").items():
            if value is not None:
                carried = self._add_field(key, value, is_message=True, is_repeatable=is_chunk) or carried
        self._note_finish(choice)
        return carried

    def _add_field(
        self, key: str, value: object, *, is_message: bool = False, is_repeatable: bool = False
    ) -> bool:
        """One field of a delta or message that is not null; whether it carried something generated."""
        if key in _TEXT_FIELDS:
            return self._add_text(key, value, is_repeatable=is_repeatable)
        if key == "tool_calls":
            is_whole = is_message and not (is_repeatable and has_index(value))
            return self._calls.add(value or [], is_message=is_whole)
        if key == "function_call" and value:
            self._flags["legacy_function_call"] = None
            return self._legacy_calls.add([{"index": 0, "function": value}], is_message=False)
        return False

    def _add_text(self, key: str, value: object, *, is_repeatable: bool) -> bool:
        field = FieldText(text=value) if isinstance(value, str) else read_field(value)
        if field.is_odd:
            self._flags[f"{key}_not_text"] = None
        texts = {key: field.text} if not field.reasoning else {"reasoning": field.reasoning, key: field.text}
        for name, text in texts.items():
            if is_repeatable:
                self._messages.setdefault(name, []).append(text)
            else:
                self._sinks.setdefault(name, StringIO()).write(text)
        return bool(field.text or field.reasoning)

    def _note_finish(self, choice: Mapping[str, Any]) -> None:
        """Keep the first terminal finish reason; usage may hide in its choice (Moonshot), or an error."""
        self._usage.add(choice.get("usage"))
        if choice.get("error") and (error := find_error(choice)):
            raise error
        reason = choice.get("finish_reason")
        if not reason or reason in _NO_FINISH_REASONS:
            return
        if self._finish_reason is not None:
            self._flags["finish_reason_twice"] = None
            return
        if not isinstance(reason, str):
            self._flags["finish_reason_not_string"] = None
        self._finish_reason = reason if isinstance(reason, str) else json_text(reason)
        self._length_at_finish = self._n_characters()

    def _n_characters(self) -> int:
        calls = self._calls.n_characters() + self._legacy_calls.n_characters()
        return calls + sum(sink.tell() for sink in self._sinks.values())

    def _response(self, outer_flags: Mapping[str, None]) -> Response:
        calls = self._calls.calls() or self._legacy_calls.calls()
        content, reasoning, refusal = self._text("content"), self._reasoning(), self._text("refusal")
        flags = {**self._flags, **outer_flags, **self._calls.flags, **self._legacy_calls.flags}
        has_text = bool(content or reasoning)
        # Servers that put an empty list into every delta of a text are no fault: nothing was promised.
        is_promised = self._finish_reason in _CALL_FINISH_REASONS or not has_text
        if is_promised and not calls and self._calls.has_empty_deltas:
            flags["empty_deltas"] = None
        if self._finish_reason is not None and self._n_characters() > self._length_at_finish:
            flags["text_after_finish"] = None
        if refusal:
            flags["refusal"] = None
        if self._usage.is_malformed:
            flags["usage_malformed"] = None
        return Response(
            content=content,
            reasoning=reasoning,
            tool_calls=calls,
            finish_reason=self._finish_reason,
            usage=self._usage.usage(has_output=has_text or bool(calls), has_reasoning=bool(reasoning)),
            flags=tuple(flags),
            refusal=refusal,
        )

    def _reasoning(self) -> str | None:
        """One text out of all reasoning fields; a field that repeats another counts once."""
        seen = [name for name in {**self._sinks, **self._messages} if name in _REASONING_FIELDS]
        texts = [text for name in seen if (text := self._text(name))]
        merged = merge_reasoning(texts)
        if texts and merged not in texts:
            self._flags["reasoning_fields_differ"] = None
        return merged if seen else None

    def _text(self, name: str) -> str | None:
        sink = self._sinks.get(name)
        messages = self._messages.get(name)
        text = None if sink is None else sink.getvalue()
        return text if messages is None else merge_messages(text or "", messages)
