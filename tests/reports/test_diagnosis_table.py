import numpy as np

from reports.diagnosis import diagnose
from reports.diagnosis_table import diagnosis_rows
from tests.reports.test_diagnosis import BASE, RNG, P, mark, table


def test_every_cut_has_its_rows_and_what_stands_out_is_marked() -> None:
    cand = table(RNG(2), np.where(np.arange(60) >= 36, 0.4, 0.9))
    cand = mark(cand, cand["epoch"] < 2, outcome="no_answer", score=0, flags="degenerate_repetition")
    rows = diagnosis_rows(diagnose(BASE, cand))
    marks = {(row.cut, row.name): row.mark for row in rows}
    assert marks["sign", "no answer"] == marks["sign", "degenerate repetition"] == "more"
    assert marks["output length", "change of the delta with twice the tokens"] == "grows"
    assert marks["category", "even (30 items)"] == "lower"
    assert marks["place in the run", "quarter 1 of the candidate's"] == "differs"
    assert [row.cut for row in rows].count("output length") == 5
    loop = next(row for row in rows if row.name == "degenerate repetition")
    assert (loop.baseline, loop.candidate) == ("0.00 %", "25.00 %")
    assert loop.difference.startswith("+25.00 [") and loop.evidence == "q < 0.001"


def test_equal_checkpoints_stand_out_nowhere() -> None:
    rows = diagnosis_rows(diagnose(BASE, table(RNG(2), P)))
    assert rows and not any(row.mark for row in rows)
