from typing import Any

import pytest

from reports.comparability import (
    UnknownFieldError,
    check_allowed_fields,
    is_protocol_known,
    join_items,
    protocol_mismatches,
)
from reports.score_table import TaskFacts, build_frame


def _facts(fingerprint: str | None = None, spec: Any = None, *, foreign: bool = False) -> TaskFacts:
    return TaskFacts(
        task="t", label="l", source="s", fingerprint=fingerprint, spec=spec or {}, is_foreign=foreign
    )


NESTED = {"dataset": {"content_hash": "d1", "source": "hub"}, "sampling": {"temperature": 1.0, "top_p": 0.95}}


def _changed(group: str, name: str, value: Any) -> dict[str, Any]:
    return NESTED | {group: NESTED[group] | {name: value}}


@pytest.mark.parametrize(
    ("baseline", "candidate", "fields"),
    [
        pytest.param(
            _facts("f", NESTED), _facts("f", _changed("dataset", "source", "wheel")), [], id="same digest"
        ),
        pytest.param(
            _facts("f", NESTED),
            _facts("g", _changed("sampling", "top_p", 1.0)),
            ["sampling.top_p"],
            id="the field by its path",
        ),
        pytest.param(
            _facts("f", NESTED),
            _facts(
                "g", {**_changed("sampling", "top_p", 1.0), "dataset": {"content_hash": "d1", "source": "x"}}
            ),
            ["sampling.top_p"],
            id="where the same data came from is no difference",
        ),
        pytest.param(
            _facts("f", NESTED),
            _facts("g", {**NESTED, "dataset": {"content_hash": "d2", "source": "x"}}),
            ["dataset.content_hash", "dataset.source"],
            id="other data",
        ),
        pytest.param(
            _facts("f", NESTED),
            _facts("g", {"sampling": NESTED["sampling"]}),
            ["dataset.content_hash", "dataset.source"],
            id="a field one side does not record",
        ),
        pytest.param(_facts("f", NESTED), _facts("g", NESTED), ["fingerprint"], id="only the digest differs"),
        pytest.param(_facts("f"), _facts("g"), ["fingerprint"], id="score files of two protocols"),
        pytest.param(
            _facts("f", {"preset": "a", "comparable": {"top_p": 1.0}, "sampling": {"top_p": 1}}),
            _facts("g", {"preset": "b", "comparable": {"top_p": 0.95}, "sampling": {"top_p": 0.95}}),
            ["top_p"],
            id="the facts that the digest is of, where they are listed",
        ),
        pytest.param(
            _facts("f", {"epochs": 4, "preset": "a", "x": 1}),
            _facts("g", {"epochs": 8, "preset": "b", "x": 2}),
            ["x"],
            id="epochs and the preset's name are no exam",
        ),
        pytest.param(_facts(), _facts(), [], id="nothing recorded"),
        pytest.param(_facts("f", NESTED), _facts(), [], id="recorded on one side"),
        pytest.param(_facts("f", NESTED), _facts(spec={"a": 1}, foreign=True), [], id="another vocabulary"),
        pytest.param(
            _facts(spec={"a": 1}, foreign=True),
            _facts(spec={"a": 2}, foreign=True),
            ["a"],
            id="two foreign logs",
        ),
    ],
)
def test_differing_fields_are_named(baseline: TaskFacts, candidate: TaskFacts, fields: list[str]) -> None:
    assert [found.field for found in protocol_mismatches(baseline, candidate)] == fields


def test_a_mismatch_says_both_values() -> None:
    (found,) = protocol_mismatches(_facts("f", NESTED), _facts("g", _changed("sampling", "top_p", 1.0)))
    assert str(found) == "sampling.top_p: 0.95 against 1.0"


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        pytest.param("sampling.top_p", True, id="path"),
        pytest.param("sampling", True, id="group"),
        pytest.param("top_p", True, id="last part"),
        pytest.param("fingerprint", True, id="the whole fingerprint"),
        pytest.param("x.sampling.top_p", True, id="a longer path"),
        pytest.param("sampling.temperature", False, id="another field"),
        pytest.param("op_p", False, id="part of a name"),
    ],
)
def test_what_allows_a_mismatch(name: str, allowed: bool) -> None:
    (found,) = protocol_mismatches(
        _facts("f", NESTED), _facts("g", _changed("sampling", "top_p", 1.0)), [name]
    )
    assert found.allowed is allowed


def test_an_unknown_field_allows_nothing_silently() -> None:
    check_allowed_fields([NESTED], ["sampling", "fingerprint"])
    with pytest.raises(UnknownFieldError, match="'temprature' is no field"):
        check_allowed_fields([NESTED], ["temprature"])


@pytest.mark.parametrize(
    ("baseline", "candidate", "known"),
    [
        pytest.param(_facts("f"), _facts("f"), True, id="fingerprints"),
        pytest.param(_facts("f", NESTED), _facts(), False, id="one side"),
        pytest.param(
            _facts(spec={"a": 1}, foreign=True), _facts(spec={"a": 1}, foreign=True), True, id="foreign"
        ),
    ],
)
def test_whether_protocols_can_be_held_against_each_other(
    baseline: TaskFacts, candidate: TaskFacts, known: bool
) -> None:
    assert is_protocol_known(baseline, candidate) is known


def _items(*pairs: tuple[str, str | None]) -> Any:
    columns = {"sample_id": [name for name, _ in pairs], "content_hash": [content for _, content in pairs]}
    return build_frame(columns, len(pairs))


@pytest.mark.parametrize(
    ("baseline", "candidate", "names"),
    [
        pytest.param([("1", "x"), ("2", "y")], [("1", "x"), ("2", "y")], ["1", "2"], id="same names"),
        pytest.param([("1", "x"), ("2", "y")], [("1", "y"), ("2", "x")], ["2", "1"], id="shuffled names"),
        pytest.param([("1", "x")], [("p-1", "x")], ["1"], id="other names"),
        pytest.param([("1", "x")], [("1", "z")], ["1 (candidate)"], id="same name, other content"),
        pytest.param(
            [("1", "x")], [("1", None), ("2", "y")], ["1", "2"], id="all responses of an item failed"
        ),
        pytest.param([("1", None)], [("1", "x")], ["1"], id="hashes on one side only: by name"),
        pytest.param(
            [("1", "x"), ("2", "x")], [("2", "x"), ("9", "x")], ["2", "1"], id="the same question twice"
        ),
        pytest.param([("1", "x")], [("1", "x"), ("2", "x")], ["1", "2"], id="twice on one side only"),
    ],
)
def test_items_are_joined_by_content(baseline: Any, candidate: Any, names: list[str]) -> None:
    joined = join_items(_items(*baseline), _items(*candidate))
    assert joined.candidate["sample_id"].tolist() == names
