"""Judge what is said of images of one colour: the colour sent, and no other."""

import re

from verifiers.contract_evidence import (
    Evidence,
    Judge,
    ProbeVerdict,
    answered,
    failed,
    first_unserved,
    nothing_shown,
    passed,
    quoted,
)
from verifiers.tool_arguments import read_arguments
from verifiers.visible_text import is_blank, split_thinking

COLOURS = ("red", "green", "blue", "yellow")


def colour_said(name: str, colour: str) -> Judge:
    """Return the judge of a text that must name ``colour`` and no other of :data:`COLOURS`."""

    def judge(evidence: Evidence) -> ProbeVerdict:
        problem = first_unserved(evidence.replies[name])
        if problem is not None:
            return problem
        response = answered(evidence.replies[name])
        visible = split_thinking(response.content).visible
        if is_blank(visible) and response.is_truncated:
            return nothing_shown("the budget ended the reply before any visible text")
        return _judge_words(visible, colour)

    return judge


def colour_called(name: str, colour: str) -> Judge:
    """Return the judge of a forced call whose arguments must name ``colour`` and no other."""

    def judge(evidence: Evidence) -> ProbeVerdict:
        problem = first_unserved(evidence.replies[name])
        if problem is not None:
            return problem
        response = answered(evidence.replies[name])
        if not response.tool_calls:
            return failed(f"no call: {quoted(response.content)}")
        if response.is_truncated:
            return nothing_shown(f"the budget ended the reply: {quoted(response.tool_calls[0].arguments)}")
        value = read_arguments(response.tool_calls[0]).lenient_value
        return _judge_words(" ".join(str(part) for part in (value or {}).values()), colour)

    return judge


def _judge_words(text: str, colour: str) -> ProbeVerdict:
    words = set(re.findall(r"[a-z]+", text.lower()))
    if colour in words and not words & (set(COLOURS) - {colour}):
        return passed(f"{colour}: {quoted(text)}")
    return failed(f"the image is {colour}: {quoted(text)}")
