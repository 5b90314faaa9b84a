"""Probes of tool calling: who decides on a call, and each aspect of the calls that are made."""

from tasks.vendor_contract.basic_probes import plain_ask
from tasks.vendor_contract.probe import Ask, Body, Budgets, Group, Probe, user
from tasks.vendor_contract.tools import GATE_CODE, TOOLS, TWO_CITIES, WEATHER, WEATHER_QUESTION, named
from verifiers.contract_refusal import refused, refused_or
from verifiers.contract_tools import (
    Aspect,
    arguments_fault,
    call_made,
    calls_in_order,
    calls_keep,
    finish_fault,
    leak_fault,
    missing_id_fault,
    native_id_fault,
    no_call_made,
    wire_fault,
)
from verifiers.contract_usage import longer_prompt

_CALLING = ("auto", "required", "named")  # requests whose calls are judged aspect by aspect
_ALL_CALLS = (*_CALLING, "parallel")


def tool_ask(name: str, budgets: Budgets, *, thinking: bool | None = False, **more: object) -> Ask:
    """Return a request that declares both tools and asks for the weather; ``more`` is laid over it."""
    body: Body = {
        "messages": user(WEATHER_QUESTION),
        "tools": list(TOOLS),
        "max_tokens": budgets.reply,
        **more,
    }
    return Ask(name=name, body=body, thinking=thinking)


def required_ask(budgets: Budgets) -> Ask:
    """Return the request that leaves the model the choice of a tool but not whether to call one."""
    return tool_ask("required", budgets, tool_choice="required")


def choice_probes(budgets: Budgets) -> tuple[Probe, ...]:
    """Return the probes that ``tool_choice`` is honoured, or refused where it cannot be."""
    auto = tool_ask("auto", budgets, tool_choice="auto")
    required, plain = required_ask(budgets), plain_ask(budgets)
    other = GATE_CODE["function"]["name"]
    return (
        Probe(
            name="tool_choice_required",
            group=Group.TOOLS,
            expectation="With tool_choice required a tool is called.",
            asks=(required,),
            judge=call_made("required", TOOLS),
            advice="the server passes the choice on without enforcing it, or its tool parser loses the call",
            depends_on=("tool_leak", "tools_in_prompt"),
        ),
        Probe(
            name="tool_choice_named",
            group=Group.TOOLS,
            expectation="With a tool named in tool_choice that tool is called, even if another one fits better.",
            asks=(tool_ask("named", budgets, tool_choice=named(other)),),
            judge=call_made("named", TOOLS, only=other),
            depends_on=("tool_leak", "tool_choice_required", "tool_arguments"),
        ),
        Probe(
            name="tool_choice_auto",
            group=Group.TOOLS,
            expectation="With tool_choice auto a question that needs a tool gets a call.",
            asks=(auto,),
            judge=call_made("auto", TOOLS),
            advice="start the server with its tool parser (vLLM: --enable-auto-tool-choice --tool-call-parser)",
            depends_on=("tool_leak", "tool_choice_required", "tools_in_prompt"),
        ),
        Probe(
            name="tool_choice_none",
            group=Group.TOOLS,
            expectation="With tool_choice none no tool is called.",
            asks=(tool_ask("none", budgets, tool_choice="none"),),
            judge=no_call_made("none"),
            depends_on=("tool_choice_required",),
        ),
        Probe(
            name="tool_choice_invalid",
            group=Group.TOOLS,
            expectation="A tool_choice that means nothing, or names an undeclared tool, is refused "
            "with a 400 and a reason.",
            asks=(
                required,
                tool_ask("unknown word", budgets, tool_choice="sometimes"),
                tool_ask("undeclared tool", budgets, tool_choice=named("no_such_tool")),
            ),
            judge=refused("unknown word", "undeclared tool", control="required"),
            advice="a choice dropped in silence looks like a model that does not call",
            depends_on=("bad_request", "bad_values"),
        ),
        Probe(
            name="tool_choice_without_tools",
            group=Group.TOOLS,
            expectation="tool_choice required without any tools is refused with a 400 and a reason.",
            asks=(
                plain,
                Ask(name="no tools", body={**plain.body, "tool_choice": "required"}, thinking=False),
            ),
            judge=refused("no tools", control=plain.name),
            depends_on=("bad_request", "bad_values"),
        ),
        Probe(
            name="tools_in_prompt",
            group=Group.TOOLS,
            expectation="Declared tools reach the prompt.",
            asks=(auto, Ask(name="no tools", body=_without_tools(auto.body), thinking=False)),
            judge=longer_prompt(longer="auto", shorter="no tools", what="tools"),
            advice="the chat template knows no tools",
        ),
    )


