import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifiers.boxed import last_boxed


@pytest.mark.parametrize(
    ("text", "box"),
    [
        pytest.param("no box", None, id="none"),
        pytest.param(r"\boxed{73}", "73", id="plain"),
        pytest.param("$$\n\\boxed{70}\n$$", "70", id="display maths"),
        pytest.param(r"\fbox{73}", "73", id="fbox"),
        pytest.param(r"\boxed{1}, \boxed{2}", "2", id="last wins"),
        pytest.param(r"\boxed{\frac{1}{2}}", r"\frac{1}{2}", id="nested braces"),
        pytest.param(r"\boxed{\boxed{73}}", r"\boxed{73}", id="outermost box"),
        pytest.param(r"\boxed{\{1, 2\}}", r"\{1, 2\}", id="escaped braces"),
        pytest.param(r"\boxed{1 \\}", r"1 \\", id="a line break does not escape the brace"),
        pytest.param(r"\boxed 7", "7", id="bare"),
        pytest.param(r"\boxed  {7}", "7", id="spaces before the brace"),
        pytest.param("\\boxed\n{7}", "7", id="line break before the brace"),
        pytest.param(r"\boxed{7", None, id="unclosed"),
        pytest.param(r"\boxed{1}. Then \boxed{2", None, id="an unclosed last box hides the earlier"),
        pytest.param(r"\boxed{1, then \boxed{2}", "2", id="an unclosed first box hides nothing"),
        pytest.param(r"\boxed{}", None, id="empty"),
        pytest.param(r"\boxed{ }", None, id="blank"),
        pytest.param(r"\boxed{7}, as \boxed{} asks", "7", id="empty boxes are talk of the format"),
        pytest.param(r"\boxed{7}} }", "7", id="stray closers"),
        pytest.param(r"{ \boxed{7}", "7", id="stray opener before"),
        pytest.param(r"\boxedtext{7}", None, id="another macro"),
        pytest.param(r"$\boxed{7}$ units", "7", id="text after"),
    ],
)
def test_last_boxed(text: str, box: str | None) -> None:
    assert last_boxed(text) == box


@given(st.text())
def test_never_raises(text: str) -> None:
    last_boxed(text)


@given(st.text(), st.text(alphabet="abc123+ ", min_size=1).filter(str.strip))
def test_a_box_appended_is_the_last(text: str, value: str) -> None:
    assert last_boxed(f"{text}\n\\boxed{{{value}}}") == value.strip()


@pytest.mark.parametrize("piece", [r"\boxed{", r"\boxed{1}", "{", "\\", r"\boxed "], ids=repr)
def test_linear_time(piece: str) -> None:
    started = time.process_time()
    last_boxed(piece * (500_000 // len(piece)))
    assert time.process_time() - started < 3
