import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifiers.repetition import RepetitionKind, find_repetition

PROSE = (
    "We place the circle at the origin and let the chord have length ten. Its distance from the centre "
    "follows from the right triangle with hypotenuse thirteen. Twice that distance is the length we look "
    "for, and the second configuration is its mirror image, so nothing else has to be counted here. "
)
COUNT = "".join(f"{number} " for number in range(3_000))


def varied(n_lines: int, line: str) -> str:
    rng = random.Random(5)
    return "".join(line.format(*(rng.randrange(100) for _ in range(6))) for _ in range(n_lines))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        pytest.param("!" * 4_000, RepetitionKind.FLOOD, id="exclamation flood"),
        pytest.param("!" * 16, RepetitionKind.FLOOD, id="a probe's few tokens, all flood"),
        pytest.param("????" * 100, RepetitionKind.FLOOD, id="question flood"),
        pytest.param(PROSE + "!" * 60, RepetitionKind.FLOOD, id="flood after text"),
        pytest.param(PROSE + "!" * 60 + PROSE, RepetitionKind.FLOOD, id="flood amid text"),
        pytest.param(PROSE + "\ufffd" * 60, RepetitionKind.FLOOD, id="replacement characters"),
        pytest.param(PROSE + "a" * 500, RepetitionKind.FLOOD, id="letter flood"),
        pytest.param(PROSE + "\n" * 5_000, RepetitionKind.FLOOD, id="blank flood"),
        pytest.param("0" * 5_000, RepetitionKind.FLOOD, id="zero flood"),
        pytest.param(PROSE + "the " * 300, RepetitionKind.FLOOD, id="word flood"),
        pytest.param(PROSE + "Wait, let me check again. " * 20, RepetitionKind.LOOP, id="sentence loop"),
        pytest.param(PROSE + "Let me check. " * 20 + "Let me ch", RepetitionKind.LOOP, id="cut last round"),
        pytest.param("So x is 3.\n\nBut x is 4.\n\n" * 50, RepetitionKind.LOOP, id="two sentences in turn"),
        pytest.param(
            "So $x = 5$. But then $x = 4$. " * 60, RepetitionKind.LOOP, id="sentences with formulas"
        ),
        pytest.param(
            "So \\(\\frac{1}{2}\\) it is.\n\n" * 60, RepetitionKind.LOOP, id="sentences with macros"
        ),
        pytest.param("intro " + (PROSE * 2) * 4, RepetitionKind.LOOP, id="paragraph loop"),
        pytest.param("intro " + COUNT * 40, RepetitionKind.LOOP, id="long period"),
        pytest.param("|0|0|0|\n" * 4_000, RepetitionKind.FLOOD, id="thousands of equal rows"),
        pytest.param("再检查一遍。" * 60, RepetitionKind.FLOOD, id="no spaces"),
    ],
)
def test_finds(text: str, kind: RepetitionKind) -> None:
    found = find_repetition(text)
    assert found is not None
    assert found.kind is kind
    assert 0 < found.share <= 1
    assert found.n_repeats >= 3


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("Yes!!!", id="emphasis"),
        pytest.param(PROSE, id="prose"),
        pytest.param(PROSE * 2, id="said twice"),
        pytest.param("-" * 200 + "\n" + PROSE + "\n" + "=" * 200, id="rules"),
        pytest.param("-" * 8, id="a rule alone"),
        pytest.param("1" + "0" * 500, id="a power of ten written out"),
        pytest.param("111111111111111111111", id="a repunit"),
        pytest.param("| --- | --- | --- |\n" + varied(3_000, "| {} | {} | {} |\n"), id="long table"),
        pytest.param("| a | b |\n|---|---|\n" + "| 0 | 0 |\n" * 60, id="table of equal rows"),
        pytest.param("\\begin{pmatrix}\n" + "0 & 0 & 0 & 0 & 0 \\\\\n" * 60, id="zero matrix, cut"),
        pytest.param(varied(2_000, "{} & {} & {} & {} & {} & {} \\\\\n"), id="long matrix"),
        pytest.param(varied(3_000, "- item {} of {}\n"), id="long list"),
        pytest.param("- yes\n" * 100, id="list of equal items"),
        pytest.param(
            "".join(f"Case {i}: n = {i} does not divide {7 * i + 3}.\n" for i in range(3_000)), id="cases"
        ),
        pytest.param("".join(f"def f{i}(x):\n    return x + {i}\n\n\n" for i in range(2_000)), id="code"),
        pytest.param("    }\n" * 12 + "}\n" * 8, id="closing braces"),
        pytest.param("\\frac{1}{2} + " * 60, id="a sum of equal terms"),
        pytest.param('  {"name": null, "value": 0},\n' * 100, id="equal JSON rows"),
        pytest.param("<tr><td>yes</td></tr>\n" * 100, id="equal HTML rows"),
        pytest.param("    values.append(0);\n" * 40, id="equal statements"),
        pytest.param("ha " * 20, id="laughter"),
        pytest.param(PROSE + " " * 300 + PROSE, id="wide gap"),
        pytest.param("1, 2, 1, 2, " * 40, id="a short periodic sequence"),
        pytest.param("0.333333333333333333333333333333333333333333333333333333333333333333", id="decimals"),
        pytest.param("\\hspace{1cm} \\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_ " * 5, id="blanks to fill in"),
    ],
)
def test_finds_nothing(text: str) -> None:
    assert find_repetition(text) is None


@given(st.text())
def test_never_raises(text: str) -> None:
    find_repetition(text)


@given(st.text(max_size=60), st.text("abcdefgh ", min_size=12, max_size=80).filter(lambda unit: unit.strip()))
def test_a_unit_repeated_hundreds_of_times_is_found(prefix: str, unit: str) -> None:
    found = find_repetition(f"{prefix}{(unit + ' moreover ') * 300}")
    assert found is not None
    assert found.share > 0.9


@given(st.lists(st.text("abcdefgh \n", max_size=40), unique=True, max_size=40))
def test_distinct_lines_are_no_repetition(lines: list[str]) -> None:
    assert find_repetition("\n".join(f"{number} {line}" for number, line in enumerate(lines))) is None


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(varied(20_000, "{} & {} & {} & {} & {} & {} \\\\\n")[:500_000], id="matrix"),
        pytest.param((PROSE * 2_000)[:500_000], id="loop"),
        pytest.param("ab" * 250_000, id="period two"),
        pytest.param(("a" * 150 + "b") * 3_300, id="near-periods"),
        pytest.param(" " * 500_000, id="blank"),
        pytest.param(
            ("a" * 47 + "c") + "a" * 150 + "".join(f"{'a' * 150}{i}" for i in range(3_000)), id="tails"
        ),
    ],
)
def test_half_a_megabyte_is_quick(text: str) -> None:
    started = time.process_time()
    find_repetition(text)
    assert time.process_time() - started < 1
