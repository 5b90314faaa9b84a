"""What an endpoint answered to the requests of one probe, and what a verdict on it holds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from verifiers.response import Response

_SHOWN_CHARACTERS = 160
_NO_EVIDENCE_STATUS = frozenset({401, 403, 404, 408, 409, 425, 429})  # about key, model or load


class ProbeStatus(StrEnum):
    """What a probe shows of an endpoint."""

    PASS = "pass"
    FAIL = "fail"
    NOT_APPLICABLE = "not_applicable"  # nothing here that the contract speaks about
    ERROR = "error"  # nothing is shown: no usable answer


class ReplyKind(StrEnum):
    """How one request ended."""

    ANSWERED = "answered"  # HTTP 200 with a finished completion
    REFUSED = "refused"  # HTTP 4xx, whatever the body says
    BROKEN = "broken"  # something came that is neither: 5xx, HTML, a cut stream, an error under HTTP 200
    SILENT = "silent"  # nothing came: no connection, or no end within the time


@dataclass(frozen=True, kw_only=True)
class ApiError:
    """An error object in the form that OpenAI's clients read: ``{"error": {"message": ...}}``."""

    message: str
    kind: str | None = None
    param: str | None = None
    code: str | int | None = None


@dataclass(frozen=True, kw_only=True)
class ProbeReply:
    """One reply. ``response`` is set exactly when it was answered, ``fault`` exactly when it was not.

    ``error`` is ``None`` where no error object of OpenAI's form came, with whatever status. ``n_choices``
    counts different choice indices; ``fields`` names the fields of message or deltas that held something,
    ``content[]`` where the content was a list; ``is_stream`` and ``is_done`` say whether server-sent events came and
    whether ``[DONE]`` ended them; ``is_endless`` that reading was given up while more kept coming.
    """

    kind: ReplyKind
    status: int | None = None
    response: Response | None = None
    error: ApiError | None = None
    fault: str = ""
    n_choices: int = 0
    fields: frozenset[str] = frozenset()
    is_stream: bool = False
    is_done: bool = False
    is_endless: bool = False

    @property
    def is_reasoned_refusal(self) -> bool:
        """Whether this is what a refusal must be: HTTP 400 with an error object that gives a reason."""
        return self.status == 400 and self.error is not None and bool(self.error.message.strip())


@dataclass(frozen=True, kw_only=True)
class Tally:
    """How many of several like requests kept the contract, of those that could be judged."""

    kept: int
    judged: int


@dataclass(frozen=True, kw_only=True)
class ProbeVerdict:
    """A status with the evidence for it in words, quoting the endpoint; a tally where a probe asks many."""

    status: ProbeStatus
    evidence: str
    tally: Tally | None = None


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """The replies to a probe's requests by name, all asked for in the same way of delivery."""

    replies: Mapping[str, ProbeReply]


Judge = Callable[[Evidence], ProbeVerdict]


def passed(evidence: str) -> ProbeVerdict:
    """Return the verdict that the contract is kept."""
    return ProbeVerdict(status=ProbeStatus.PASS, evidence=evidence)


def failed(evidence: str) -> ProbeVerdict:
    """Return the verdict that the contract is broken."""
    return ProbeVerdict(status=ProbeStatus.FAIL, evidence=evidence)


def not_applicable(evidence: str) -> ProbeVerdict:
    """Return the verdict that there is nothing to judge."""
    return ProbeVerdict(status=ProbeStatus.NOT_APPLICABLE, evidence=evidence)


def nothing_shown(evidence: str) -> ProbeVerdict:
    """Return the verdict that no usable answer came."""
    return ProbeVerdict(status=ProbeStatus.ERROR, evidence=evidence)


def quoted(text: str | None) -> str:
    """Return ``text`` in quotes and on one line, cut to what fits into a sentence."""
    line = " ".join((text or "").split())
    cut = line if len(line) <= _SHOWN_CHARACTERS else line[:_SHOWN_CHARACTERS] + "..."
    return f'"{cut}"'


def told(reply: ProbeReply) -> str:
    """Return in words how a request that was not answered ended."""
    if reply.error is not None and reply.status is not None:
        return f"HTTP {reply.status}: {quoted(reply.error.message)}"
    return reply.fault


def unserved(reply: ProbeReply) -> ProbeVerdict | None:
    """Return the verdict on a request that must be served and was not; ``None`` where it was.

    A refusal of the request itself, and a 500 while others are answered, break the contract; a wrong key,
    rate limits, gateways, cut replies and silence show nothing about it.
    """
    if reply.kind is ReplyKind.ANSWERED:
        return None
    is_about_request = reply.kind is ReplyKind.REFUSED and reply.status not in _NO_EVIDENCE_STATUS
    if is_about_request or reply.status in (500, 501):
        return failed(f"not served: {told(reply)}")
    return nothing_shown(told(reply))


def first_unserved(*replies: ProbeReply) -> ProbeVerdict | None:
    """Return the verdict on the first of ``replies`` that was not served, a failure before an error."""
    verdicts = [verdict for reply in replies if (verdict := unserved(reply)) is not None]
    return next((v for v in verdicts if v.status is ProbeStatus.FAIL), verdicts[0] if verdicts else None)


def answered(reply: ProbeReply) -> Response:
    """Return the response of an answered reply."""
    if reply.response is None:
        raise ValueError(f"reply: {reply.kind}, {reply.fault}; only an answered reply has a response")
    return reply.response
