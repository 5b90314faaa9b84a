import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifiers.integer_text import read_integer


@pytest.mark.parametrize(
    "text",
    [
        "73", "073", " 73 ", "73.", "73.0", "73.00", "+73", "$73$", r"\(73\)", r"\$73", "(73)", "{73}",
        "{{73}}", r"\left(73\right)", r"\;73\,",
        r"73^\circ", r"73^{\circ}", r"73^ {\circ}", "73°", r"73\degree",
        r"\text{73}", r"\textbf{73}", r"\mathbf{73}", r"\mathrm{ 73 }", r"\bm{73}", r"\mathbf{\text{073}}",
        r"\textcolor{red}{73}", r"{\bf 73}", r"\displaystyle 73", r"\boxed{73}", r"\text{73.}", r"73\text{.}",
        "x = 73", "x=73", "m + n = 73", "70 + 3 = 73", "a = b = 73", "73 = x", r"73 = m+n", r"N \equiv 73",
        r"73 \pmod{1000}", "Answer: 73", r"\text{The answer is } 73",
        r"73\text{ cm}", r"73\text{ cm}^2", r"73\,\mathrm{units}", "73 degrees", "73 square units", "73 cm²",
        "７３", "٧٣", "𝟕𝟑",
    ],
)  # fmt: skip
def test_reads_73(text: str) -> None:
    assert read_integer(text) == 73


@pytest.mark.parametrize(
    "text",
    ["1,234", "1{,}234", r"1\,234", "1 234", "1\u202f234", r"1,\!234", "1234", "001234"],
)
def test_reads_grouped_digits(text: str) -> None:
    assert read_integer(text) == 1234


@pytest.mark.parametrize("text", ["-73", "−73", "- 73", "x = -73"])
def test_reads_negatives(text: str) -> None:
    assert read_integer(text) == -73


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "x", "A", "seventy-three", "73.5", "7,3", "7 3", r"7\,3", "1,23", "73!", "10^2", "10²",
        r"\frac{146}{2}", "146/2", r"\sqrt{73}", r"73\pi", r"73\sqrt{2}", "73x", "73 m", "73 pi",
        "73 million", "7.3e1", r"73\%", "73 or 84", r"73 \text{ or } 84", "x = 7, y = 3",
        r"x = 73 \text{ or } x = 84",
        "(7, 3)", "70 + 3", r"7 \cdot 3", r"\approx 73", "73_{8}", "9" * 5_000, "73 " * 400,
    ],
)  # fmt: skip
def test_reads_nothing(text: str) -> None:
    assert read_integer(text) is None


@given(st.text())
def test_never_raises(text: str) -> None:
    read_integer(text)


@given(
    st.integers(-(10**6), 10**6), st.integers(0, 4), st.sampled_from(["{}", "${}$", r"\text{{{}}}", "x = {}"])
)
def test_reads_every_integer(value: int, zeros: int, form: str) -> None:
    sign = "-" if value < 0 else ""
    assert read_integer(form.format(f"{sign}{'0' * zeros}{abs(value)}")) == value
