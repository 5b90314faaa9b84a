from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.choices import (
    gold_letter,
    option_order,
    parse_options,
    refuse_constant_gold,
    refuse_uneven_gold,
    render_options,
    rotated,
)
from tasks.rows import DataError


@given(st.text(), st.integers(2, 12))
def test_an_order_is_a_permutation_that_depends_on_the_id_alone(item_id: str, n_options: int) -> None:
    order = option_order(item_id, n_options)
    assert sorted(order) == list(range(n_options))
    assert option_order(item_id, n_options) == order


def test_orders_stay_what_they_were() -> None:
    # a change here changes every exam: both checkpoints must be run again
    assert [option_order(f"rec{number}", 4) for number in range(4)] == FROZEN_ORDERS


FROZEN_ORDERS = [(3, 1, 2, 0), (1, 3, 2, 0), (2, 3, 1, 0), (0, 1, 2, 3)]


def test_each_option_comes_first_about_as_often() -> None:
    first = Counter(option_order(f"rec{number}", 4)[0] for number in range(4000))
    assert all(900 < count < 1100 for count in first.values())


@given(st.integers(2, 12))
def test_over_all_rotations_each_option_stands_in_each_place_once(n_options: int) -> None:
    order = option_order("x", n_options)
    turns = [rotated(order, turn) for turn in range(n_options)]
    assert all(sorted(column) == list(range(n_options)) for column in zip(*turns, strict=True))
    assert rotated(order, n_options) == order


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param("['a', 'b', 'c']", ("a", "b", "c"), id="a Python list in a text"),
        pytest.param('["a", "it\'s", "c"]', ("a", "it's", "c"), id="both kinds of quotes"),
        pytest.param(["a", "b", "c"], ("a", "b", "c"), id="a list"),
        pytest.param("[1, 2.5, 'c']", ("1", "2.5", "c"), id="numbers become texts"),
        pytest.param("[['a', 'b', 'c']]", ("a", "b", "c"), id="a list in a list"),
        pytest.param(" [' a ', 'b\\n', 'c'] ", ("a", "b", "c"), id="blanks around are dropped"),
        pytest.param(
            "['$\\\\frac{1}{2}$', ', [', '\\'']", ("$\\frac{1}{2}$", ", [", "'"), id="commas, brackets"
        ),
    ],
)
def test_options_are_read_as_the_literal_they_are(value: Any, expected: tuple[str, ...]) -> None:
    assert parse_options(value, "row 0", fewest=2, most=10) == expected


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("['a']", id="too few"),
        pytest.param(str(list("abcdefghijk")), id="too many"),
        pytest.param("['a', 'b'", id="broken literal"),
        pytest.param("__import__('os').getcwd()", id="code is never run"),
        pytest.param("[" * 5000, id="nested beyond parsing"),
        pytest.param("['" + "a" * 60_000 + "', 'b']", id="beyond the length limit"),
        pytest.param("{'a': 1}", id="a mapping"),
        pytest.param("['a', '']", id="an empty option"),
        pytest.param("['a', None]", id="a null option"),
        pytest.param(None, id="nothing"),
        pytest.param("a, b, c", id="words"),
    ],
)
def test_what_is_no_list_of_options_is_refused_with_its_row(value: Any) -> None:
    with pytest.raises(DataError, match="row 7"):
        parse_options(value, "row 7", fewest=2, most=10)


@pytest.mark.parametrize(("value", "letter"), [("B", "B"), (" b ", "B"), ("D", "D")])
def test_a_gold_answer_is_a_letter_of_the_options(value: Any, letter: str) -> None:
    assert gold_letter(value, 4, "row 0") == letter


@pytest.mark.parametrize("value", ["E", "", "AB", None, 2, "?"])
def test_a_gold_answer_outside_the_options_is_refused(value: Any) -> None:
    with pytest.raises(DataError, match="ABCD"):
        gold_letter(value, 4, "row 0")


def test_one_gold_letter_for_all_items_is_refused() -> None:
    with pytest.raises(DataError, match="gold label distribution is constant"):
        refuse_constant_gold(["D"] * 198)
    refuse_constant_gold(["D"] * 3)


@pytest.mark.parametrize(
    ("letters", "named"),
    [
        pytest.param("A" * 80 + "B" * 40 + "C" * 40 + "D" * 38, "A is right for 40%", id="too often"),
        pytest.param("A" * 66 + "B" * 66 + "C" * 66, "D is right for 0%", id="never"),
        pytest.param("D" * 198, "constant", id="always"),
    ],
)
def test_gold_letters_must_be_spread(letters: str, named: str) -> None:
    with pytest.raises(DataError, match=named):
        refuse_uneven_gold(letters, n_options=4, lowest=0.15, highest=0.35)


def test_options_are_shown_one_a_line() -> None:
    assert render_options(["x", "y"]) == "A. x\nB. y"
