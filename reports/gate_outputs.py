"""Render a gate for people and pipelines: terminal, markdown, JSON, annotations of a CI provider."""

from typing import Any

from reports.criteria import Criterion, Status
from reports.gate import GateReport
from reports.json_report import SCHEMA_VERSION, report_document, to_json
from reports.markdown import COMMENT, escaped, fitting, render_markdown
from reports.terminal import printable, render_terminal, wrapped

_MARKS = {
    Status.MET: "ok",
    Status.WARNED: "warn",
    Status.UNDECIDED: "open",
    Status.INVALID: "invalid",
    Status.FAILED: "FAIL",
}
_LEVELS = {
    Status.FAILED: "error",
    Status.INVALID: "error",
    Status.UNDECIDED: "warning",
    Status.WARNED: "warning",
}


def gate_headline(gate: GateReport) -> str:
    """Return the gate in one sentence."""
    met = sum(criterion.status is Status.MET for criterion in gate.criteria)
    return f"GATE {gate.verdict.upper()} - {gate.policy.path.name}: {met} of {len(gate.criteria)} requirements met"


def render_gate_terminal(gate: GateReport) -> str:
    """Return the requirements, then the comparison they rest on, then the gate's verdict again."""
    lines = [gate_headline(gate), *(_line(criterion) for criterion in gate.criteria)]
    comparison = ["", render_terminal(gate.report).rstrip()] if gate.report is not None else []
    return printable("\n".join([*lines, *comparison, "", gate_headline(gate)]) + "\n")


def render_gate_markdown(gate: GateReport) -> str:
    """Return the gate as markdown: a table of the requirements, the comparison below."""
    rows = [
        f"| {_MARKS[found.status]} | {escaped(found.task)} | {escaped(found.name)} | {escaped(found.text)} |"
        for found in (*gate.unmet, *(c for c in gate.criteria if c.status is Status.MET))
    ]
    head = ("| | task | requirement | finding |", "|---|---|---|---|")
    table = fitting(lambda kept: "\n".join([*head, *kept]), rows, COMMENT // 2)
    text = f"# {escaped(gate_headline(gate))}\n\n{table}\n"
    if gate.report is None:
        return text
    return f"{text}\n{render_markdown(gate.report, limit=COMMENT - len(text))}"


def gate_document(gate: GateReport) -> dict[str, Any]:
    """Return the comparison's document with the gate's verdict on top and its requirements beside."""
    empty: dict[str, Any] = {"schema": SCHEMA_VERSION, "verdict": None, "tasks": []}
    document = report_document(gate.report) if gate.report is not None else empty
    return document | {
        "verdict": gate.verdict.value,
        "comparison_verdict": document["verdict"],
        "gate": {
            "policy": str(gate.policy.path),
            "inconclusive": gate.policy.inconclusive.value,
            "criteria": [
                {"task": c.task, "name": c.name, "status": c.status.value, "text": c.text}
                for c in gate.criteria
            ],
        },
    }


def render_gate_json(gate: GateReport) -> str:
    """Return :func:`gate_document` as JSON text."""
    return to_json(gate_document(gate))


def render_annotations(gate: GateReport) -> str:
    """Return GitHub's workflow commands for every requirement that is not met."""
    return "".join(
        f"::{_LEVELS[found.status]} title={_property(f'{found.task} {found.name}')}::{_message(found.text)}\n"
        for found in gate.unmet
    )


def _line(criterion: Criterion) -> str:
    return wrapped(criterion.text, f"  {_MARKS[criterion.status]:<8}{criterion.task} {criterion.name}: ")


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
