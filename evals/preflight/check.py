"""Run every probe in an order that wastes nothing: alone what must be alone, the rest side by side."""

import asyncio
from collections import Counter
from dataclasses import dataclass

from evals.preflight.asker import Asked, Asker
from evals.preflight.degenerate import degenerate_finding
from evals.preflight.finding import Finding, Status, ok, skip, warn
from evals.preflight.images import images_finding
from evals.preflight.limits import max_tokens_finding
from evals.preflight.opening import STORY, Opening, open_talk, stream_finding
from evals.preflight.plan import THOUGHT_TOKENS, TINY_TOKENS, CheckPlan
from evals.preflight.repeatability import repeatability_findings
from evals.preflight.speed import speed_finding, tokens_per_s
from evals.preflight.thinking import (
    SUM,
    SwitchReplies,
    answer_finding,
    reasoning_finding,
    switch_fields,
    switch_finding,
)
from evals.preflight.told import told_findings
from evals.preflight.tools import tools_finding
from evals.preflight.usage import usage_finding
from tasks.spec import ThinkMode
from verifiers.thinking_switch import thinking_asked

TOLD = ("served_names", "engine", "quantization", "context", "budget")
ASKED = (
    "reply",
    "answer",
    "stream",
    "usage",
    "thinking_kimi",
    "thinking_opensource",
    "reasoning",
    "sampling",
    "same_seed",
    "other_seeds",
    "max_tokens",
    "tools",
    "images",
    "degenerate_output",
    "wire",
    "errors",
    "speed",
)
PROBES = (*TOLD, *ASKED)
_TOLD_BY_OTHERS = ("stream_ignored", "usage_malformed")


@dataclass(frozen=True, kw_only=True)
class Check:
    """All findings in the order of :data:`PROBES`, and the speed of one stream where it was measured."""

    findings: tuple[Finding, ...]
    tokens_per_s: float | None = None

    @property
    def is_ok(self) -> bool:
        """Whether a run is worth its tokens."""
        return all(finding.status is not Status.FAIL for finding in self.findings)


async def check_endpoint(plan: CheckPlan) -> Check:
    """Return what all probes found; needs an endpoint that answered the survey."""
    told = told_findings(plan)
    async with Asker(plan.endpoint, timeout_s=plan.timeout_s, retry_wait_s=plan.retry_wait_s) as asker:
        opening = await open_talk(asker, plan)
        if opening.asked is None:
            return Check(findings=_in_order([*told, *opening.findings], "endpoint does not answer"))
        speed = tokens_per_s(opening.asked)
        seeds = await repeatability_findings(asker, plan, opening)
        others = await _side_by_side(asker, plan, opening, speed)
        stream = stream_finding(asker)
        found = [*told, *opening.findings, *([stream] if stream is not None else []), *seeds, *others]
        found += [
            usage_finding(asker.asked),
            max_tokens_finding(asker.asked),
            degenerate_finding(asker.asked),
            _wire(asker.asked),
            _errors(asker.asked),
            speed_finding(opening.asked, plan.run),
        ]
    return Check(findings=_in_order(found, "not probed"), tokens_per_s=speed)


def dead_check(reason: Finding) -> Check:
    """Return the check of an endpoint that did not even tell its models: nothing passes."""
    return Check(findings=_in_order([reason], "endpoint does not answer"))


def _in_order(found: list[Finding], else_skip: str) -> tuple[Finding, ...]:
    """Return one finding for every probe; of several for one name the first."""
    by_name: dict[str, Finding] = {}
    for finding in found:
        by_name.setdefault(finding.name, finding)
    return tuple(by_name.get(name) or skip(name, else_skip) for name in PROBES)


async def _side_by_side(
    asker: Asker, plan: CheckPlan, opening: Opening, speed: float | None
) -> list[Finding]:
    long_tokens = plan.long_tokens(speed)
    streams = opening.streams
    whole, _, kimi, opensource, tools, images = await asyncio.gather(
        asker.ask(SUM, max_tokens=long_tokens, stream=streams),
        asker.ask(STORY, max_tokens=plan.fitting(TINY_TOKENS), stream=streams),
        _switch_replies(asker, plan, ThinkMode.KIMI, streams=streams),
        _switch_replies(asker, plan, ThinkMode.OPENSOURCE, streams=streams),
        tools_finding(asker, plan, streams=streams, max_tokens=min(long_tokens, 512)),
        images_finding(asker, plan, streams=streams, max_tokens=min(long_tokens, 256)),
    )
    unswitched = [whole, opening.asked] if opening.asked is not None else [whole]
    thinking = [kimi.on, opensource.on] if plan.thinking is False else [*unswitched, kimi.on, opensource.on]
    own = [asked for asked in asker.asked if _is_own_mode(asked, plan)]
    return [
        answer_finding(own),
        switch_finding(kimi, plan, other=opensource),
        switch_finding(opensource, plan, other=kimi),
        reasoning_finding(thinking, plan),
        tools,
        images,
    ]


async def _switch_replies(asker: Asker, plan: CheckPlan, mode: ThinkMode, *, streams: bool) -> SwitchReplies:
    on, off = await asyncio.gather(
        *(
            asker.ask(
                SUM,
                max_tokens=plan.fitting(THOUGHT_TOKENS),
                stream=streams,
                switch=switch_fields(mode, thinking=thinking),
            )
            for thinking in (True, False)
        )
    )
    return SwitchReplies(mode=mode, on=on, off=off)


def _is_own_mode(asked: Asked, plan: CheckPlan) -> bool:
    """Whether a request asked for text, and for thinking the way the run will."""
    if asked.body.get("tools"):
        return False
    switched = thinking_asked(asked.body)
    return switched is plan.thinking or (plan.thinking is None and switched is True)


def _wire(asked: list[Asked]) -> Finding:
    answered = [one for one in asked if one.is_answered and not one.body.get("tools")]
    flags = Counter(flag for one in answered for flag in one.response.flags if flag not in _TOLD_BY_OTHERS)
    if not flags:
        return ok("wire", f"{len(answered)} replies as the protocol has them")
    shown = ", ".join(f"{flag} in {n}" for flag, n in flags.most_common(4))
    return warn(
        "wire",
        f"{shown} of {len(answered)} replies",
        "off the protocol: read so that nothing is lost, but look at the server or proxy",
        tuple(flags),
    )


def _errors(asked: list[Asked]) -> Finding:
    asked = [one for one in asked if not isinstance(one.body["messages"][0]["content"], list)]  # images
    failures = [failure for one in asked for failure in one.failed]
    failures += [one.failure for one in asked if one.failure is not None and one.failure.is_retryable]
    n_attempts = len(asked) + sum(len(one.failed) for one in asked)
    if not failures:
        return ok("errors", f"none in {n_attempts} requests")
    words = " ".join(failures[0].message.split())[:100]
    return warn(
        "errors",
        f"{len(failures)} of {n_attempts} attempts failed, as {words}",
        "a run repeats failed requests; a share like this costs time and points at the server",
    )
