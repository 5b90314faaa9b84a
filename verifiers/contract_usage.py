"""Judge token counts: present, adding up, the same streamed and plain, and true to given constants."""

from collections.abc import Mapping
from dataclasses import replace

from verifiers.contract_evidence import (
    Evidence,
    Judge,
    ProbeReply,
    ProbeVerdict,
    Tally,
    answered,
    failed,
    first_unserved,
    not_applicable,
    passed,
)
from verifiers.response import Usage

_MIN_OVERCOUNT = 2  # a begin token, or a template's line end
_OVERCOUNT_SHARE = 100  # one more for every this many tokens


def allowed_overcount(tokens: int) -> int:
    """Return how many prompt tokens more than ``tokens`` may be reported: 1 %, at least 2."""
    return max(_MIN_OVERCOUNT, tokens // _OVERCOUNT_SHARE)


def usage_present(name: str) -> Judge:
    """Return the judge of a reply that must tell its prompt and completion tokens."""

    def judge(evidence: Evidence) -> ProbeVerdict:
        reply = evidence.replies[name]
        problem = first_unserved(reply)
        if problem is not None:
            return problem
        usage = answered(reply).usage or Usage()
        if usage.prompt_tokens is None or usage.completion_tokens is None:
            told = f"prompt {usage.prompt_tokens}, completion {usage.completion_tokens}"
            return failed(f"no token counts that can be used ({told})")
        return passed(f"{usage.prompt_tokens} prompt and {usage.completion_tokens} completion tokens")

    return judge


def usage_adds_up(*names: str) -> Judge:
    """Return the judge of counts that must fit together within each reply that has them."""

    def judge(evidence: Evidence) -> ProbeVerdict:
        replies = [evidence.replies[name] for name in names]
        problem = first_unserved(*replies)
        if problem is not None:
            return problem
        usages = [usage for reply in replies if (usage := answered(reply).usage) is not None]
        if not usages:
            return not_applicable("no token counts")
        faults = [fault for usage in usages if (fault := _sum_fault(usage))]
        if any("usage_malformed" in answered(reply).flags for reply in replies):
            faults.append("a count that is no whole number of 0 or more")
        return failed("; ".join(faults)) if faults else passed(f"{len(usages)} replies add up")

    return judge


def same_prompt_tokens(first: str, second: str) -> Judge:
    """Return the judge of one prompt sent twice: it has one length."""

    def judge(evidence: Evidence) -> ProbeVerdict:
        replies = (evidence.replies[first], evidence.replies[second])
        problem = first_unserved(*replies)
        if problem is not None:
            return problem
        counts = [_prompt_tokens(reply) for reply in replies]
        if None in counts:
            return not_applicable("no prompt tokens told")
        if counts[0] != counts[1]:
            return failed(f"{counts[0]} prompt tokens {first}, {counts[1]} {second}")
        return passed(f"{counts[0]} prompt tokens both times")

    return judge


def prompt_tokens_match(expected: Mapping[str, int]) -> Judge:
    """Return the judge of reported prompt tokens against constants by request: never fewer, hardly more."""

    def judge(evidence: Evidence) -> ProbeVerdict:
        replies = [evidence.replies[name] for name in expected]
        problem = first_unserved(*replies)
        if problem is not None:
            return problem
        counts = {name: _prompt_tokens(evidence.replies[name]) for name in expected}
        if None in counts.values():
            return not_applicable("no prompt tokens told")
        off = [
            f"{name}: {count} for {expected[name]}"
            for name, count in counts.items()
            if count is not None and not 0 <= count - expected[name] <= allowed_overcount(expected[name])
        ]
        tally = Tally(kept=len(expected) - len(off), judged=len(expected))
        if off:
            more = f" and {len(off) - 3} more" if len(off) > 3 else ""
            shown = f"{len(off)} of {len(expected)} prompts off: {'; '.join(off[:3])}{more}"
            return replace(failed(shown), tally=tally)
        return replace(passed(f"{len(expected)} prompts within the allowance"), tally=tally)

    return judge


def longer_prompt(*, longer: str, shorter: str, what: str) -> Judge:
    """Return the judge of something that must reach the prompt: with it there are more prompt tokens."""

    def judge(evidence: Evidence) -> ProbeVerdict:
        replies = (evidence.replies[longer], evidence.replies[shorter])
        problem = first_unserved(*replies)
        if problem is not None:
            return problem
        more, fewer = (_prompt_tokens(reply) for reply in replies)
        if more is None or fewer is None:
            return not_applicable("no prompt tokens told")
        if more <= fewer:
            return failed(f"{what} do not reach the prompt: {more} tokens with, {fewer} without them")
        return passed(f"{more} prompt tokens with, {fewer} without")

    return judge


def _prompt_tokens(reply: ProbeReply) -> int | None:
    usage = answered(reply).usage
    return usage.prompt_tokens if usage is not None else None


def _sum_fault(usage: Usage) -> str:
    prompt, completion, total = usage.prompt_tokens, usage.completion_tokens, usage.total_tokens
    if None not in (prompt, completion, total) and total != (prompt or 0) + (completion or 0):
        return f"{prompt} prompt and {completion} completion tokens in a total of {total}"
    if usage.reasoning_tokens is not None and completion is not None and usage.reasoning_tokens > completion:
        return f"{usage.reasoning_tokens} reasoning tokens among {completion} completion tokens"
    return ""
