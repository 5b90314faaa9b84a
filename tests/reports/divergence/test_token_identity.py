"""Texts with other tokens are named by what is wrong, and never averaged."""

import math

import pytest

from reports.divergence.figures import diverge
from reports.divergence.measure import measure
from reports.divergence.token_identity import DifferenceKind

BASE = {"ids": [1, 2, 3, 4], "texts": ["<s>", " is", " 12", "?"]}


@pytest.mark.parametrize(
    ("candidate", "kind", "position"),
    [
        pytest.param(
            {"ids": [1, 2, 5, 6, 4], "texts": ["<s>", " is", " 1", "2", "?"]},
            DifferenceKind.TOKENIZER,
            2,
            id="split otherwise",
        ),
        pytest.param(
            {"ids": [1, 2, 9, 4], "texts": ["<s>", " is", " 12", "?"]},
            DifferenceKind.VOCABULARY,
            2,
            id="other id, same text",
        ),
        pytest.param(
            {"ids": [1, 1, 2, 3, 4], "texts": ["<s>", "<s>", " is", " 12", "?"]},
            DifferenceKind.PROMPT,
            1,
            id="a token twice",
        ),
        pytest.param(
            {"ids": [0, 1, 2, 3, 4], "texts": ["<bos>", "<s>", " is", " 12", "?"]},
            DifferenceKind.SPECIAL,
            0,
            id="one more at the start",
        ),
        pytest.param(
            {"ids": [1, 7, 3, 4], "texts": ["<s>", " was", " 12", "?"]},
            DifferenceKind.PROMPT,
            1,
            id="another prompt",
        ),
        pytest.param(
            {"ids": [1, 2, 3], "texts": ["<s>", " is", " 12"]},
            DifferenceKind.RESPONSE,
            3,
            id="a shorter response",
        ),
    ],
)
def test_a_difference_is_named_and_placed(sides, record, candidate, kind, position):
    ours, theirs = sides
    record(ours, "a", [math.nan, -1, -1, -1], n_prompt=2, **BASE)
    record(theirs, "a", [math.nan, *[-5.0] * (len(candidate["ids"]) - 1)], n_prompt=2, **candidate)
    record(ours, "b", [math.nan, -1, -1, -1], n_prompt=2, **BASE)
    record(theirs, "b", [math.nan, -1, -1.25, -1], n_prompt=2, **BASE)
    measured = measure(ours, theirs, top_k=10)
    (found,) = measured.differences
    assert (found.kind, found.position, measured.n_differing) == (kind, position, 1)
    headline = diverge(measured, top_k=10, confidence=0.95).headline
    assert headline.n_tokens == 2 and headline.mean_log_ratio == pytest.approx(0.125)


def test_characters_that_decode_in_pieces_do_not_hide_a_tokenizer(sides, record):
    ours, theirs = sides
    record(ours, "a", [math.nan, -1, -1], ids=[1, 2, 3], texts=["é", " x", "y"])
    record(theirs, "a", [math.nan, -1, -1, -1], ids=[8, 9, 2, 3], texts=["�", "�", " x", "y"])
    (found,) = measure(ours, theirs, top_k=10).differences
    assert found.kind is DifferenceKind.TOKENIZER
