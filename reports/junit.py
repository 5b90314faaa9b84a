"""Render requirements as JUnit XML: one suite a task, one case a requirement."""

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from reports.criteria import Criterion, Status

# Characters that XML 1.0 cannot hold at all, escaped or not.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render_junit(criteria: Sequence[Criterion], *, name: str = "quantcheck") -> str:
    """Return the XML document; what cannot be judged is an error, what fails or is undecided a failure."""
    root = ElementTree.Element("testsuites", {"name": _clean(name), **_totals(criteria)})
    for task in dict.fromkeys(criterion.task for criterion in criteria):
        cases = [criterion for criterion in criteria if criterion.task == task]
        suite = ElementTree.SubElement(root, "testsuite", {"name": _clean(task or name), **_totals(cases)})
        for criterion in cases:
            _add_case(suite, criterion)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _totals(criteria: Sequence[Criterion]) -> dict[str, str]:
    statuses = [criterion.status for criterion in criteria]
    failures = statuses.count(Status.FAILED) + statuses.count(Status.UNDECIDED)
    return {
        "tests": str(len(statuses)),
        "failures": str(failures),
        "errors": str(statuses.count(Status.INVALID)),
    }


def _add_case(suite: ElementTree.Element, criterion: Criterion) -> None:
    case = ElementTree.SubElement(
        suite, "testcase", classname=_clean(criterion.task), name=_clean(criterion.name)
    )
    text = _clean(criterion.text)
    if criterion.status in (Status.FAILED, Status.UNDECIDED):
        found = ElementTree.SubElement(case, "failure", type=criterion.status.value, message=text)
    elif criterion.status is Status.INVALID:
        found = ElementTree.SubElement(case, "error", type=criterion.status.value, message=text)
    else:
        found = ElementTree.SubElement(case, "system-out")
    found.text = f"warning: {text}" if criterion.status is Status.WARNED else text


def _clean(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
