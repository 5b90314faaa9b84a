"""Judge what every other probe builds on: whole replies, the event stream, finish reasons, one choice."""

from verifiers.contract_evidence import (
    Evidence,
    Judge,
    ProbeVerdict,
    ReplyKind,
    answered,
    failed,
    first_unserved,
    not_applicable,
    nothing_shown,
    passed,
    quoted,
    told,
    unserved,
)
from verifiers.contract_refusal import said
from verifiers.repetition import find_repetition
from verifiers.visible_text import is_blank, split_thinking


def answers(name: str) -> Judge:
    """Return the judge of the plainest request: some visible text that does not degenerate."""

    def judge(evidence: Evidence) -> ProbeVerdict:
        reply = evidence.replies[name]
        if reply.kind is not ReplyKind.ANSWERED:
            return nothing_shown(told(reply))
        response = answered(reply)
        repetition = find_repetition(response.content) or find_repetition(response.reasoning)
        if repetition is not None:
            return failed(f"degenerate: {quoted(repetition.unit)} {repetition.n_repeats} times")
        if not is_blank(split_thinking(response.content).visible):
            return passed(said(reply))
        if response.is_truncated:
            return nothing_shown(f"the budget ended the reply before any visible text: {said(reply)}")
        return failed(f"no visible text: {said(reply)}, finish reason {response.finish_reason}")

    return judge


def content_is_text(name: str) -> Judge:
    """Return the judge of the form of the content: a text, not a list of parts."""

    def judge(evidence: Evidence) -> ProbeVerdict:
        reply = evidence.replies[name]
        problem = unserved(reply)
        if problem is not None:
            return problem
        return failed("the content is a list of parts") if "content[]" in reply.fields else passed("a text")

    return judge


def event_stream(name: str) -> Judge:
    """Return the judge of a streamed reply: server-sent events with a finish reason, ended by ``[DONE]``."""

    def judge(evidence: Evidence) -> ProbeVerdict:
        reply = evidence.replies[name]
        is_cut = reply.kind is ReplyKind.BROKEN and reply.status == 200
        if is_cut and (reply.is_stream or reply.is_endless):
            return failed(reply.fault)
        problem = unserved(reply)
        if problem is not None:
            return problem
        if not reply.is_stream:
            return failed("a stream was asked for, one plain JSON object came")
        if not reply.is_done:
            return failed("the stream ends without data: [DONE]")
        return passed("events up to a finish reason and [DONE]")

    return judge


def finish_reasons(*, stopped: str, cut: str) -> Judge:
    """Return the judge of the two finish reasons of text: ``stop`` of itself, ``length`` by the budget."""

    def judge(evidence: Evidence) -> ProbeVerdict:
        problem = first_unserved(evidence.replies[stopped], evidence.replies[cut])
        if problem is not None:
            return problem
        reasons = [answered(evidence.replies[name]).finish_reason for name in (stopped, cut)]
        if reasons == ["length", "length"]:
            return nothing_shown("the budget ended the reply that should end of itself")
        if reasons == ["stop", "stop"]:
            return not_applicable("the reply ends before its budget does; stop is right")
        for reason in reasons:
            if reason not in ("stop", "length"):
                return failed(f"finish reason {reason!r}; OpenAI's clients know stop and length")
        if reasons != ["stop", "length"]:
            return failed(f"finish reasons {reasons[0]!r} for a whole and {reasons[1]!r} for a cut reply")
        return passed("stop and length")

    return judge
