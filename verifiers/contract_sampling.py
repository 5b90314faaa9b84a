"""Judge sampling parameters: values that must be accepted, and whether what was accepted has an effect."""

from collections import Counter
from collections.abc import Iterable

from verifiers.contract_evidence import (
    Evidence,
    Judge,
    ProbeReply,
    ProbeVerdict,
    answered,
    failed,
    first_unserved,
    not_applicable,
    passed,
    quoted,
)

_MIN_REPEATS = 4  # a text in which no word comes this often has nothing to be penalized


def accepted(name: str) -> Judge:
    """Return the judge of a request that must simply be served."""

    def judge(evidence: Evidence) -> ProbeVerdict:
        problem = first_unserved(evidence.replies[name])
        return problem if problem is not None else passed("served")

    return judge


def narrowed(*, narrow: tuple[str, ...], wide: tuple[str, ...]) -> Judge:
    """Return the judge of a parameter that leaves one text possible (temperature 0, a tiny top_p).

    The ``narrow`` requests must agree. That shows something only where the ``wide`` ones, equal but for
    that parameter, do not.
    """

    def judge(evidence: Evidence) -> ProbeVerdict:
        problem = first_unserved(*(evidence.replies[name] for name in (*narrow, *wide)))
        if problem is not None:
            return problem
        texts = {_text(evidence.replies[name]) for name in narrow}
        if len(texts) > 1:
            shown = " and ".join(quoted(text) for text in sorted(texts)[:2])
            return failed(f"silently ignored: {len(texts)} different texts, such as {shown}")
        if len({_text(evidence.replies[name]) for name in wide}) == 1:
            return not_applicable("cannot be told: the reply is the same without the parameter, too")
        return passed(f"{len(narrow)} equal replies with it, different ones without it")

    return judge


def penalized(*, plain: tuple[str, str], penalty: str) -> Judge:
    """Return the judge of a penalty: at temperature 0 the penalized text differs from the plain one.

    Two plain requests must agree, and repeat some word, for the difference to mean anything.
    """

    def judge(evidence: Evidence) -> ProbeVerdict:
        replies = [evidence.replies[name] for name in (*plain, penalty)]
        if any(reply.is_reasoned_refusal for reply in replies):
            return not_applicable("served, but its effect cannot be told: temperature 0 is refused")
        problem = first_unserved(*replies)
        if problem is not None:
            return problem
        first, second = (_text(evidence.replies[name]) for name in plain)
        if first != second:
            return not_applicable("cannot be told: the reply differs from time to time without a penalty")
        if _text(evidence.replies[penalty]) != first:
            return passed("the penalty changes the reply")
        if _most_frequent(first.split()) < _MIN_REPEATS:
            return not_applicable(f"cannot be told: nothing repeats in {quoted(first)}")
        return failed(f"silently ignored: {quoted(first)} with and without the penalty")

    return judge


def n_choices(name: str, expected: int) -> Judge:
    """Return the judge of the number of choices that come back."""

    def judge(evidence: Evidence) -> ProbeVerdict:
        reply = evidence.replies[name]
        problem = first_unserved(reply)
        if problem is not None:
            return problem
        if reply.n_choices != expected:
            return failed(f"{reply.n_choices} choices, {expected} asked for")
        return passed(f"{expected} choice{'s' * (expected != 1)}")

    return judge


def _text(reply: ProbeReply) -> str:
    response = answered(reply)
    return f"{response.reasoning or ''}{response.content or ''}"


def _most_frequent(words: Iterable[str]) -> int:
    return max(Counter(words).values(), default=0)
