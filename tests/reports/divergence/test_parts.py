"""Prompt, reasoning and answer by token, markers of one token or several, over chunk borders too."""

import numpy as np
import pytest

from reports.divergence.parts import PARTS, PartFinder
from reports.divergence.records import TextFacts, TokenChunk


def chunk(texts, start=0):
    n = len(texts)
    return TokenChunk(
        start=start,
        ids=np.arange(n),
        logprobs=np.zeros(n),
        ranks=np.ones(n, dtype=np.int64),
        tops=np.arange(n),
        texts=texts,
    )


def walk(texts, *, cut=None, **facts):
    finder = PartFinder(TextFacts(key="k", sample_id="1", **facts))
    pieces = [texts] if cut is None else [texts[:cut], texts[cut:]]
    placed = [finder.place(chunk(piece, start)) for piece, start in zip(pieces, (0, cut), strict=False)]
    letters = "".join(PARTS[code].value[0] for one in placed for code in one.parts)
    near = "".join("x" if flag else "." for one in placed for flag in one.near_marker)
    return letters, near


@pytest.mark.parametrize(
    ("texts", "facts", "letters"),
    [
        pytest.param(["a"] * 5, {"n_prompt": 2}, "ppaaa", id="no reasoning"),
        pytest.param(
            ["q", "<think>", "r", "r", "</think>", "a"],
            {"n_prompt": 1, "has_reasoning": True},
            "prrrra",
            id="one token closes",
        ),
        pytest.param(
            ["q", "r", "</", "think", ">", "a"],
            {"n_prompt": 1, "has_reasoning": True},
            "prrrra",
            id="three close",
        ),
        pytest.param(
            ["q", "r", "r"], {"n_prompt": 1, "has_reasoning": True}, "prr", id="ended while thinking"
        ),
        pytest.param(
            ["q", "r", "</think>", "r", "</think>", "a"],
            {"n_prompt": 1, "has_reasoning": True, "n_inner_closers": 1},
            "prrrra",
            id="a closer within the reasoning",
        ),
        pytest.param(
            ["<think>", "</think>", "q", "r", "</think>", "a"],
            {"n_prompt": 3, "has_reasoning": True},
            "ppprra",
            id="a closer within the prompt",
        ),
    ],
)
@pytest.mark.parametrize("cut", [None, 2, 3, 4], ids=lambda cut: f"cut {cut}")
def test_each_token_has_its_part(texts, facts, letters, cut):
    assert walk(texts, cut=cut, **facts)[0] == letters


def test_tokens_near_markers_are_told_apart():
    texts = ["w"] * 8 + ["<|tool_call_begin|>"] + ["w"] * 8
    assert walk(texts)[1] == "....xxxxxxxxx...."


def test_text_about_brackets_is_no_marker():
    assert set(walk(["if a", " < b", " and", " <div>", " [x]"])[1]) == {"."}
