"""The first question: does a chat reply come at all, streamed or plain, with the run's sampling or without?"""

from dataclasses import dataclass
from typing import Any

from evals.preflight.asker import Asked, Asker
from evals.preflight.finding import Finding, fail, ok, warn
from evals.preflight.plan import SHORT_TOKENS, CheckPlan
from evals.transport.failure import Failure

STORY = "Invent a short story about a lighthouse, a storm and an unusual visitor."
FIRST_SEED = 7


@dataclass(frozen=True, kw_only=True)
class Opening:
    """How the first question went. ``asked`` is the reply to build on, ``None`` where none came.

    ``sampling`` are the request fields that were accepted; ``streams`` whether replies may be streamed.
    """

    asked: Asked | None
    sampling: dict[str, float]
    streams: bool
    findings: tuple[Finding, ...]


async def open_talk(asker: Asker, plan: CheckPlan) -> Opening:
    """Ask the first question as a run would; where that fails, without streaming, then without sampling."""
    sampling = sampling_fields(plan)
    max_tokens = plan.fitting(SHORT_TOKENS)

    async def ask(fields: dict[str, Any], *, stream: bool) -> Asked:
        return await asker.ask(STORY, max_tokens=max_tokens, stream=stream, seed=FIRST_SEED, **fields)

    streamed = await ask(sampling, stream=True)
    if streamed.is_answered:
        found = (_reply(streamed), _sampling(plan, sampling))
        return Opening(asked=streamed, sampling=sampling, streams=True, findings=found)
    plain = await ask(sampling, stream=False)
    if plain.is_answered:
        found = (_reply(plain), _sampling(plan, sampling))
        return Opening(asked=plain, sampling=sampling, streams=False, findings=found)
    if streamed.is_refused and sampling:
        bare = await ask({}, stream=True)
        if bare.is_answered:
            refused = fail(
                "sampling",
                f"{_shown(sampling)} refused: {streamed.words}",
                "choose what this endpoint allows with --temperature and --top-p",
            )
            return Opening(asked=bare, sampling={}, streams=True, findings=(_reply(bare), refused))
    return Opening(asked=None, sampling={}, streams=True, findings=(_no_reply(streamed, plain, plan),))


def sampling_fields(plan: CheckPlan) -> dict[str, float]:
    """Return the sampling of the run as request fields."""
    told = {"temperature": plan.sampling.temperature, "top_p": plan.sampling.top_p}
    return {name: value for name, value in told.items() if value is not None}


def stream_finding(asker: Asker) -> Finding | None:
    """Return what is wrong with streaming as such; ``None`` where streams are whole."""
    streamed = [asked for asked in asker.asked if asked.stream and not asked.is_refused]
    broken = [asked for asked in streamed if not asked.is_answered]
    if streamed and len(broken) == len(streamed):
        return fail(
            "stream",
            f"no stream comes to its end: {broken[0].words}",
            "look for a proxy that cuts or buffers event streams, or run with --no-stream",
        )
    whole = [asked.reply for asked in streamed if asked.reply is not None]
    if whole and all(reply.ttft_s is None for reply in whole):
        return warn(
            "stream",
            "a stream was asked for, a plain reply came",
            "let the proxy pass event streams: without them hour-long answers hang on one silent connection",
        )
    return None


def _reply(asked: Asked) -> Finding:
    name = "reply"
    if not asked.text.strip():
        return warn(name, f"a reply without any text (finish reason {asked.response.finish_reason!r})")
    kind = "streamed" if asked.stream else "plain"
    length = len(asked.text)
    return ok(name, f"a {kind} reply of {length} characters, finish reason {asked.response.finish_reason!r}")


def _sampling(plan: CheckPlan, sampling: dict[str, float]) -> Finding:
    name = "sampling"
    extra = {
        field: value
        for field, value in plan.facts.server_sampling.items()
        if field not in plan.endpoint.extra_body
    }
    accepted = f"{_shown(sampling)} and a seed accepted"
    if extra:
        neutral = {field: plan.facts.neutral_sampling[field] for field in extra}
        fields = ", ".join(f'"{field}": {value:g}' for field, value in neutral.items())
        return warn(
            name,
            f"{accepted}, but the server adds {_shown(extra)} of its own",
            f"--extra-body '{{{fields}}}' on both sides of a comparison",
        )
    return ok(name, accepted)


def _shown(fields: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in fields.items()) or "the server's own sampling"


def _no_reply(streamed: Asked, plain: Asked, plan: CheckPlan) -> Finding:
    same = streamed.words == plain.words
    words = streamed.words if same else f"streamed: {streamed.words}; plain: {plain.words}"
    return fail("reply", f"no chat reply: {words}", _mend(streamed.failure, plan))


def _mend(failure: Failure | None, plan: CheckPlan) -> str:
    status = failure.status if failure is not None else None
    if status in {401, 403}:
        return f"set the key in {plan.endpoint.api_key_env} or name its variable with --api-key-env"
    if status == 404:
        listed = ", ".join(plan.facts.models) or "the served name"
        return f"--model {listed}; check that the base URL ends where /chat/completions begins"
    if status is not None and 400 <= status < 500:
        return "change what the message names"
    return "mend the server before any run"
