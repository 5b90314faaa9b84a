"""Is usage present, streamed and plain, and do its counts fit what arrived?"""

from collections.abc import Sequence

from evals.preflight.asker import Asked
from evals.preflight.finding import Finding, ok, skip, warn

NAME = "usage"


def usage_finding(asked: Sequence[Asked]) -> Finding:
    """Judge the usage of all answered requests."""
    answered = [one for one in asked if one.is_answered]
    if not answered:
        return skip(NAME, "nothing was answered")
    without = [one for one in answered if one.response.usage is None]
    if without:
        return _missing(answered, without)
    problems = [problem for one in answered if (problem := _problem(one))]
    if problems:
        return warn(NAME, f"{problems[0]} ({len(problems)} of {len(answered)} replies)", _ESTIMATED)
    if _hides_reasoning(answered):
        return ok(NAME, "present streamed and plain; reasoning is not counted apart and will be estimated")
    return ok(NAME, "present and plausible, streamed and plain")


_ESTIMATED = "tokens will be estimated and labelled so; speeds and budgets are then rough"


def _missing(answered: Sequence[Asked], without: Sequence[Asked]) -> Finding:
    kinds = {one.stream for one in without}
    all_kinds = {one.stream for one in answered}
    is_whole = all(one in without for one in answered if one.stream in kinds)
    where = "any reply" if kinds == all_kinds and is_whole else ""
    where = where or ("streamed replies" if kinds == {True} else "plain replies")
    amount = f"no usage in {where}" if is_whole else f"no usage in {len(without)} of {len(answered)} replies"
    flag = "the server ignores stream_options.include_usage (vLLM: --enable-force-include-usage); " * (
        True in kinds
    )
    return warn(NAME, amount, flag + _ESTIMATED)


def _problem(asked: Asked) -> str | None:
    """Return what is implausible about one reply's usage, ``None`` where nothing is."""
    usage, reply = asked.response.usage, asked.reply
    if usage is None or reply is None:
        return None
    output, prompt, total = usage.completion_tokens, usage.prompt_tokens, usage.total_tokens
    if "usage_malformed" in reply.response.flags:
        return "counts that are no whole numbers"
    if output is None or prompt is None:
        return f"{'completion' if output is None else 'prompt'} tokens are missing or 0"
    if total is not None and total != prompt + output:
        return f"total {total} is not prompt {prompt} + completion {output}"
    # Servers write one token a chunk or more; a chunk may hold half a character, so a few more chunks pass.
    if reply.n_chunks > 1.2 * output + 8 and "several_choices" not in reply.response.flags:
        return f"{output} completion tokens in {reply.n_chunks} streamed chunks"
    if usage.reasoning_tokens is not None and usage.reasoning_tokens > output:
        return f"{usage.reasoning_tokens} reasoning tokens of {output} completion tokens"
    return None


def _hides_reasoning(answered: Sequence[Asked]) -> bool:
    thinking = [one.response for one in answered if (one.response.reasoning or "").strip()]
    return bool(thinking) and all(
        response.usage is None or response.usage.reasoning_tokens is None for response in thinking
    )
