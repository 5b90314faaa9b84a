"""Probes of thinking: on by default and on request, off on request, graded by effort, kept apart."""

from tasks.vendor_contract.basic_probes import plain_ask
from tasks.vendor_contract.probe import Ask, Budgets, Group, Probe, user
from verifiers.contract_thinking import answer_alone, does_not_think, effort_graded, reasoning_apart, thinks

SMALL_TASK = "What is 17 + 25? Answer with the number."
GRADED_TASK = "How many positive divisors does 360 have? Answer with the number."
LOWEST, HIGHEST = "low", "max"
_DRAWS = (1, 2, 3, 4)


def thinking_probes(budgets: Budgets) -> tuple[Probe, ...]:
    """Return the probes of this group; they need an endpoint whose thinking can be switched."""
    body = {"messages": user(SMALL_TASK), "max_tokens": budgets.reply}
    on = Ask(name="thinking on", body=body, thinking=True)
    default = Ask(name="nothing said", body=body)
    off = plain_ask(budgets, "thinking off")
    return (
        Probe(
            name="thinking_default",
            group=Group.THINKING,
            expectation="The model thinks where the request says nothing about it.",
            asks=(default,),
            judge=thinks(default.name),
            advice="the chat template or its default arguments are not the checkpoint's own",
        ),
        Probe(
            name="thinking_on",
            group=Group.THINKING,
            expectation="The model thinks where the request asks for it.",
            asks=(on,),
            judge=thinks(on.name),
            advice="the switch does not reach the chat template",
        ),
        Probe(
            name="thinking_off",
            group=Group.THINKING,
            expectation="The model does not think where the request turns it off.",
            asks=(off,),
            judge=does_not_think(off.name),
            advice="the switch does not reach the chat template; instant runs are really thinking runs",
        ),
        place_probe(on),
        Probe(
            name="instant_text",
            group=Group.THINKING,
            expectation="With thinking off the content is the answer alone, no thinking aloud.",
            asks=(off,),
            judge=answer_alone(off.name, "OK"),
            advice="the template opens a thinking block that nobody closes, or the parser drops its tags",
        ),
        _effort_probe(budgets),
    )


def place_probe(ask: Ask) -> Probe:
    """Return the probe of where the reasoning in the reply to ``ask`` stands, if there is any."""
    return Probe(
        name="reasoning_place",
        group=Group.THINKING,
        expectation="Reasoning stands in reasoning or reasoning_content, and the content holds the answer "
        "without tags.",
        asks=(ask,),
        judge=reasoning_apart(ask.name),
        advice="set the server's reasoning parser to the checkpoint's (vLLM: --reasoning-parser kimi_k2)",
    )


def _effort_probe(budgets: Budgets) -> Probe:
    body = {"messages": user(GRADED_TASK), "max_tokens": budgets.reply}
    pairs = [
        tuple(
            Ask(name=f"{effort} {draw}", body=body, thinking=True, effort=effort, draw=draw)
            for effort in (LOWEST, HIGHEST)
        )
        for draw in _DRAWS
    ]
    return Probe(
        name="thinking_effort",
        group=Group.THINKING,
        expectation="The lowest effort reasons less than the highest.",
        asks=tuple(ask for pair in pairs for ask in pair),
        judge=effort_graded(tuple((low.name, high.name) for low, high in pairs)),
        advice="the template does not know the argument, and ignores it in silence",
        depends_on=("thinking_on",),
    )
