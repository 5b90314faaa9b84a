"""Profiles from files: what is read, and what is refused with the field named."""

import json

import pytest

from evals.simulator.profile import BUILT_IN, Lengths
from evals.simulator.profile_file import ProfileError, profile_from_table, read_profile

TOML = """
name = "mine"
thinking = false
tokens_per_s = 60
failures = {wrong = 1, no_answer = 0, loop = 0, flood = 0}
[reasoning]
median = 100
sigma = 0.5
cap = 900
[tasks.aime25]
hardest = [0.5, 0.75]
items = {"aime25-3" = 0.25}
reasoning = {median = 7}
[other_tasks]
mean = 0.8
"""


def test_toml_and_json_say_the_same(tmp_path):
    (tmp_path / "a.toml").write_text(TOML)
    profile = read_profile(str(tmp_path / "a.toml"))
    assert (profile.name, profile.thinking, profile.tokens_per_s) == ("mine", False, 60.0)
    assert profile.reasoning == Lengths(median=100, sigma=0.5, cap=900)
    task = profile.task("aime25")
    assert (task.hardest, task.items["aime25-3"], task.reasoning) == ((0.5, 0.75), 0.25, Lengths(median=7))
    assert profile.task("anything").mean == 0.8
    table = {"name": "mine", "tasks": {"aime25": {"hardest": [0.5]}}}
    (tmp_path / "a.json").write_text(json.dumps(table))
    assert read_profile(str(tmp_path / "a.json")) == profile_from_table(table)


@pytest.mark.parametrize("name", ["int4", "nvfp4", "broken"])
def test_built_in_profiles_are_found_by_name(name):
    assert read_profile(name) is BUILT_IN[name]


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ({}, "'name' is missing"),
        ({"name": " "}, "profile.name: found ' '"),
        ({"name": "x", "nmae": 1}, "unknown field 'nmae'; known are name, tasks"),
        ({"name": "x", "tasks": []}, r"profile.tasks: found \[\]"),
        (
            {"name": "x", "tasks": {"t": {"mean": 1.5}}},
            "profile.tasks.t.mean: found 1.5; expected a number from 0 to 1",
        ),
        ({"name": "x", "tasks": {"t": {"hardest": [0.5, "a"]}}}, r"tasks.t.hardest\[1\]: found 'a'"),
        ({"name": "x", "tasks": {"t": {"items": {"i": -0.1}}}}, "tasks.t.items.i: found -0.1"),
        ({"name": "x", "tasks": {"t": {"concentration": 0}}}, "concentration: found 0"),
        ({"name": "x", "reasoning": {"sigma": 1}}, "reasoning: field 'median' is missing"),
        ({"name": "x", "reasoning": {"median": float("nan")}}, "median: found nan"),
        ({"name": "x", "reasoning": {"median": 1, "cap": 1.5}}, "cap: found 1.5; expected a whole number"),
        ({"name": "x", "tokens_per_s": True}, "tokens_per_s: found True"),
        ({"name": "x", "tokens_per_s": 0}, "tokens_per_s: found 0"),
        ({"name": "x", "thinking": 1}, "thinking: found 1; expected true or false"),
        (
            {"name": "x", "failures": dict.fromkeys(("wrong", "no_answer", "loop", "flood"), 0)},
            "all weights are 0",
        ),
        ([], r"found \[\]; expected a table"),
    ],
    ids=str,
)
def test_bad_tables_name_the_field_and_the_value(table, problem):
    with pytest.raises(ProfileError, match=problem):
        profile_from_table(table)


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("a.toml", "name = ", "not readable as TOML or JSON"),
        ("a.json", "{", "not readable as TOML or JSON"),
        ("a.toml", b"\xff", "not readable as TOML or JSON"),
        (None, "", "neither a file nor one of int4, nvfp4, broken"),
    ],
)
def test_files_that_cannot_be_read(tmp_path, name, text, problem):
    path = tmp_path / (name or "missing")
    if name:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ProfileError, match=problem):
        read_profile(str(path))
