"""Look at the first replies of a run and say at once what an hour later would be too late to hear."""

from collections.abc import Callable, Mapping
from typing import Any

from evals.transport.exchange import Reply
from evals.transport.wire import WireRequest
from verifiers.repetition import Repetition, RepetitionKind, find_repetition
from verifiers.response import Response
from verifiers.thinking_switch import thinking_asked, thinking_off_flags
from verifiers.visible_text import is_blank, split_thinking

_LOOKED_AT = 8
_ENOUGH_WITHOUT_REASONING = 3
DEAD = (
    "dead checkpoint: each of the first {n} replies is {sign!r} over and over (degenerate_repetition);"
    " a fault of conversion or serving (scales, kernels, KV cache), not a quantization loss"
)


class FirstReplies:
    """Watches the first few replies; ``tell`` is told each kind of trouble once, in one line.

    ``stop`` is told why, where every one of them is one sign over and over: the rest would be no better. That
    is seen while they are being written: such a reply fills its budget, and of a thinking model that takes an hour.
    As long as another says something, parts of replies decide nothing: of many in flight a few floods are no fault
    of all.
    """

    def __init__(
        self, tell: Callable[[str], None], stop: Callable[[str], None] = lambda _reason: None
    ) -> None:
        self._tell = tell
        self._stop = stop
        self._flooded: set[str] = set()  # keys of requests
        self._sound: set[str] = set()  # of those whose part says something, so far
        self._n_whole_floods = 0
        self._is_decided = False
        self._told: set[str] = set()
        self._n_seen = 0
        self._n_without_reasoning = 0

    def look(self, asked: WireRequest, reply: Reply) -> None:
        """Look at one fresh reply."""
        if self._n_seen >= _LOOKED_AT:
            return
        self._n_seen += 1
        for trouble in _troubles(asked.body, reply, stream=asked.stream):
            self._warn(trouble)
        for trouble in self._reasoning_missed(asked.body, reply.response):
            self._warn(trouble)
        self._look_for_flood(asked, reply.response, is_whole=True)

    def look_at_part(self, asked: WireRequest, part: Response) -> None:
        """Look at what has come of a reply that is still being written."""
        if self._n_seen < _LOOKED_AT:
            self._look_for_flood(asked, part, is_whole=False)

    def _look_for_flood(self, asked: WireRequest, response: Response, *, is_whole: bool) -> None:
        flood = _flood(response)
        if flood is None:
            self._sound.add(asked.key)  # a part may yet turn into anything
            self._is_decided |= is_whole
            return
        self._warn(f"{flood.unit[:12]!r} over and over: a serving fault, not a quantization loss")
        self._sound.discard(asked.key)
        self._flooded.add(asked.key)
        self._n_whole_floods += is_whole
        are_all = len(self._flooded) >= _LOOKED_AT and not self._sound
        if not self._is_decided and (are_all or self._n_whole_floods == _LOOKED_AT):
            self._is_decided = True
            self._stop(DEAD.format(n=_LOOKED_AT, sign=flood.unit[:12]))

    def _warn(self, trouble: str) -> None:
        if trouble not in self._told:
            self._told.add(trouble)
            self._tell(f"warning: first replies: {trouble}")

    def _reasoning_missed(self, body: Mapping[str, Any], response: Response) -> list[str]:
        if thinking_asked(body) is not True or _thinks(response):
            return []
        self._n_without_reasoning += 1
        if self._n_without_reasoning < _ENOUGH_WITHOUT_REASONING:
            return []
        return ["thinking is asked for, no reasoning arrives; quantcheck check says what to change"]


def _troubles(body: Mapping[str, Any], reply: Reply, *, stream: bool) -> list[str]:
    response = reply.response
    found = []
    if response.usage is None:
        found.append("no usage: token counts will be estimated and labelled so")
    elif _is_beyond(response, body.get("max_tokens")):
        found.append(f"the budget of {body['max_tokens']:,} tokens is not honoured")
    if stream and reply.ttft_s is None and not _is_empty(response):
        found.append("streams are asked for and plain replies come: a proxy may cut long answers")
    if thinking_asked(body) is False:
        found += [
            f"thinking is switched off, yet {_SAID[flag]} ({flag})" for flag in thinking_off_flags(response)
        ]
    elif split_thinking(response.content).flags:
        found.append("<think> in the content: the server runs without its reasoning parser")
    return found


def _flood(response: Response) -> Repetition | None:
    """Return the flood of one sign in a response, ``None`` where it has none; a long number is no flood."""
    found = (find_repetition(text) for text in (response.reasoning, response.content))
    floods = (one for one in found if one is not None and one.kind is RepetitionKind.FLOOD)
    return next((one for one in floods if not one.unit.strip().isdigit()), None)


def _is_beyond(response: Response, budget: object) -> bool:
    counted = response.usage.completion_tokens if response.usage is not None else None
    is_one = "several_choices" not in response.flags
    return is_one and isinstance(budget, int) and counted is not None and counted > budget + budget // 4 + 16


_SAID = {
    "thinking_not_disabled": "reasoning arrives",
    "cot_in_content_suspected": "the content reads like thinking",
}


def _thinks(response: Response) -> bool:
    counted = response.usage.reasoning_tokens if response.usage else None
    tagged = bool(split_thinking(response.content).flags)
    return not is_blank(response.reasoning) or tagged or bool(counted)


def _is_empty(response: Response) -> bool:
    return is_blank(response.content) and is_blank(response.reasoning) and not response.tool_calls
