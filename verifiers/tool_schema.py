"""The tools a request declares, and whether a call's arguments keep the schema of the tool they name."""

import functools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import jsonschema
import jsonschema_specifications  # type: ignore[import-untyped]
import referencing
import referencing.exceptions
import referencing.jsonschema
from jsonschema.protocols import Validator

_SHOWN_CHARACTERS = 200
_DRAFTS: tuple[type[Validator], ...] = (
    jsonschema.Draft202012Validator,
    jsonschema.Draft201909Validator,
    jsonschema.Draft7Validator,
    jsonschema.Draft6Validator,
    jsonschema.Draft4Validator,
    jsonschema.Draft3Validator,
)
# Without `$schema` the newest draft that accepts the schema is meant: tuples in `items` are draft 7,
# a boolean `exclusiveMinimum` is draft 4.
_UNNAMED_DRAFTS = (_DRAFTS[0], _DRAFTS[2], _DRAFTS[4])


@dataclass(frozen=True, kw_only=True)
class SchemaResult:
    """``is_valid`` is ``None`` where the schema itself is at fault, so that nothing can be said."""

    is_valid: bool | None
    detail: str = ""


@dataclass(frozen=True, kw_only=True)
class CompiledSchema:
    """A schema made ready once; ``fault`` says why it cannot be used, empty where it can."""

    validator: Validator | None = None
    fault: str = ""

    def check(self, value: Any) -> SchemaResult:
        """Validate ``value``; formats are annotations, extra properties are allowed unless forbidden."""
        if self.validator is None:
            return SchemaResult(is_valid=None, detail=self.fault)
        try:
            error = jsonschema.exceptions.best_match(self.validator.iter_errors(value))
        except referencing.exceptions.Unresolvable as fault:
            return SchemaResult(is_valid=None, detail=f"schema: reference {fault.ref!r} cannot be resolved")
        except RecursionError:
            return SchemaResult(is_valid=None, detail="schema: it refers to itself without end")
        except re.error as fault:
            return SchemaResult(is_valid=None, detail=f"schema: pattern {fault.pattern!r} cannot be read")
        except jsonschema.exceptions.UnknownType as fault:
            return SchemaResult(is_valid=None, detail=f"schema: unknown type {fault.type!r}")
        if error is None:
            return SchemaResult(is_valid=True)
        return SchemaResult(is_valid=False, detail=_shorten(f"{error.json_path}: {error.message}"))


@dataclass(frozen=True, kw_only=True)
class DeclaredTools:
    """The tools of one request by name; a name declared twice keeps both schemas.

    ``faults`` names, by place, what is wrong with the declarations: faults of the data, not of a model.
    ``has_unreadable`` says that some declaration has no name, so that no name is surely undeclared.
    """

    schemas: Mapping[str, tuple[CompiledSchema, ...]]
    faults: tuple[str, ...] = ()
    has_unreadable: bool = False

    def check(self, name: str, arguments: Mapping[str, Any]) -> SchemaResult:
        """Whether ``arguments`` satisfy a declaration of ``name``, which must be declared."""
        results = [schema.check(arguments) for schema in self.schemas[name]]
        for verdict in (True, None, False):
            if found := next((result for result in results if result.is_valid is verdict), None):
                return found
        return SchemaResult(is_valid=None, detail=f"tool {name!r}: no schema")


def read_tools(tools: object) -> DeclaredTools:
    """Read the ``tools`` of a request body; absent or null means that none are declared."""
    schemas: dict[str, tuple[CompiledSchema, ...]] = {}
    faults: list[str] = []
    has_unreadable = False
    if tools is None:
        return DeclaredTools(schemas={})
    if isinstance(tools, str) or not isinstance(tools, Sequence):
        fault = f"tools: {_shorten(repr(tools))} is not a list"
        return DeclaredTools(schemas={}, faults=(fault,), has_unreadable=True)
    for place, tool in enumerate(tools):
        function = _function_of(tool)
        name = function.get("name") if function else None
        if not isinstance(name, str) or not name or function is None:
            faults.append(f"tools[{place}]: {_shorten(repr(tool))} names no function")
            has_unreadable = True
            continue
        schema = compile_parameters(function.get("parameters"))
        if schema.fault:
            faults.append(f"tools[{place}] {name!r}: {schema.fault}")
        known = schemas.get(name, ())
        if schema not in known:
            schemas[name] = (*known, schema)
    return DeclaredTools(schemas=schemas, faults=tuple(faults), has_unreadable=has_unreadable)


