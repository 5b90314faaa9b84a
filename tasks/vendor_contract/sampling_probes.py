"""Probes of sampling parameters: Kimi's fixed values, refused otherwise, or honoured where they are free.

Source of the fixed values: Moonshot's parameter reference for K2.6 (temperature 1.0 thinking and 0.6
instant, top_p 0.95, penalties 0, n 1, none of which can be changed).
"""

from collections.abc import Mapping
from typing import Any

from tasks.vendor_contract.basic_probes import PLAIN_TEXT
from tasks.vendor_contract.probe import Ask, Budgets, Group, Probe, user
from verifiers.contract_refusal import refused, refused_or
from verifiers.contract_sampling import accepted, n_choices, narrowed, penalized

RECOMMENDED: Mapping[bool, Mapping[str, Any]] = {
    True: {"temperature": 1.0, "top_p": 0.95, "presence_penalty": 0, "frequency_penalty": 0, "n": 1},
    False: {"temperature": 0.6, "top_p": 0.95, "presence_penalty": 0, "frequency_penalty": 0, "n": 1},
}
OTHER_VALUES: Mapping[str, Any] = {
    "temperature": 0.3,
    "top_p": 0.5,
    "presence_penalty": 0.5,
    "frequency_penalty": 0.5,
    "n": 2,
}
VARIED_TEXT = "Write the first two sentences of a fairy tale nobody has told before."
REPEATING_TEXT = "Write a nursery rhyme in which each line begins with the same three words."
_DRAWS = (1, 2, 3)
_MODES = {True: "thinking", False: "instant"}


def recommended_probes(budgets: Budgets) -> tuple[Probe, ...]:
    """Return the probes that Kimi's own values are accepted, thinking and instant."""
    return tuple(
        Probe(
            name=f"recommended_{mode}",
            group=Group.SAMPLING,
            expectation=f"The {mode} mode takes temperature {values['temperature']:g}, top_p 0.95, "
            "penalties of 0 and n of 1.",
            asks=(_ask("recommended", budgets, thinking, values),),
            judge=accepted("recommended"),
            advice="these are the values that every published result was made with",
        )
        for thinking, mode in _MODES.items()
        for values in (RECOMMENDED[thinking],)
    )


def fixed_probes(budgets: Budgets) -> tuple[Probe, ...]:
    """Return the probes that each parameter is fixed: any other value is refused, thinking and instant."""
    return tuple(
        Probe(
            name=f"fixed_{parameter}_{mode}",
            group=Group.SAMPLING,
            expectation=f"The {mode} mode takes {parameter} {RECOMMENDED[thinking][parameter]:g} and refuses "
            f"{other:g} with a 400 and a reason.",
            asks=(
                _ask("fixed value", budgets, thinking, {parameter: RECOMMENDED[thinking][parameter]}),
                _ask("other value", budgets, thinking, {parameter: other}),
            ),
            judge=refused("other value", control="fixed value"),
            depends_on=("bad_request",),
            advice="a value that is accepted or overridden in silence is not what the checkpoint was tuned for",
        )
        for parameter, other in OTHER_VALUES.items()
        for thinking, mode in _MODES.items()
    )


def honoured_probes(budgets: Budgets) -> tuple[Probe, ...]:
    """Return the probes that each parameter is refused, or has the effect that it must have."""
    return (
        _narrowing("temperature", 0, budgets),
        _narrowing("top_p", 0.0001, budgets),
        _penalizing("presence_penalty", budgets),
        _penalizing("frequency_penalty", budgets),
        Probe(
            name="honoured_n",
            group=Group.SAMPLING,
            expectation="n of 2 brings two choices, or is refused with a 400 and a reason.",
            asks=(_ask("n of 1", budgets, False, {"n": 1}), _ask("n of 2", budgets, False, {"n": 2})),
            judge=refused_or("n of 2", n_choices("n of 2", 2), control="n of 1"),
            advice="a caller who asks for several choices and gets one counts the missing ones as failures",
            depends_on=("one_choice", "bad_request"),
        ),
    )


def _narrowing(parameter: str, value: float, budgets: Budgets) -> Probe:
    narrow = [_drawn(f"{parameter} {draw}", {parameter: value}, draw, budgets) for draw in _DRAWS]
    wide = [_drawn(f"no parameter {draw}", {}, draw, budgets) for draw in _DRAWS]
    effect = narrowed(narrow=tuple(ask.name for ask in narrow), wide=tuple(ask.name for ask in wide))
    return Probe(
        name=f"honoured_{parameter}",
        group=Group.SAMPLING,
        expectation=f"A {parameter} of {value:g} leaves one reply to a prompt, "
        "or is refused with a 400 and a reason.",
        asks=(*narrow, *wide),
        judge=refused_or(narrow[0].name, effect, control=wide[0].name),
        advice=f"the server overrides {parameter}: runs are not made under the protocol that they name",
    )


def _penalizing(parameter: str, budgets: Budgets) -> Probe:
    greedy = {"temperature": 0}
    plain = [_drawn(f"plain {draw}", greedy, draw, budgets, REPEATING_TEXT) for draw in (1, 2)]
    penalty = _drawn("penalty", {**greedy, parameter: 1.9}, 1, budgets, REPEATING_TEXT)
    alone = _ask("penalty alone", budgets, False, {parameter: 1.9})
    control = _ask("no parameter", budgets, False, {})
    effect = penalized(plain=(plain[0].name, plain[1].name), penalty=penalty.name)
    return Probe(
        name=f"honoured_{parameter}",
        group=Group.SAMPLING,
        expectation=f"A {parameter} of 1.9 changes a reply that repeats itself, "
        "or is refused with a 400 and a reason.",
        asks=(alone, control, *plain, penalty),
        judge=refused_or(alone.name, effect, control=control.name),
        advice=f"the server drops {parameter} in silence",
    )


def _drawn(name: str, values: Mapping[str, Any], draw: int, budgets: Budgets, text: str = VARIED_TEXT) -> Ask:
    body = {"messages": user(text), "max_tokens": budgets.sampled, **values}
    return Ask(name=name, body=body, thinking=False, draw=draw)


def _ask(name: str, budgets: Budgets, thinking: bool, values: Mapping[str, Any]) -> Ask:
    body = {"messages": user(PLAIN_TEXT), "max_tokens": budgets.short, **values}
    return Ask(name=name, body=body, thinking=thinking)
