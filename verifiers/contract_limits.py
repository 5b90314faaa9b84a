"""Judge what ends a reply: the token budget, stop sequences, the context length."""

from verifiers.contract_evidence import (
    Evidence,
    Judge,
    ProbeReply,
    ProbeVerdict,
    ReplyKind,
    answered,
    failed,
    first_unserved,
    not_applicable,
    passed,
    quoted,
    told,
    unserved,
)
from verifiers.contract_refusal import refused

_MAX_CHARACTERS_A_TOKEN = 16


def budget_honoured(name: str, budget: int) -> Judge:
    """Return the judge of a reply that must end at ``budget`` output tokens, reasoning included."""

    def judge(evidence: Evidence) -> ProbeVerdict:
        reply = evidence.replies[name]
        if reply.is_endless:
            return failed(f"not honoured: {reply.fault}")
        problem = unserved(reply)
        if problem is not None:
            return problem
        return _judge_length(reply, budget)

    return judge


def stop_honoured(name: str, *, stop: str, before: str, after: str) -> Judge:
    """Return the judge of a reply that runs through ``before``, ``stop`` and ``after`` unless it is stopped."""

    def judge(evidence: Evidence) -> ProbeVerdict:
        problem = first_unserved(evidence.replies[name])
        if problem is not None:
            return problem
        response = answered(evidence.replies[name])
        content = response.content or ""
        if after in content or stop in content:
            return failed(f"not honoured: {stop!r} within {quoted(content)}")
        if before not in content:
            return not_applicable(f"the reply does not come to {stop!r}: {quoted(content)}")
        if response.is_truncated:
            return not_applicable("the budget ended the reply first")
        return passed(f"ended before {stop!r}: {quoted(content)}")

    return judge


def context_refused(name: str, *, control: str) -> Judge:
    """Return the judge of a prompt longer than the context: refused with a reason that speaks of length."""
    judge_with_control = refused(name, control=control)

    def judge(evidence: Evidence) -> ProbeVerdict:
        reply = evidence.replies[name]
        if reply.kind is ReplyKind.ANSWERED:
            usage = answered(reply).usage
            counted = usage.prompt_tokens if usage is not None else None
            return failed(f"accepted, so silently cut: {counted} prompt tokens told")
        if reply.is_reasoned_refusal and not _speaks_of_length(reply):
            return failed(f"the reason does not say that the prompt is too long: {told(reply)}")
        return judge_with_control(evidence)

    return judge


def served_within_budget(name: str) -> Judge:
    """Return the judge of a budget beyond the context that was not refused: served as far as it goes."""

    def judge(evidence: Evidence) -> ProbeVerdict:
        problem = first_unserved(evidence.replies[name])
        return problem if problem is not None else passed("served within the context")

    return judge


def _judge_length(reply: ProbeReply, budget: int) -> ProbeVerdict:
    response = answered(reply)
    n_tokens = response.usage.completion_tokens if response.usage is not None else None
    length = len(response.content or "") + len(response.reasoning or "")
    if n_tokens is not None and n_tokens > budget:
        return failed(f"not honoured: {n_tokens} completion tokens, {budget} allowed")
    if length > budget * _MAX_CHARACTERS_A_TOKEN:
        return failed(f"not honoured: {length:,} characters, {budget} tokens allowed")
    if response.is_truncated or n_tokens == budget:
        return passed(f"ended at {n_tokens if n_tokens is not None else 'about ' + str(budget)} tokens")
    return not_applicable(f"the reply ended of itself after {n_tokens} tokens")


def _speaks_of_length(reply: ProbeReply) -> bool:
    error = reply.error
    words = f"{error.message} {error.kind} {error.param} {error.code}".lower() if error is not None else ""
    return any(word in words for word in ("context", "length", "too long", "token", "exceed", "maximum"))
