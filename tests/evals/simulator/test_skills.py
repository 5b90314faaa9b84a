"""What the simulator can do without an answer book."""

import pytest

from evals.simulator.dice import generator
from evals.simulator.messages import read_conversation
from evals.simulator.skills import generic_text, skilled_text


@pytest.mark.parametrize(
    ("prompt", "holds"),
    [
        ("What is 3x7?", r"\boxed{21}"),
        ("What is 3 \u00d7 7?", r"\boxed{21}"),
        ("17 * 23 = ?", r"\boxed{391}"),
        ("Compute 12 + 30.", r"\boxed{42}"),
        ("12 plus 30", r"\boxed{42}"),
        ("What is 5 - 9?", r"\boxed{-4}"),
        ("6 times 7", r"\boxed{42}"),
        ("6 multiplied by 7", r"\boxed{42}"),
        ("Count from 3 to 6.", "3, 4, 5, 6"),
        ("Please count upwards from 1 up to 3", "1, 2, 3"),
        ("Reply with exactly the word 'pong'.", "pong"),
        ('Say "hello there" and nothing else', "hello there"),
    ],
)
def test_skills(prompt, holds):
    assert holds in (skilled_text(read_conversation([{"role": "user", "content": prompt}])) or "")


@pytest.mark.parametrize("prompt", ["", "How is the weather?", "What colour is the sky?", "Tell me of 1984."])
def test_no_skill(prompt):
    assert skilled_text(read_conversation([{"role": "user", "content": prompt}])) is None


def test_small_talk_says_that_it_is_simulated_and_varies():
    assert generic_text(generator(1)) != generic_text(generator(2))
    assert "simulated" in generic_text(generator(1))
