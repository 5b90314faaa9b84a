"""Is the output budget honoured?"""

from collections.abc import Sequence

from evals.preflight.asker import Asked
from evals.preflight.finding import Finding, fail, ok, skip
from verifiers.ending import Finish, finish_kind

NAME = "max_tokens"


def max_tokens_finding(asked: Sequence[Asked]) -> Finding:
    """Judge by all replies in text: those that their budget had to end, and those that went beyond it."""
    answered = [one for one in asked if one.is_answered and one.body.get("max_tokens", 0) > 1]
    for one in answered:
        n_tokens, budget = _n_tokens(one), one.body["max_tokens"]
        is_cut = finish_kind(one.response.finish_reason) is Finish.TRUNCATED
        # a server that ended the reply may count tokens of its own beside it: marks, stop tokens
        slack = 16 + budget // 4 if is_cut else 0
        if n_tokens is not None and n_tokens > budget + slack:
            return fail(
                NAME,
                f"asked for {budget} tokens, got {n_tokens} (finish reason {one.response.finish_reason!r})",
                "the budget is not honoured: no protocol with a budget can be measured here",
            )
    cut = [one for one in answered if finish_kind(one.response.finish_reason) is Finish.TRUNCATED]
    if cut:
        n_tokens, budget = _n_tokens(cut[0]), cut[0].body["max_tokens"]
        spent = f"{n_tokens} of {budget} tokens" if n_tokens is not None else f"a budget of {budget} tokens"
        return ok(NAME, f"{len(cut)} replies ended by their budget, as after {spent}")
    return _judge_uncut(answered)


def _judge_uncut(answered: Sequence[Asked]) -> Finding:
    """Judge replies of which none says that its budget ended it."""
    at_budget = [one for one in answered if _n_tokens(one) == one.body["max_tokens"]]
    if at_budget:
        return fail(
            NAME,
            f"{len(at_budget)} replies spent exactly their budget, yet the finish reason is"
            f" {at_budget[0].response.finish_reason!r}",
            "answers cut by the budget would pass for whole ones: truncation cannot be told here",
        )
    return skip(NAME, f"all {len(answered)} replies ended by themselves within their budget")


def _n_tokens(asked: Asked) -> int | None:
    """Return the output tokens of one choice as counted, else at least as many as there were chunks."""
    if asked.reply is None or "several_choices" in asked.response.flags:
        return None
    usage = asked.response.usage
    counted = usage.completion_tokens if usage is not None else None
    return counted if counted is not None else asked.reply.n_chunks or None
