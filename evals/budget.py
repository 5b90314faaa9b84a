"""Hold a run's output budget against the endpoint's context, before anything is sent."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evals.endpoint import Endpoint
from evals.endpoint_facts import EndpointFacts
from evals.prompts.prompt_length import PromptLength, count_longest, longest_prompt
from tasks.benchmark import Item
from tasks.catalog import find_benchmark
from tasks.spec import TaskSpec
from verifiers.thinking_switch import asks_no_thinking

# What a thinking checkpoint needs: published AIME runs of this family spend 30k to 130k tokens an answer.
LIVABLE_TOKENS = 8_192

_CONTEXT_FLAGS = {
    "vllm": "--max-model-len {needed}",
    "sglang": "--context-length {needed}",
    "tensorrt-llm": "--max_seq_len {needed}",
    "quantcheck-simulator": "--max-model-len {needed}",
}


_UNCHECKED = "budget: the endpoint does not tell its context length; whether it fits cannot be checked"


class BudgetError(ValueError):
    """A budget that the endpoint's context cannot hold."""


@dataclass(frozen=True, kw_only=True)
class Budget:
    """The budget a run may use. ``asked`` differs where it was clamped; ``notes`` and ``warnings`` are for people."""

    max_tokens: int
    asked: int
    context_tokens: int | None
    prompt: PromptLength
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def is_clamped(self) -> bool:
        """Whether the endpoint's context cut the budget."""
        return self.max_tokens != self.asked


def settle_budget(
    spec: TaskSpec, items: Sequence[Item], endpoint: Endpoint, facts: EndpointFacts, *, clamp: bool
) -> Budget:
    """Return the budget of a run of ``items``; raise :class:`BudgetError` where it does not fit.

    With ``clamp`` it is cut to what the estimated longest prompt leaves. Estimates alone decide the cut,
    so that two endpoints with one context get one budget, whether or not they count tokens for us.
    """
    context, asked = facts.context_tokens, spec.max_tokens
    estimate = longest_prompt(items) or PromptLength(tokens=0, sample_id="")
    budget = Budget(
        max_tokens=asked,
        asked=asked,
        context_tokens=context,
        prompt=estimate,
        warnings=_livability(asked, spec),
    )
    if context is None:
        return replace(budget, notes=(_UNCHECKED,))
    prompt = estimate
    if asked < context < asked + estimate.tokens:
        prompt = count_longest(items, endpoint, facts.engine) or estimate
    if asked + prompt.tokens <= context:
        return replace(budget, prompt=prompt)
    room = context - estimate.tokens
    if not clamp or room < 1:
        raise BudgetError(_refusal(asked, prompt, facts))
    cut = f"budget: cut from {asked:,} to {room:,} tokens to fit the endpoint's context of {context:,}"
    warnings = (f"{cut}; it is part of the fingerprint", *_livability(room, spec))
    return replace(budget, max_tokens=room, warnings=warnings)


def _livability(max_tokens: int, spec: TaskSpec) -> tuple[str, ...]:
    # a task of small questions has a small budget of its own
    livable = min(LIVABLE_TOKENS, find_benchmark(spec.task).preset(spec.preset).max_tokens)
    if max_tokens >= livable or spec.thinking is False or asks_no_thinking(spec.extra_body):
        return ()
    return (
        f"budget: {max_tokens:,} tokens include the reasoning; thinking checkpoints spend 30,000 to 130,000 on"
        f" a hard answer, so below {livable:,} expect most answers truncated"
        " (a larger --max-tokens, or --no-thinking for an instant protocol)",
    )


def _refusal(asked: int, prompt: PromptLength, facts: EndpointFacts) -> str:
    context = facts.context_tokens or 0
    room = context - prompt.tokens
    way_out = (
        f"--max-tokens {room} or less fits, or --clamp-budget cuts it"
        if room >= 1
        else f"no budget fits beside the prompt of {prompt.sample_id}"
    )
    return (
        f"budget: {asked:,} output tokens and up to {prompt} do not fit the endpoint's context of"
        f" {context:,} tokens; {way_out}; {context_advice(facts, asked + prompt.tokens)}"
    )


def context_advice(facts: EndpointFacts, needed: int) -> str:
    """Return how the server is told to hold ``needed`` tokens a request."""
    if facts.engine == "llama.cpp":
        slots = facts.n_slots or 1
        return f"to raise it: --ctx-size {needed * slots} ({slots} slots x {needed})"
    flag = _CONTEXT_FLAGS.get(facts.engine or "", "a context of {needed} tokens or more")
    return f"to raise it, start the server with {flag.format(needed=needed)}"
