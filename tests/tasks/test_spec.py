"""The fingerprint: what makes two runs comparable, and what does not matter."""

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.aime25 import AIME25
from tasks.protocol import Overrides, resolve_spec
from tasks.spec import DatasetFacts, Sampling, SpecError, TaskSpec, ThinkMode, digest

FACTS = DatasetFacts(
    name="math-ai/aime25",
    source="hub:math-ai/aime25",
    revision="r1",
    content_hash="c1",
    n_items=30,
    is_pinned_content=True,
)
SPEC = resolve_spec(AIME25, FACTS)


def test_the_default_protocol():
    assert (SPEC.task, SPEC.preset, SPEC.max_tokens, SPEC.epochs) == ("aime25", "sglang", 131_072, 32)
    assert SPEC.sampling == Sampling(temperature=1.0, top_p=0.95)


CHANGES = [
    pytest.param({"task": "other"}, id="task"),
    pytest.param({"variant": "v"}, id="variant"),
    pytest.param({"dataset": replace(FACTS, content_hash="c2")}, id="dataset content"),
    pytest.param({"prompt_hash": "p2"}, id="prompt"),
    pytest.param({"scorer": "aime_integer/2"}, id="scorer"),
    pytest.param({"sampling": Sampling(temperature=0.9, top_p=0.95)}, id="temperature"),
    pytest.param({"sampling": Sampling(temperature=None, top_p=0.95)}, id="the server's temperature"),
    pytest.param({"sampling": Sampling(temperature=1.0, top_p=None)}, id="top_p"),
    pytest.param({"max_tokens": 131_071}, id="budget"),
    pytest.param({"think_mode": ThinkMode.KIMI}, id="think mode"),
    pytest.param({"thinking": False}, id="thinking"),
    pytest.param({"thinking": True}, id="thinking asked for, not left to the server"),
    pytest.param({"effort": "low"}, id="effort"),
    pytest.param({"extra_body": {"min_p": 0.1}}, id="extra body"),
    pytest.param({"options": {"shuffle": True}}, id="the task's own options"),
]


@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_the_measure_changes_the_fingerprint(change):
    assert replace(SPEC, **change).fingerprint != SPEC.fingerprint


def test_every_change_has_a_fingerprint_of_its_own():
    prints = [replace(SPEC, **param.values[0]).fingerprint for param in CHANGES]
    assert len(set(prints)) == len(prints)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"epochs": 4}, id="epochs"),
        pytest.param({"preset": "kvv"}, id="the preset's name, its values being equal"),
        pytest.param(
            {"dataset": replace(FACTS, source="wheel:sgl-eval==0.1.3", revision="x", name="y")},
            id="where data came from",
        ),
        pytest.param(
            {"dataset": replace(FACTS, n_items=5, is_pinned_content=None)}, id="how data was checked"
        ),
        pytest.param({"extra_body": {}, "options": {}}, id="empty is absent"),
    ],
)
def test_what_does_not_change_the_measure_leaves_the_fingerprint(change):
    assert replace(SPEC, **change).fingerprint == SPEC.fingerprint


def test_every_field_is_either_compared_or_left_out_on_purpose():
    left_out = {"preset", "epochs"}
    compared = {"task", "variant", "dataset", "prompt_hash", "scorer", "sampling", "max_tokens", "think_mode"}
    compared |= {"thinking", "effort", "extra_body", "options"}
    assert {field.name for field in fields(TaskSpec)} == left_out | compared


def test_the_order_of_keys_does_not_count():
    one = replace(SPEC, extra_body={"a": 1, "b": {"x": 1, "y": 2}})
    other = replace(SPEC, extra_body={"b": {"y": 2, "x": 1}, "a": 1})
    assert one.fingerprint == other.fingerprint


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    )
)
def test_digests_are_stable_hex(value):
    assert digest(value) == digest(value)
    assert len(digest(value)) == 64


@pytest.mark.parametrize(
    ("one", "other"), [("1", 1), (1, 1.5), (None, "null"), ([1], [[1]]), ({"a": None}, {}), (True, 1)]
)
def test_digests_tell_values_apart(one, other):
    assert digest(one) != digest(other)


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (Overrides(epochs=0), "epochs: 0"),
        (Overrides(max_tokens=0), "max tokens: 0"),
        (Overrides(temperature=2.5), "temperature: 2.5"),
        (Overrides(temperature=-0.1), "temperature: -0.1"),
        (Overrides(temperature=float("nan")), "temperature: nan"),
        (Overrides(top_p=0.0), "top_p: 0"),
        (Overrides(top_p=1.1), "top_p: 1.1"),
        (Overrides(thinking=False), "think mode 'none'"),
        (Overrides(effort="low"), "think mode 'none'"),
        (Overrides(extra_body={"temperature": 0.3}), "--temperature"),
        (Overrides(extra_body={"max_tokens": 5}), "--max-tokens"),
        (Overrides(extra_body={"seed": 5}), "--seed"),
        (Overrides(extra_body={"n": 5}), "--epochs"),
        (Overrides(extra_body={"model": "x"}), "--model"),
        (Overrides(extra_body={"messages": []}), "what the task asks"),
        (Overrides(extra_body={"stream": False}), "--no-stream"),
        (Overrides(options={"shuffle_per_epoch": True}), "shuffle-per-epoch"),
    ],
    ids=str,
)
def test_settings_that_cannot_be_are_refused(overrides, words):
    with pytest.raises(SpecError, match=words):
        resolve_spec(AIME25, FACTS, overrides=overrides)


@pytest.mark.parametrize(
    ("preset", "thinking", "temperature"),
    [("kvv", None, 1.0), ("kvv", True, 1.0), ("kvv", False, 0.6), ("sglang", False, 1.0)],
)
def test_instant_answers_have_a_sampling_of_their_own(preset, thinking, temperature):
    overrides = Overrides(think_mode=ThinkMode.KIMI, thinking=thinking)
    assert resolve_spec(AIME25, FACTS, preset=preset, overrides=overrides).sampling.temperature == temperature


@pytest.mark.parametrize("name", ["", "sgl", "SGLANG", "default"])
def test_an_unknown_preset_names_the_known_ones(name):
    with pytest.raises(SpecError, match="sglang, kvv, nvidia"):
        resolve_spec(AIME25, FACTS, preset=name)


def test_zero_is_an_override():
    assert resolve_spec(AIME25, FACTS, overrides=Overrides(temperature=0.0)).sampling.temperature == 0.0
