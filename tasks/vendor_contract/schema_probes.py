"""Probes that the arguments of a forced call conform to the tool's schema, whatever it uses."""

from collections.abc import Mapping
from typing import Any

from tasks.vendor_contract.probe import Ask, Body, Budgets, Delivery, Group, Probe, user
from tasks.vendor_contract.schema_cases import SCHEMA_CASES
from tasks.vendor_contract.schema_directory import GivenSchema
from tasks.vendor_contract.tools import function_tool, named
from verifiers.contract_format import json_content
from verifiers.contract_schemas import all_conform, refusals_counted
from verifiers.contract_tools import call_conforms

INVALID_SCHEMAS = "given_schemas_invalid"
_TOOL = "fill_form"
_TASK = "Call fill_form once, with made-up arguments that fit its schema. Do not write any text."
_FORMAT_TASK = "Describe the city of Lisbon in JSON, with its name, its country and its population."
_CITY = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 40},
        "country": {"type": "string", "maxLength": 40},
        "population": {"type": "integer", "minimum": 0, "maximum": 100_000_000},
    },
    "required": ["name", "country", "population"],
    "additionalProperties": False,
}
_DEPENDS = ("tool_leak", "tool_choice_named", "tool_choice_required", "tool_arguments")


def forced_call_body(schema: Mapping[str, Any], max_tokens: int) -> Body:
    """Return the request that forces one call whose arguments must conform to ``schema``."""
    return {
        "messages": user(_TASK),
        "tools": [function_tool(_TOOL, "Fill in a form.", schema)],
        "tool_choice": named(_TOOL),
        "max_tokens": max_tokens,
    }


def schema_probes(budgets: Budgets) -> tuple[Probe, ...]:
    """Return one probe for each of our own schemas."""
    return tuple(
        Probe(
            name=f"schema_{case.name}",
            group=Group.SCHEMAS,
            expectation=f"The arguments of a forced call conform to a schema with {case.trait}.",
            asks=(Ask(name="call", body=body, thinking=False),),
            judge=call_conforms("call", body["tools"]),
            advice="enforce schemas while decoding (vLLM does where the function says strict: true)",
            depends_on=_DEPENDS,
        )
        for case in SCHEMA_CASES
        for body in (forced_call_body(case.schema, budgets.reply),)
    )


def format_probes(budgets: Budgets) -> tuple[Probe, ...]:
    """Return the probes of ``response_format``."""
    json_schema = {
        "type": "json_schema",
        "json_schema": {"name": "city", "strict": True, "schema": _CITY},
    }
    return (
        Probe(
            name="json_object",
            group=Group.FORMATS,
            expectation="With response_format json_object the content is one JSON object and nothing else.",
            asks=(_format_ask(budgets, {"type": "json_object"}),),
            judge=json_content("formatted"),
            advice="the format is dropped in silence; see the server's structured-output settings",
            depends_on=("instant_text",),
        ),
        Probe(
            name="json_schema",
            group=Group.FORMATS,
            expectation="With response_format json_schema the content conforms to the schema.",
            asks=(_format_ask(budgets, json_schema),),
            judge=json_content("formatted", _CITY),
            advice="the format is dropped in silence; see the server's structured-output settings",
            depends_on=("json_object",),
        ),
    )


def _format_ask(budgets: Budgets, response_format: Mapping[str, Any]) -> Ask:
    body = {"messages": user(_FORMAT_TASK), "max_tokens": budgets.reply, "response_format": response_format}
    return Ask(name="formatted", body=body, thinking=False)


def given_schema_probes(schemas: tuple[GivenSchema, ...], budgets: Budgets) -> tuple[Probe, ...]:
    """Return the probes of the user's own schemas: the valid ones, and where there are any the invalid ones."""
    valid = {s.name: forced_call_body(s.parameters, budgets.reply) for s in schemas if _is_sent(s, True)}
    invalid = {s.name: forced_call_body(s.parameters, budgets.reply) for s in schemas if _is_sent(s, False)}
    unsent = [f"{s.name}: {s.problem}" for s in schemas if s.is_valid and s.problem]
    left_out = f"{len(unsent)} not sent (first: {unsent[0]})" if unsent else ""
    probes = [
        Probe(
            name="given_schemas",
            group=Group.SCHEMAS,
            expectation=f"{len(valid)} schemas from --schemas are accepted, and forced calls conform to them.",
            asks=_asks(valid),
            judge=all_conform({name: body["tools"] for name, body in valid.items()}, left_out=left_out),
            advice="the evidence file has every schema with the call it got",
            depends_on=_DEPENDS,
        )
    ]
    if invalid:
        probes.append(
            Probe(
                name=INVALID_SCHEMAS,
                group=Group.SCHEMAS,
                expectation=f"How many of {len(invalid)} invalid schemas from --schemas are refused; "
                "for information.",
                asks=_asks(invalid),
                judge=refusals_counted(tuple(invalid)),
                deliveries=(Delivery.PLAIN,),
            )
        )
    return tuple(probes)


def _is_sent(schema: GivenSchema, is_valid: bool) -> bool:
    return schema.is_valid is is_valid and not schema.problem


def _asks(bodies: Mapping[str, Body]) -> tuple[Ask, ...]:
    return tuple(Ask(name=name, body=body, thinking=False) for name, body in bodies.items())
