"""Judge requests that must be refused: a 400 with a reason, never just any failure."""

from verifiers.contract_evidence import (
    Evidence,
    Judge,
    ProbeReply,
    ProbeStatus,
    ProbeVerdict,
    ReplyKind,
    answered,
    failed,
    nothing_shown,
    passed,
    quoted,
    told,
    unserved,
)
from verifiers.visible_text import split_thinking

_NOT_ABOUT_THE_REQUEST = frozenset({401, 403, 408, 409, 425, 429})


def judge_refusal(reply: ProbeReply) -> ProbeVerdict:
    """Judge one request that must be refused with HTTP 400 and an error object that gives a reason."""
    if reply.is_reasoned_refusal:
        return passed(told(reply))
    if reply.kind is ReplyKind.ANSWERED:
        return failed(f"accepted: {said(reply)}")
    if reply.kind is ReplyKind.SILENT or reply.status in _NOT_ABOUT_THE_REQUEST:
        return nothing_shown(told(reply))
    if reply.status == 400:
        return failed(f"HTTP 400 without a reason in an error object: {reply.fault}")
    if reply.kind is ReplyKind.REFUSED or reply.status in (500, 501):
        words = quoted(reply.error.message) if reply.error is not None else reply.fault
        return failed(f"HTTP {reply.status} in place of 400: {words}")
    if reply.status == 200 and reply.error is not None:
        return failed(f"refused under HTTP 200 in place of 400: {quoted(reply.error.message)}")
    return nothing_shown(told(reply))


def refused(*names: str, control: str | None = None) -> Judge:
    """Return the judge of requests ``names`` that must all be refused.

    ``control`` names a request that differs in nothing but what is refused and must be served: an endpoint
    that refuses everything has shown nothing.
    """

    def judge(evidence: Evidence) -> ProbeVerdict:
        verdicts = {name: judge_refusal(evidence.replies[name]) for name in names}
        for status in (ProbeStatus.FAIL, ProbeStatus.ERROR):
            for name, verdict in verdicts.items():
                if verdict.status is status:
                    label = f"{name}: " if len(names) > 1 else ""
                    return ProbeVerdict(status=status, evidence=label + verdict.evidence)
        shown = verdicts[names[0]]
        return shown if control is None else _with_control(shown, evidence.replies[control])

    return judge


def refused_or(name: str, judge_answer: Judge, *, control: str) -> Judge:
    """Return the judge of a request that may be refused, or else must be honoured as ``judge_answer`` says."""

    def judge(evidence: Evidence) -> ProbeVerdict:
        reply = evidence.replies[name]
        if reply.kind is ReplyKind.ANSWERED:
            return judge_answer(evidence)
        verdict = judge_refusal(reply)
        if verdict.status is not ProbeStatus.PASS:
            return verdict
        return _with_control(verdict, evidence.replies[control])

    return judge


def said(reply: ProbeReply) -> str:
    """Return what an answered reply said, in a few words."""
    response = answered(reply)
    if response.tool_calls:
        calls = ", ".join(f"{call.name}({call.arguments})" for call in response.tool_calls)
        return f"call {quoted(calls)}"
    visible = split_thinking(response.content).visible
    if visible.strip():
        return quoted(visible)
    return f"no content, reasoning {quoted(response.reasoning)}" if response.reasoning else "an empty text"


def _with_control(refusal: ProbeVerdict, control: ProbeReply) -> ProbeVerdict:
    """Return ``refusal`` if the request that differs only in what is refused was served."""
    problem = unserved(control)
    if problem is None:
        return refusal
    if problem.status is ProbeStatus.FAIL:
        return failed(f"the same request without what must be refused is {problem.evidence}")
    return nothing_shown(f"the same request without what must be refused: {problem.evidence}")
