"""Do streamed and plain replies agree, does a seed repeat its reply, and do other seeds bring others?

Asked one after the other and alone: what else is in flight changes a batch and with it the numerics.
"""

from dataclasses import dataclass
from typing import Any

from evals.preflight.asker import Asked, Asker
from evals.preflight.finding import Finding, excerpt, fail, ok, skip, warn
from evals.preflight.opening import FIRST_SEED, STORY, Opening
from evals.preflight.plan import SHORT_TOKENS, CheckPlan
from verifiers.repetition import find_repetition

STREAM, SAME, OTHER = "stream", "same_seed", "other_seeds"
_REPEATABLE = {
    "vllm": "VLLM_BATCH_INVARIANT=1 makes vLLM repeat itself; without it results repeat only on average",
    "sglang": "--enable-deterministic-inference makes SGLang repeat itself; without it only on average",
    "llama.cpp": "--extra-body '{\"cache_prompt\": false}' makes llama.cpp repeat itself",
}


@dataclass(frozen=True, kw_only=True)
class _Talk:
    """The first question again, with the seed, the way of transport and the sampling of choice."""

    asker: Asker
    plan: CheckPlan
    opening: Opening

    async def ask(self, seed: int, *, stream: bool, greedy: bool = False) -> Asked:
        sampling: dict[str, Any] = {"temperature": 0.0} if greedy else dict(self.opening.sampling)
        max_tokens = self.plan.fitting(SHORT_TOKENS)
        return await self.asker.ask(STORY, max_tokens=max_tokens, stream=stream, seed=seed, **sampling)


async def repeatability_findings(asker: Asker, plan: CheckPlan, opening: Opening) -> list[Finding]:
    """Return the findings on streams and seeds."""
    talk = _Talk(asker=asker, plan=plan, opening=opening)
    first = opening.asked
    if first is None or not first.text.strip():
        return [skip(name, "the first reply holds no text") for name in (STREAM, SAME, OTHER)]
    if find_repetition(first.response.content) or find_repetition(first.response.reasoning):
        return [skip(name, "degenerate output says nothing about it") for name in (STREAM, SAME, OTHER)]
    second = await talk.ask(FIRST_SEED, stream=False)
    if opening.streams:
        found = await _stream_and_seed(talk, first, second)
    else:
        found = [_same_seed(plan, first, second)]  # that streams are broken is told elsewhere
    return [*found, await _other_seeds(talk, second if second.is_answered else first)]


async def _stream_and_seed(talk: _Talk, streamed: Asked, plain: Asked) -> list[Finding]:
    if not plain.is_answered:
        broken = warn(STREAM, f"the plain reply failed: {plain.words}", "do not run with --no-stream")
        return [broken, _same_seed(talk.plan, streamed, await talk.ask(FIRST_SEED, stream=True))]
    if _equal(streamed, plain):
        same = ok(SAME, f"seed {FIRST_SEED} brought the same reply twice")
        return [ok(STREAM, "streamed and plain replies agree"), same]
    if streamed.text == plain.text:
        parted = warn(
            STREAM,
            "streamed and plain replies agree in text, not in what is reasoning and what is content",
            "one of the two misplaces reasoning: run both sides of a comparison the same way",
        )
        return [parted, ok(SAME, f"seed {FIRST_SEED} brought the same text twice")]
    plain_again = await talk.ask(FIRST_SEED, stream=False)
    if not _equal(plain, plain_again):
        return [await _greedy_agreement(talk), _same_seed(talk.plan, plain, plain_again)]
    streamed_again = await talk.ask(FIRST_SEED, stream=True)
    if _equal(streamed_again, plain):
        first_alone = (
            f"seed {FIRST_SEED} repeats, except that the very first reply was another (prompt cache?)"
        )
        advice = _REPEATABLE.get(talk.plan.facts.engine or "", "")
        return [ok(STREAM, "streamed and plain replies agree"), warn(SAME, first_alone, advice)]
    return [_disagreement(streamed_again, plain), ok(SAME, f"seed {FIRST_SEED} repeats in plain replies")]


async def _greedy_agreement(talk: _Talk) -> Finding:
    """Compare streamed and plain replies without chance, where seeds do not repeat."""
    streamed = await talk.ask(FIRST_SEED, stream=True, greedy=True)
    plain = await talk.ask(FIRST_SEED, stream=False, greedy=True)
    if not (streamed.is_answered and plain.is_answered):
        return skip(STREAM, "seeds do not repeat and temperature 0 is refused: nothing to compare by")
    if _equal(streamed, plain):
        return ok(STREAM, "streamed and plain replies agree at temperature 0")
    plain_again = await talk.ask(FIRST_SEED, stream=False, greedy=True)
    if _equal(plain, plain_again):
        return _disagreement(streamed, plain)
    return skip(STREAM, "the endpoint does not repeat itself even at temperature 0: nothing to compare by")


def _disagreement(streamed: Asked, plain: Asked) -> Finding:
    n_same = _common_prefix(streamed.text, plain.text)
    return warn(
        STREAM,
        f"under one seed streamed and plain replies part after {n_same} characters:"
        f" {excerpt(streamed.text[n_same:], 30)} and {excerpt(plain.text[n_same:], 30)}",
        "run both sides of a comparison the same way, streamed or not",
    )


def _same_seed(plan: CheckPlan, first: Asked, second: Asked) -> Finding:
    if not (first.is_answered and second.is_answered):
        return skip(SAME, f"no reply: {first.words or second.words}")
    if _equal(first, second):
        return ok(SAME, f"seed {FIRST_SEED} brought the same reply twice")
    n_same = _common_prefix(first.text, second.text)
    advice = _REPEATABLE.get(
        plan.facts.engine or "", "results repeat only on average; comparisons allow for it"
    )
    return warn(SAME, f"seed {FIRST_SEED} brought two replies that part after {n_same} characters", advice)


async def _other_seeds(talk: _Talk, first: Asked) -> Finding:
    temperature = talk.opening.sampling.get("temperature")
    if temperature == 0:
        return skip(OTHER, "at temperature 0 there is nothing to draw")
    others = []
    for seed in (FIRST_SEED + 1, FIRST_SEED + 2):
        others.append(await talk.ask(seed, stream=first.stream))
        if not others[-1].is_answered:
            return skip(OTHER, f"no reply: {others[-1].words}")
        if others[-1].text != first.text:
            return ok(OTHER, f"seeds {FIRST_SEED} and {seed} brought other replies")
    evidence = f"{1 + len(others)} seeds brought one and the same reply"
    if temperature is None:
        return warn(OTHER, f"{evidence} under the server's own sampling", "set --temperature to draw at all")
    advice = "temperature or seed is ignored (a cache in front?): epochs would repeat one draw"
    return fail(OTHER, f"{evidence} at temperature {temperature:g}", advice)


def _equal(first: Asked, second: Asked) -> bool:
    one, other = first.response, second.response
    same_text = (one.content or "", one.reasoning or "") == (other.content or "", other.reasoning or "")
    return first.is_answered and second.is_answered and same_text


def _common_prefix(first: str, second: str) -> int:
    pairs = zip(first, second, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(first), len(second)))
