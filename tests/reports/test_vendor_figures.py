"""Every figure of the samples as a line, by hand: 960 calls, 900 of them where the reference calls."""

import pytest

from reports.vendor_figures import figure_lines, reason_lines
from tests.reports.vendor_criteria import criterion, measured, report, tool_call_details


def test_every_figure_stands_with_its_interval_and_what_it_is_of() -> None:
    lines = {line.name: line for line in figure_lines(report(criterion("a"), tool_calls=tool_call_details()))}
    assert {name: line.figure.split(" [")[0] for name, line in lines.items()} == {
        "trigger precision": "93.75 %",
        "trigger recall": "90.00 %",
        "trigger f1": "91.84 %",
        "schema accuracy": "95.00 %",
        "schema accuracy, lenient": "97.50 %",
        "finish reason agrees": "100.00 %",
        "leak rate": "1.00 %",
        "schema accuracy, streamed": "90.00 %",
        "schema accuracy, plain": "100.00 %",
        "triggered": "960",
        "truncated": "3",
        "errors": "2",
        "data faults": "1",
    }
    assert lines["trigger precision"].figure == "93.75 % [92.04, 95.11]"
    assert lines["trigger recall"].of == "of the reference's calls: 900 of 900 + 100"
    assert lines["leak rate"].of.endswith("12 calls could be made of what leaked")


def test_faulty_calls_are_counted_by_reason() -> None:
    found = report(criterion("a"), tool_calls=tool_call_details())
    assert reason_lines(found) == [("schema", 40), ("args_not_json", 8)]


def test_what_was_not_measured_says_so_and_without_samples_there_is_nothing() -> None:
    lines = figure_lines(report(criterion("a"), tool_calls=tool_call_details(schema=None, trigger=None)))
    assert [line.figure for line in lines if line.name == "schema accuracy"] == ["not measured"]
    assert not [line for line in lines if line.name.startswith("trigger ")]
    bare = report(criterion("a"), tool_calls=measured(0.8, 0.9))
    assert (figure_lines(bare), reason_lines(bare)) == ([], [])


@pytest.mark.parametrize("way", ["streamed", "plain"])
def test_one_way_of_delivery_has_no_line_of_its_own(way: str) -> None:
    found = report(criterion("a"), tool_calls=tool_call_details(ways=(way,)))
    assert not [line for line in figure_lines(found) if line.name.endswith(way)]
