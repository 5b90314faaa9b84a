"""Real files, where present: MMMU Pro responses with their official verdicts, OCRBench's references."""

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from verifiers.choice_letter import grade_choice
from verifiers.ocr_text import grade_ocr
from verifiers.outcome import Grade, Outcome
from verifiers.response import Response

# Argued one by one in docs/mmmu_pro_replay.md.
DISAGREEMENTS = {"validation_Accounting_29": ("B", "A"), "test_Chemistry_362": ("A", "D")}


def options_of(row: dict[str, Any]) -> list[str]:
    """Return the options of ``row``; one row of the file holds its list inside another."""
    options = ast.literal_eval(row["options"])
    return options[0] if isinstance(options[0], list) else options


def grade_row(row: dict[str, Any]) -> Grade:
    options = options_of(row)
    response = Response(content=row["response"], finish_reason="stop")
    return grade_choice(response, row["answer"], options, len(options))


@pytest.fixture(scope="module")
def replay(shared_data: Path) -> list[tuple[dict[str, Any], Grade]]:
    path = shared_data / "mmmu_pro" / "gpt-4o_vision_direct.jsonl"
    if not path.is_file():
        pytest.skip(f"{path.name} is absent")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [(row, grade_row(row)) for row in rows]


def test_letters_agree_with_the_official_ones_but_for_the_argued(
    replay: list[tuple[dict[str, Any], Grade]],
) -> None:
    both = [(row, grade) for row, grade in replay if grade.answer is not None]
    differing = {
        row["id"]: (grade.answer, row["pred_indexs"])
        for row, grade in both
        if grade.answer != row["pred_indexs"]
    }
    assert differing == DISAGREEMENTS
    assert len(both) == 1523


def test_every_official_credit_lost_is_a_guess(replay: list[tuple[dict[str, Any], Grade]]) -> None:
    lost = [grade for row, grade in replay if row["if_right"] and grade.outcome is not Outcome.CORRECT]
    assert {grade.outcome for grade in lost} == {Outcome.NO_ANSWER}
    assert len(lost) == 19


def test_accuracy_without_guesses(replay: list[tuple[dict[str, Any], Grade]]) -> None:
    assert sum(row["if_right"] for row, _ in replay) == 734
    assert sum(grade.outcome is Outcome.CORRECT for _, grade in replay) == 717


def test_all_ocrbench_references_grade(shared_data: Path) -> None:
    path = shared_data / "ocrbench" / "OCRBench.json"
    if not path.is_file():
        pytest.skip(f"{path.name} is absent")
    rows = json.loads(path.read_text(encoding="utf-8"))
    perfect = empty = exact = 0.0
    for row in rows:
        references = row["answers"]
        first = references if isinstance(references, str) else references[0]
        grade = grade_ocr(Response(content=first, finish_reason="stop"), references, row["type"])
        nothing = grade_ocr(Response(content="", finish_reason="stop"), references, row["type"])
        perfect += grade.score or 0
        exact += grade.secondary["exact"]
        empty += nothing.score or 0
    assert (len(rows), perfect, exact, empty) == (1000, 1000, 1000, 0)
