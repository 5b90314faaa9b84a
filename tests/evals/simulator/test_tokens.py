"""Laws of the simulator's token count."""

from hypothesis import given
from hypothesis import strategies as st

from evals.simulator.dice import generator
from evals.simulator.filler import prose_tokens, reasoning_tokens
from evals.simulator.tokens import count_tokens, split_tokens


@given(st.text())
def test_tokens_joined_are_the_text(text):
    assert "".join(split_tokens(text)) == text
    assert count_tokens(text) == len(split_tokens(text))
    assert all(split_tokens(text))


@given(st.integers(0, 400), st.sampled_from([reasoning_tokens, prose_tokens]))
def test_filler_is_as_many_tokens_as_asked_and_a_shorter_draw_begins_a_longer(n_tokens, draw):
    tokens = draw(generator("filler", 1), n_tokens)
    assert len(tokens) == n_tokens and split_tokens("".join(tokens)) == tokens
    assert draw(generator("filler", 1), n_tokens + 50)[:n_tokens] == tokens


def test_filler_holds_nothing_that_a_grader_could_take_for_an_answer():
    words = {token.strip() for token in prose_tokens(generator("filler", 2), 40_000)}
    assert not {word for word in words if any(sign.isdigit() for sign in word)}
    assert not {word for word in words if len(word) == 1 and word.isalpha()}
    assert not {"answer", "option", "boxed", "Answer", "ANSWER"} & words