def compile_parameters(parameters: object) -> CompiledSchema:
    """Compile a tool's ``parameters``; null, absent, true and ``{}`` allow any object."""
    if parameters is None or parameters is True:
        return _compile("{}")
    if not isinstance(parameters, Mapping):
        return CompiledSchema(fault=f"parameters: {_shorten(repr(parameters))} is not a schema object")
    try:
        return _compile(json.dumps(parameters))
    except RecursionError:
        return CompiledSchema(fault="schema: nested too deeply")


@functools.lru_cache(maxsize=4096)
def _compile(text: str) -> CompiledSchema:
    """Compile a schema given as JSON text, so that equal schemas of many requests are compiled once."""
    try:
        return _compile_schema(json.loads(text))
    except RecursionError:
        return CompiledSchema(fault="schema: nested too deeply")


def _compile_schema(schema: dict[str, Any]) -> CompiledSchema:
    fault = ""
    for draft in _drafts(schema):
        try:
            draft.check_schema(schema)
        except jsonschema.SchemaError as error:
            fault = fault or _shorten(f"schema: {error.json_path}: {error.message}")
            continue
        fault = _reference_fault(schema, draft)
        if fault:
            return CompiledSchema(fault=fault)
        validator = _exact(draft)(schema, registry=jsonschema_specifications.REGISTRY)
        return CompiledSchema(validator=validator)
    return CompiledSchema(fault=fault)


def _drafts(schema: Mapping[str, Any]) -> Sequence[type[Validator]]:
    """The drafts to try: the one that ``$schema`` names, else those commonly meant without it."""
    named = _draft_name(schema.get("$schema"))
    known = [draft for draft in _DRAFTS if named == _draft_name(draft.META_SCHEMA["$schema"])]
    return known or _UNNAMED_DRAFTS


def _draft_name(uri: object) -> str | None:
    """A draft's URI without scheme and empty fragment, which people write as they like."""
    return uri.rpartition("://")[2].rstrip("#/") if isinstance(uri, str) else None


@functools.cache
def _exact(draft: type[Validator]) -> type[Validator]:
    return jsonschema.validators.extend(draft, {"multipleOf": _multiple_of})  # type: ignore[no-untyped-call, no-any-return]


def _reference_fault(schema: dict[str, Any], draft: type[Validator]) -> str:
    """The first reference that cannot be resolved within the schema: nothing is ever fetched."""
    specification = referencing.jsonschema.specification_with(draft.META_SCHEMA["$schema"])
    resource = specification.create_resource(schema)
    try:
        resolver = jsonschema_specifications.REGISTRY.resolver_with_root(resource)
        return _fault_within(specification, resource, resolver, set())
    except (AttributeError, TypeError, ValueError) as error:  # an `$id` that is no URI
        return _shorten(f"schema: {error}")


def _fault_within(specification: Any, resource: Any, resolver: Any, seen: set[int]) -> str:
    """The first fault among the references of ``resource``, of its subschemas and of their targets."""
    contents = resource.contents
    if id(contents) in seen or not isinstance(contents, Mapping):
        return ""
    seen.add(id(contents))
    if "$ref" in contents:
        reference = contents["$ref"]
        try:
            found = resolver.lookup(reference)
        except (referencing.exceptions.Unresolvable, AttributeError, ValueError):
            return f"schema: reference {_shorten(repr(reference))} cannot be resolved"
        target = specification.create_resource(found.contents)
        if fault := _fault_within(specification, target, found.resolver, seen):
            return fault
    for part in resource.subresources():
        if fault := _fault_within(specification, part, resolver.in_subresource(part), seen):
            return fault
    return ""


def _multiple_of(_: Validator, divisor: float, instance: object, __: object) -> Iterator[Any]:
    """``multipleOf`` in exact decimal arithmetic: 0.3 is a multiple of 0.1."""
    if isinstance(instance, bool) or not isinstance(instance, int | float):
        return
    if instance in (float("inf"), float("-inf")) or _decimal(instance) % _decimal(divisor):
        yield jsonschema.ValidationError(f"{instance!r} is not a multiple of {divisor!r}")


def _decimal(number: float) -> Fraction:
    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))


def _function_of(tool: object) -> Mapping[str, Any] | None:
    """The function declared by ``tool``, also where the wrapper is left out (Responses style)."""
    if not isinstance(tool, Mapping):
        return None
    function = tool.get("function", tool)
    return function if isinstance(function, Mapping) else None


def _shorten(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "..."
