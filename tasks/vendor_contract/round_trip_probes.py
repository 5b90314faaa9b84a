"""Probes over several turns: call, result, answer; a history of native ids; tools that change."""

from collections.abc import Callable

from tasks.vendor_contract.probe import Ask, Body, Budgets, Group, Probe, Replies, user
from tasks.vendor_contract.tool_probes import tool_ask
from tasks.vendor_contract.tools import (
    FACT,
    GATE_CODE,
    GATE_QUESTION,
    TOOLS,
    WEATHER,
    WEATHER_QUESTION,
    call_message,
    result_message,
)
from verifiers.contract_tools import call_made, result_used

_GATE = "get_gate_code"
_RESULT = f'{{"gate": "North", "code": "{FACT}"}}'
_NATIVE_ID = f"functions.{_GATE}:0"
_DEPENDS = ("tool_leak", "tool_choice_auto", "tool_choice_required", "tool_arguments")


def round_trip_probe(budgets: Budgets, *, thinking: bool) -> Probe:
    """Return the probe of a whole round trip; with thinking the reasoning goes back, as Kimi's API wants."""
    name = "call, thinking" if thinking else "call"
    choice = "auto" if thinking else "required"  # Kimi's API may refuse a forced call while thinking
    call = tool_ask(
        name, budgets, thinking=thinking, messages=user(GATE_QUESTION), tools=[GATE_CODE], tool_choice=choice
    )
    return Probe(
        name="tool_round_trip_thinking" if thinking else "tool_round_trip",
        group=Group.TOOLS,
        expectation="A call is made, its result is taken back under the call's id, and the answer uses it"
        + (", thinking all the way." if thinking else "."),
        asks=(call,),
        follow_up=_answer_call(call),
        judge=result_used("answer", FACT, (GATE_CODE,), after=name),
        advice="look at how the chat template renders calls and results",
        depends_on=(*_DEPENDS, "tool_history", "reasoning_place"),
    )


def turn_probes(budgets: Budgets) -> tuple[Probe, ...]:
    """Return the probes of conversations that went before."""
    return (
        Probe(
            name="tool_history",
            group=Group.TOOLS,
            expectation="A result under the native id functions.get_gate_code:0 is used in the answer.",
            asks=(
                tool_ask(
                    "history",
                    budgets,
                    messages=[
                        *user(GATE_QUESTION),
                        call_message(_NATIVE_ID, _GATE, '{"gate": "North"}'),
                        result_message(_NATIVE_ID, _GATE, _RESULT),
                    ],
                ),
            ),
            judge=result_used("history", FACT, TOOLS),
            advice="the chat template drops messages of role tool, or loses the ids",
            depends_on=("tools_in_prompt",),
        ),
        Probe(
            name="tools_change",
            group=Group.TOOLS,
            expectation="A tool that is declared first in a later turn is called there, "
            "though another one was used before.",
            asks=(
                tool_ask(
                    "new tool",
                    budgets,
                    tools=[WEATHER],
                    tool_choice="required",
                    messages=[
                        *user(GATE_QUESTION),
                        call_message(_NATIVE_ID, _GATE, '{"gate": "North"}'),
                        result_message(_NATIVE_ID, _GATE, _RESULT),
                        {"role": "assistant", "content": f"The code is {FACT}."},
                        *user(WEATHER_QUESTION),
                    ],
                ),
            ),
            judge=call_made("new tool", (WEATHER,), only="get_weather"),
            depends_on=("tool_leak", "tool_choice_required", "tool_arguments"),
        ),
    )


def message_tools_probe(budgets: Budgets) -> Probe:
    """Return the probe of dynamic tools: declared by a system message within the conversation.

    Source: the message-level declarations (``messages[].tools``) that Kimi's newer clients load tools by.
    """
    messages = [{"role": "system", "content": "", "tools": [GATE_CODE]}, *user(GATE_QUESTION)]
    ask = tool_ask(
        "declared in a message", budgets, tools=[WEATHER], tool_choice="required", messages=messages
    )
    return Probe(
        name="dynamic_tools",
        group=Group.TOOLS,
        expectation="A tool declared by a message within the conversation can be called.",
        asks=(ask,),
        judge=call_made(ask.name, TOOLS, only=_GATE),
        advice="tools in messages are dropped in silence; declare all tools at the top, or refuse the request",
        depends_on=("tool_leak", "tool_choice_required", "tool_arguments"),
    )


def _answer_call(call: Ask) -> Callable[[Replies], Ask | None]:
    """Return what makes the request that brings the result of the call in the reply to ``call``."""

    def follow_up(replies: Replies) -> Ask | None:
        response = replies[call.name].response
        if response is None or not response.tool_calls:
            return None
        made = response.tool_calls[0]
        call_id, name = made.id or _NATIVE_ID, made.name or _GATE
        reasoning = (response.reasoning or "") if call.thinking else None
        body: Body = {
            **call.body,
            "messages": [
                *call.body["messages"],
                call_message(call_id, name, made.arguments or "{}", reasoning=reasoning),
                result_message(call_id, name, _RESULT),
            ],
            "tool_choice": "auto",
        }
        return Ask(name="answer", body=body, thinking=call.thinking)

    return follow_up
