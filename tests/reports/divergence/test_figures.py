"""Figures from recorded sides: known differences come out, noise stays noise, faults are found where they sit."""

import math

import jsonschema
import numpy as np
import pytest

from reports.divergence.document import divergence_document
from reports.divergence.figures import diverge
from reports.divergence.measure import measure
from reports.divergence.render import render_divergence_markdown, render_divergence_terminal
from reports.divergence.schema import DIVERGENCE_SCHEMA
from reports.divergence.side import FLOOR
from reports.json_report import to_json
from reports.json_text import parse_json

N_TOKENS = 300


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def pair(sides, record, rng):
    """Return a function that records texts whose difference is ``shift(position)`` plus noise of ``sd``."""

    def make(shift, *, sd=0.01, floor_sd=None, n_texts=12, **facts):
        for number in range(n_texts):
            ours = [math.nan, *rng.uniform(-3, -0.1, size=N_TOKENS - 1)]
            moved = [shift(place) + sd * rng.normal() for place in range(N_TOKENS)]
            given = {"n_prompt": 20, "task": f"t{number % 2}", **facts}
            record(sides[0], f"k{number}", ours, **given)
            record(sides[1], f"k{number}", [a - d for a, d in zip(ours, moved, strict=True)], **given)
            if floor_sd is not None:
                again = [a + floor_sd * rng.normal() for a in ours]
                record(sides[0], f"k{number}", again, part=FLOOR, **given)
        return diverge(measure(*sides, top_k=10), top_k=10, confidence=0.95)

    return make


def document_of(found, sides):
    document = parse_json(to_json(divergence_document(found, *sides)).encode())
    jsonschema.validate(document, DIVERGENCE_SCHEMA)
    return document


def kinds(document):
    return [finding["kind"] for finding in document["findings"]]


def test_a_known_shift_comes_out_with_its_interval(pair, sides):
    found = pair(lambda _: 0.05, floor_sd=0.001)
    document = document_of(found, sides)
    estimate = document["cross_entropy_difference"]
    assert estimate["low"] < 0.05 < estimate["high"] and estimate["high"] - estimate["low"] < 0.002
    assert document["perplexity_ratio"]["value"] == pytest.approx(math.exp(0.05), abs=0.001)
    assert document["kl"] == estimate  # every text was drawn at temperature 1, top_p 1
    assert document["n_response_tokens"] == 12 * (N_TOKENS - 20)
    assert [row["name"] for row in document["by_task"]] == ["t0", "t1"]
    assert document["beyond_floor"]["low"] > 0 and "within_floor" not in kinds(document)


def test_noise_alone_stays_within_the_floor(pair, sides):
    document = document_of(pair(lambda _: 0.0, sd=0.004, floor_sd=0.004), sides)
    assert "within_floor" in kinds(document) and "position" not in kinds(document)
    text = render_divergence_terminal(document)
    assert "no more than the baseline against itself" in " ".join(text.split())


def test_a_fault_that_grows_with_position_is_found_and_placed(pair, sides):
    document = document_of(pair(lambda place: 0.02 * max(0.0, math.log2(max(place, 1) / 32))), sides)
    assert "position" in kinds(document)
    means = [row["mean_absolute"] for row in document["by_position"]]
    assert means == sorted(means) and means[-1] > 4 * means[0]
    assert document["position_trend"]["per_doubling"]["low"] > 0
    shown = render_divergence_markdown(document)
    assert "grows with position" in shown and "████" in shown


def test_identical_sides_are_said_to_be_identical(pair, sides):
    document = document_of(pair(lambda _: 0.0, sd=0.0, floor_sd=0.0), sides)
    assert document["is_identical"] and document["floor"]["is_identical"]
    assert document["cross_entropy_difference"] is None  # no width is no certainty
    assert kinds(document) == ["identical"]
    assert render_divergence_terminal(document).startswith("DIVERGENCE none, identical - nvfp4 against int4")


@pytest.mark.parametrize(
    ("facts", "is_kl"),
    [
        pytest.param({}, True, id="temperature 1, top_p 1"),
        pytest.param({"top_p": 0.95}, False, id="top_p 0.95"),
        pytest.param({"temperature": 0.6}, False, id="temperature 0.6"),
        pytest.param({"temperature": None}, False, id="not known"),
    ],
)
def test_only_texts_drawn_from_the_whole_distribution_give_a_divergence(pair, sides, facts, is_kl):
    document = document_of(pair(lambda _: 0.05, floor_sd=0.0, **facts), sides)
    assert (document["kl"] is not None) == (document["kl_controlled"] is not None) == is_kl
    assert document["cross_entropy_difference"] is not None
    assert any("cross-entropy difference" in text for text in document["caveats"]) != is_kl


def test_texts_that_the_baseline_did_not_write_give_themselves_away(pair, sides):
    document = document_of(pair(lambda _: -0.4, floor_sd=0.0), sides)  # the candidate likes them far better
    assert "sampling" in kinds(document)


def test_a_token_that_a_side_rules_out_is_reported_and_leads_the_list(sides, record):
    record(sides[0], "a", [math.nan, -1.0, -1.0, -1.2], texts=["<s>", " one", " two", " three"])
    record(sides[1], "a", [math.nan, -1.1, -9999.0, -1.2], texts=["<s>", " one", " two", " three"])
    document = document_of(diverge(measure(*sides, top_k=10), top_k=10, confidence=0.95), sides)
    assert document["ruled_out"] == {"baseline": 0, "candidate": 1}
    first = document["largest"][0]
    assert (first["token"], first["before"], first["after"]) == (" two", "<s> one", " three")
    assert "ruled_out" in kinds(document)


def test_texts_of_one_side_alone_are_counted_and_none_in_common_compares_nothing(sides, record):
    record(sides[0], "a", [math.nan, -1.0])
    record(sides[1], "b", [math.nan, -1.0])
    document = document_of(diverge(measure(*sides, top_k=10), top_k=10, confidence=0.95), sides)
    assert (document["only_baseline"], document["only_candidate"], document["n_texts"]) == (1, 1, 0)
    assert "nothing to compare" in render_divergence_terminal(document)


def test_what_texts_hold_cannot_steer_a_terminal_or_a_page(sides, record):
    evil = ["<s>", "\x1b[31m", "<script>", "|`"]
    record(sides[0], "a", [math.nan, -1.0, -1.0, -1.0], texts=evil, task="<b>")
    record(sides[1], "a", [math.nan, -2.0, -3.0, -1.5], texts=evil, task="<b>")
    document = document_of(diverge(measure(*sides, top_k=10), top_k=10, confidence=0.95), sides)
    assert "\x1b" not in render_divergence_terminal(document)
    assert "<script>" not in render_divergence_markdown(document)