def thinking_choice_probe(budgets: Budgets) -> Probe:
    """Return the probe of a forced call while thinking: Kimi's API may refuse it, nobody may ignore it."""
    forced = tool_ask("required, thinking", budgets, thinking=True, tool_choice="required")
    control = tool_ask("auto, thinking", budgets, thinking=True, tool_choice="auto")
    return Probe(
        name="tool_choice_required_thinking",
        group=Group.TOOLS,
        expectation="With thinking on, too, tool_choice required brings a call, "
        "or is refused with a 400 and a reason.",
        asks=(forced, control),
        judge=refused_or(forced.name, call_made(forced.name, TOOLS), control=control.name),
        advice="the server enforces the choice on the content only, which an open reasoning block never reaches",
        depends_on=("tool_leak", "tool_choice_required"),
    )


def call_probes(budgets: Budgets, *, native_ids: bool) -> tuple[Probe, ...]:
    """Return the probes of the calls themselves, all judged on the same few replies."""
    parallel = tool_ask("parallel", budgets, messages=user(TWO_CITIES), tool_choice="required")
    asks = (
        tool_ask("auto", budgets, tool_choice="auto"),
        required_ask(budgets),
        tool_ask("named", budgets, tool_choice=named(GATE_CODE["function"]["name"])),
        parallel,
    )
    return (
        _aspect_probe(
            asks,
            "tool_arguments",
            "Calls name a declared tool and bring the text of one JSON object that its schema accepts.",
            arguments_fault,
            "compare raw completions with what the server's parser makes of them",
        ),
        _aspect_probe(
            asks,
            "tool_ids",
            "Calls have ids of the form functions.NAME:N, which the checkpoint is trained on."
            if native_ids
            else "Every call has an id.",
            native_id_fault if native_ids else missing_id_fault,
            "ids of another form in the history make the model write calls that no parser reads",
        ),
        _aspect_probe(
            asks,
            "tool_finish",
            "A reply with calls ends with finish reason tool_calls, once.",
            finish_fault,
            "clients that look at the finish reason alone miss the call",
            "finish_reason",
        ),
        _aspect_probe(
            asks,
            "tool_leak",
            "No native tool tokens stand in the content or the reasoning.",
            leak_fault,
            "the server's tool parser does not fit the checkpoint (vLLM: --tool-call-parser kimi_k2)",
        ),
        _aspect_probe(
            asks,
            "tool_wire",
            "Calls come in the form of OpenAI's API: whole names, one index a call, in order.",
            wire_fault,
            "clients glue together or lose calls that come in another form",
        ),
        _parallel_probe(parallel),
    )


def _aspect_probe(
    asks: tuple[Ask, ...], name: str, expectation: str, aspect: Aspect, advice: str, *depends_on: str
) -> Probe:
    """Return a probe of one aspect that every call in the replies must keep."""
    return Probe(
        name=name,
        group=Group.TOOLS,
        expectation=expectation,
        asks=asks,
        judge=calls_keep(aspect, TOOLS, _ALL_CALLS, forced="named"),
        advice=advice,
        depends_on=depends_on,
    )


def _parallel_probe(parallel: Ask) -> Probe:
    return Probe(
        name="parallel_calls",
        group=Group.TOOLS,
        expectation="Two calls in one reply have different ids and counters in order.",
        asks=(parallel,),
        judge=calls_in_order("parallel", (WEATHER, GATE_CODE)),
        advice="results cannot be told apart, or reach the wrong call",
        depends_on=("tool_choice_required", "tool_leak", "tool_ids"),
    )


def _without_tools(body: Body) -> Body:
    return {name: value for name, value in body.items() if name not in ("tools", "tool_choice")}
