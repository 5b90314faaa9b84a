"""The answer book: which prompt belongs to which sample, and what its right answer is."""

import hashlib
import string
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

import orjson


class AnswerBookError(ValueError):
    """An answer book cannot be used: says where and why."""


class AnswerKind(StrEnum):
    """What an answer looks like, and so how a wrong one looks."""

    INTEGER = "integer"
    CHOICE = "choice"
    OCR = "ocr"
    LIST = "list"  # several numbers in order
    TEXT = "text"
    TOOL = "tool"  # target "tool_calls" (a call is right) or "stop" (text is right)


@dataclass(frozen=True, kw_only=True)
class AnswerEntry:
    """One sample that the simulator knows.

    ``prompt_text`` is the last user message as sent, its text parts joined by newlines. ``image_sha256``
    (of the image bytes as sent, in order) tells apart samples that share a question; ``messages_sha256``
    (see :func:`messages_digest`) tells apart conversations that end in the same message. ``target`` holds
    every accepted answer, the one to give first. ``forms`` are further ways in which the same sample is
    asked (its options in another order): same task and id, prompt and target of their own.
    """

    task: str
    sample_id: str
    prompt_text: str
    target: tuple[str, ...]
    kind: AnswerKind
    n_options: int | None = None
    n_images: int = 0
    image_sha256: tuple[str, ...] = ()
    messages_sha256: str | None = None
    forms: "tuple[AnswerEntry, ...]" = ()

    def with_forms(self, forms: "Iterable[AnswerEntry]") -> "AnswerEntry":
        """Return this entry with further forms of the same sample."""
        return replace(self, forms=tuple(forms))


def prompt_digest(text: str) -> str:
    """Return the sha256 of ``text`` in Unicode NFC with every run of white space as one space."""
    return hashlib.sha256(" ".join(unicodedata.normalize("NFC", text).split()).encode()).hexdigest()


def messages_digest(messages: object) -> str:
    """Return the sha256 of the ``messages`` of a request as canonical JSON (keys sorted)."""
    return hashlib.sha256(orjson.dumps(messages, option=orjson.OPT_SORT_KEYS)).hexdigest()


@dataclass(frozen=True, kw_only=True)
class PromptKey:
    """What a request is looked up by."""

    text_digest: str
    image_sha256: tuple[str, ...] = ()
    messages_sha256: str | None = None


def _entry_key(entry: AnswerEntry) -> PromptKey:
    return PromptKey(
        text_digest=prompt_digest(entry.prompt_text),
        image_sha256=entry.image_sha256,
        messages_sha256=entry.messages_sha256,
    )


def _check_target(entry: AnswerEntry) -> None:
    """Raise where no wrong answer of the entry's kind could be told from its target."""
    target, letters = entry.target[0], string.ascii_uppercase[: entry.n_options or 4]
    match entry.kind:
        case AnswerKind.INTEGER:
            is_fit, expected = target.strip().lstrip("-").isdecimal(), "a whole number"
        case AnswerKind.CHOICE:
            is_fit, expected = len(target) == 1 and target in letters, f"one letter of {letters}"
        case AnswerKind.TOOL:
            is_fit, expected = target in ("tool_calls", "stop"), "tool_calls or stop"
        case AnswerKind.OCR | AnswerKind.LIST | AnswerKind.TEXT:
            is_fit, expected = bool(target.strip()), "a text that is not blank"
    if not is_fit:
        name = f"{entry.task}/{entry.sample_id}"
        raise AnswerBookError(f"answer book: {name} has the target {target!r}; give {expected}")


@dataclass(frozen=True, kw_only=True)
class AnswerBook:
    """Every sample the simulator knows, found by what a request says."""

    entries: tuple[AnswerEntry, ...] = ()
    _by_key: Mapping[PromptKey, AnswerEntry] = field(default_factory=dict, repr=False)

    @classmethod
    def from_entries(cls, entries: Iterable[AnswerEntry]) -> "AnswerBook":
        """Build a book; raise :class:`AnswerBookError` where two samples cannot be told apart."""
        by_key: dict[PromptKey, AnswerEntry] = {}
        samples: dict[tuple[str, str], AnswerEntry] = {}
        for entry in entries:
            for form in (entry, *entry.forms):
                _check_target(form)
                twin = by_key.setdefault(_entry_key(form), form)
                if twin is not form:
                    raise AnswerBookError(
                        f"answer book: {entry.task}/{entry.sample_id} and {twin.task}/{twin.sample_id} have "
                        "the same prompt; give image_sha256 or messages_sha256 to tell them apart"
                    )
            if (entry.task, entry.sample_id) in samples:
                raise AnswerBookError(
                    f"answer book: {entry.task}/{entry.sample_id} stands twice; ids are unique"
                )
            samples[(entry.task, entry.sample_id)] = entry
        return cls(entries=tuple(samples.values()), _by_key=by_key)

    def find(self, key: PromptKey) -> AnswerEntry | None:
        """Return the sample asked for: by conversation, else by text and images, else by text alone."""
        text = key.text_digest
        return (
            self._by_key.get(PromptKey(text_digest=text, messages_sha256=key.messages_sha256))
            or self._by_key.get(PromptKey(text_digest=text, image_sha256=key.image_sha256))
            or self._by_key.get(PromptKey(text_digest=text))
        )
