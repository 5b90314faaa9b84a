"""Token counts out of the ``usage`` objects of one reply, however many of them arrive and where."""

from collections.abc import Mapping
from typing import Any

from verifiers.response import Usage

# OpenAI's names first, then those of the Responses and Messages dialects that proxies let through.
_NAMES = {
    "prompt_tokens": ("prompt_tokens", "input_tokens"),
    "completion_tokens": ("completion_tokens", "output_tokens"),
    "total_tokens": ("total_tokens",),
    "reasoning_tokens": ("reasoning_tokens",),  # SGLang puts it beside the others
}
_MOST = 2**53  # a larger count is none, and could not be written as JSON
_DETAILS = ("completion_tokens_details", "output_tokens_details")


class UsageReader:
    """Keeps, field by field, the last count that is not zero.

    Servers send zeros or nulls before the real counts, and some send the prompt's count first and the
    completion's last, so neither the first nor the last object alone tells everything.
    """

    __slots__ = ("_counts", "_latest", "is_malformed")

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._latest: object = None
        self.is_malformed = False

    def add(self, usage: object) -> None:
        """Take in one ``usage`` value of any shape; null and absent are the same."""
        # Running counts on every chunk (vLLM's continuous_usage_stats): only the first and last are read.
        if self._latest is not None and type(usage) is dict and usage.get("completion_tokens"):
            self._latest = usage
        elif usage is not None:
            if self._latest is not None:
                self._read(self._latest)
            self._latest = usage
            self._read(usage)

    def usage(self, *, has_output: bool, has_reasoning: bool) -> Usage | None:
        """The counts; ``None`` when no field is known.

        A zero is believed only where nothing of its kind arrived: no prompt is empty, and servers that
        do not count send zeros.
        """
        if self._latest is not None:
            self._read(self._latest)
        known = dict(self._counts)
        for name in ("prompt_tokens", "total_tokens"):
            if not known.get(name):
                known.pop(name, None)
        if not known.get("completion_tokens") and (has_output or "prompt_tokens" not in known):
            known.pop("completion_tokens", None)
        if not known.get("reasoning_tokens") and (has_reasoning or not known):
            known.pop("reasoning_tokens", None)
        if known.keys() <= {"reasoning_tokens"} and not known.get("reasoning_tokens"):
            return None
        return Usage(**known)

    def _read(self, usage: object) -> None:
        if isinstance(usage, Mapping):
            self._add_fields(usage)
            for name in _DETAILS:
                if isinstance(details := usage.get(name), Mapping):
                    self._add_field("reasoning_tokens", details.get("reasoning_tokens"))
        else:
            self.is_malformed = True

    def _add_fields(self, usage: Mapping[str, Any]) -> None:
        for field, names in _NAMES.items():
            for name in names:
                self._add_field(field, usage.get(name))

    def _add_field(self, field: str, value: object) -> None:
        if value is None:
            return
        count = _count(value)
        if count is None:
            self.is_malformed = True
        elif count or field not in self._counts:
            self._counts[field] = count


def _count(value: object) -> int | None:
    """``value`` as a count of tokens, ``None`` where it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value <= _MOST and value == value // 1 else None
