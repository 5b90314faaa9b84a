"""Every fault has a description and a test that says what a client sees of it."""

from pathlib import Path

from evals.simulator.fault_kind import FaultKind


def test_every_kind_is_described():
    assert all(kind.description and str(kind) == kind.value for kind in FaultKind)


def test_every_kind_is_tried_over_http():
    sources = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*_faults.py"))
    assert [
        kind for kind in FaultKind if f'"{kind.value}' not in sources and f"Kind.{kind.name}" not in sources
    ] == []
