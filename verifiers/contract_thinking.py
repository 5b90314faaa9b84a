"""Judge thinking: switched as asked, graded by effort, and the reasoning where it belongs."""

import re

from verifiers.contract_evidence import (
    Evidence,
    Judge,
    ProbeReply,
    ProbeVerdict,
    answered,
    failed,
    first_unserved,
    not_applicable,
    nothing_shown,
    passed,
    quoted,
)
from verifiers.contract_refusal import said
from verifiers.visible_text import is_blank, split_thinking

_REASONING_FIELDS = frozenset({"reasoning", "reasoning_content"})
_MAX_SHARE = 0.8  # of the reasoning at the highest effort, that the lowest may take
# How checkpoints begin when they think aloud.
_ALOUD = re.compile(
    r"\W*(?:okay|ok,? so|alright|hmm|wait|let me|let's (?:think|see)|first,? (?:i|let)|the user (?:asks|wants|is|has|says)|"
    r"we (?:need|are asked)|i (?:need|should|have) to|thinking)\b",
    re.IGNORECASE,
)


def thinks(name: str) -> Judge:
    """Return the judge of a reply that must hold reasoning, wherever it stands."""

    def judge(evidence: Evidence) -> ProbeVerdict:
        reply = evidence.replies[name]
        problem = first_unserved(reply)
        if problem is not None:
            return problem
        length = len(_reasoning(reply))
        if length:
            return passed(f"{length:,} characters of reasoning")
        return failed(f"no reasoning: {said(reply)}")

    return judge


def does_not_think(name: str) -> Judge:
    """Return the judge of a reply that must hold no reasoning, neither in a field nor between tags."""

    def judge(evidence: Evidence) -> ProbeVerdict:
        reply = evidence.replies[name]
        problem = first_unserved(reply)
        if problem is not None:
            return problem
        reasoning, usage = _reasoning(reply), answered(reply).usage
        if reasoning:
            return failed(f"{len(reasoning):,} characters of reasoning although thinking is off")
        if usage is not None and usage.reasoning_tokens:
            return failed(f"{usage.reasoning_tokens} reasoning tokens although thinking is off")
        return passed("no reasoning")

    return judge


def reasoning_apart(name: str) -> Judge:
    """Return the judge of where reasoning stands: in its own field, the content free of tags, not empty."""

    def judge(evidence: Evidence) -> ProbeVerdict:
        reply = evidence.replies[name]
        problem = first_unserved(reply)
        if problem is not None:
            return problem
        response = answered(reply)
        if "think_in_content" in split_thinking(response.content).flags:
            return failed(f"thinking tags in the content: {quoted(response.content)}")
        if is_blank(response.reasoning):
            return not_applicable("no reasoning to place")
        if not reply.fields & _REASONING_FIELDS:
            return failed(f"reasoning in {', '.join(sorted(reply.fields - {'content'}))} only")
        if is_blank(response.content):
            if response.is_truncated:
                return nothing_shown("the budget ended the reply before any content")
            return failed("reasoning and no content: the answer stands in the reasoning, or is lost")
        return passed(f"reasoning in its field, content {quoted(response.content)}")

    return judge


def answer_alone(name: str, expected: str) -> Judge:
    """Return the judge of an instant reply: ``expected`` at its start, not a text that thinks aloud."""

    def judge(evidence: Evidence) -> ProbeVerdict:
        reply = evidence.replies[name]
        problem = first_unserved(reply)
        if problem is not None:
            return problem
        visible = split_thinking(answered(reply).content).visible.strip()
        words = re.findall(r"\w+", visible.lower())
        if words != [expected.lower()] and _ALOUD.match(visible):
            return failed(f"thinks aloud in the content: {quoted(visible)}")
        if words[:1] == [expected.lower()]:
            return passed(quoted(visible))
        return not_applicable(f"neither {expected} nor thinking aloud: {quoted(visible)}")

    return judge


def effort_graded(pairs: tuple[tuple[str, str], ...]) -> Judge:
    """Return the judge of effort: in every pair (lowest, highest) the lowest reasons less, and clearly in sum."""

    def judge(evidence: Evidence) -> ProbeVerdict:
        problem = first_unserved(*(evidence.replies[name] for pair in pairs for name in pair))
        if problem is not None:
            return problem
        lengths = [tuple(len(_reasoning(evidence.replies[name])) for name in pair) for pair in pairs]
        low, high = (sum(side) for side in zip(*lengths, strict=True))
        shown = f"{low:,} characters of reasoning at the lowest effort, {high:,} at the highest"
        if not low and not high:
            return not_applicable("no reasoning to grade")
        if low >= high:
            return failed(f"ignored: {shown}")
        if all(one < other for one, other in lengths) and low <= _MAX_SHARE * high:
            return passed(shown)
        return not_applicable(f"cannot be told: {shown}")

    return judge


def _reasoning(reply: ProbeReply) -> str:
    """Return the reasoning in its field and between tags in the content."""
    response = answered(reply)
    inline = split_thinking(response.content).thinking
    return f"{response.reasoning or ''}{inline}".strip()
