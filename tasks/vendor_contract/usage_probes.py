"""Probes of token counts and of what ends a reply: budgets, stop sequences, the context length."""

from tasks.vendor_contract.basic_probes import LONG_TEXT, long_ask, plain_ask
from tasks.vendor_contract.probe import Ask, Budgets, Delivery, Group, Probe, user
from verifiers.contract_limits import budget_honoured, context_refused, served_within_budget, stop_honoured
from verifiers.contract_refusal import refused_or
from verifiers.contract_usage import same_prompt_tokens, usage_adds_up, usage_present

_COUNTING = "Count from 1 to 20 in digits, separated by commas. Write nothing else."
_STOP, _BEFORE, _AFTER = "12", "11", "13"
_WORD = " lighthouse"  # at least one token
_MAX_PROMPT_TOKENS = 2_000_000  # what is worth sending to see a refusal


def usage_probes(budgets: Budgets) -> tuple[Probe, ...]:
    """Return the probes of ``usage``."""
    plain = plain_ask(budgets)
    return (
        Probe(
            name="usage_present",
            group=Group.USAGE,
            expectation="Replies tell their prompt and completion tokens, "
            "streams where include_usage asks for it.",
            asks=(plain,),
            judge=usage_present(plain.name),
            advice="without counts nobody can check bills, budgets or truncation",
        ),
        Probe(
            name="usage_adds_up",
            group=Group.USAGE,
            expectation="The total is prompt plus completion, and reasoning is part of the completion.",
            asks=(plain, long_ask(budgets)),
            judge=usage_adds_up(plain.name, "short budget"),
        ),
        Probe(
            name="usage_equal",
            group=Group.USAGE,
            expectation="One prompt has as many tokens streamed as plain.",
            asks=(plain,),
            judge=same_prompt_tokens(f"{plain.name}, plain", f"{plain.name}, stream"),
            deliveries=(Delivery.BOTH,),
            advice="the two ways render different prompts, or count differently",
        ),
    )


def limit_probes(budgets: Budgets, *, thinking: bool) -> tuple[Probe, ...]:
    """Return the probes of limits; with ``thinking`` also that reasoning counts against the budget."""
    counting = Ask(
        name="counting",
        body={"messages": user(_COUNTING), "max_tokens": budgets.reply, "stop": [_STOP]},
        thinking=False,
    )
    reasoning = Ask(
        name="reasoning",
        body={"messages": user(LONG_TEXT), "max_tokens": 2 * budgets.short},
        thinking=True,
    )
    probes = [
        Probe(
            name="max_tokens",
            group=Group.LIMITS,
            expectation=f"A reply ends at max_tokens, here {budgets.short}.",
            asks=(long_ask(budgets),),
            judge=budget_honoured("short budget", budgets.short),
            depends_on=("one_choice", "instant_text", "reasoning_place"),
            advice="budgets that are not honoured make costs and truncation unpredictable",
        ),
        Probe(
            name="stop",
            group=Group.LIMITS,
            expectation="A stop sequence ends the reply and is not part of it.",
            asks=(counting,),
            judge=stop_honoured("counting", stop=_STOP, before=_BEFORE, after=_AFTER),
        ),
    ]
    if thinking:
        probes.append(
            Probe(
                name="max_tokens_reasoning",
                group=Group.LIMITS,
                expectation="Reasoning counts against max_tokens.",
                asks=(reasoning,),
                judge=budget_honoured("reasoning", 2 * budgets.short),
                depends_on=("max_tokens", "reasoning_place", "one_choice"),
            )
        )
    if budgets.context_tokens is not None and budgets.context_tokens <= _MAX_PROMPT_TOKENS:
        probes += _context_probes(budgets, budgets.context_tokens)
    return tuple(probes)


def _context_probes(budgets: Budgets, context_tokens: int) -> list[Probe]:
    prompt = "Name one word of this text." + _WORD * (context_tokens + 100)
    too_long = Ask(
        name="long prompt", body={"messages": user(prompt), "max_tokens": budgets.short}, thinking=False
    )
    # the stop sequences keep a small model from filling the context
    body = {**plain_ask(budgets).body, "max_tokens": context_tokens + 1, "stop": [".", "\n"]}
    beyond = Ask(name="budget beyond", body=body, thinking=False)
    return [
        Probe(
            name="context_prompt",
            group=Group.LIMITS,
            expectation=f"A prompt beyond the context of {context_tokens:,} tokens is refused with a 400 "
            "that says so.",
            asks=(too_long, plain_ask(budgets)),
            judge=context_refused(too_long.name, control="plain text"),
            advice="a prompt that is cut in silence is answered as another prompt",
            depends_on=("bad_request",),
        ),
        Probe(
            name="context_budget",
            group=Group.LIMITS,
            expectation="max_tokens beyond the context is refused with a 400 and a reason, "
            "or served within the context.",
            asks=(beyond, plain_ask(budgets)),
            judge=refused_or(beyond.name, served_within_budget(beyond.name), control="plain text"),
            depends_on=("bad_request",),
        ),
    ]
