"""Judge demanded output formats: one JSON object, or a value that a JSON schema accepts."""

from collections.abc import Mapping
from typing import Any

from verifiers.contract_evidence import (
    Evidence,
    Judge,
    ProbeVerdict,
    answered,
    failed,
    first_unserved,
    nothing_shown,
    passed,
    quoted,
)
from verifiers.tool_arguments import parse_json
from verifiers.tool_schema import compile_parameters
from verifiers.visible_text import split_thinking


def json_content(name: str, schema: Mapping[str, Any] | None = None) -> Judge:
    """Return the judge of a content that must be one JSON object alone, valid against ``schema`` if given."""
    compiled = compile_parameters(schema)

    def judge(evidence: Evidence) -> ProbeVerdict:
        problem = first_unserved(evidence.replies[name])
        if problem is not None:
            return problem
        response = answered(evidence.replies[name])
        visible = split_thinking(response.content).visible.strip()
        parsed = parse_json(visible)
        if parsed.error and response.is_truncated:
            return nothing_shown("the budget ended the reply within the JSON")
        if parsed.error:
            return failed(f"not JSON alone: {quoted(visible)}")
        if not isinstance(parsed.value, dict):
            return failed(f"JSON but no object: {quoted(visible)}")
        result = compiled.check(parsed.value)
        if result.is_valid is not True:
            return failed(f"off the schema at {result.detail}: {quoted(visible)}")
        return passed(quoted(visible))

    return judge
