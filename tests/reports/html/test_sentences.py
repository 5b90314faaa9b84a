from dataclasses import replace

import pytest

from benchmarks.simulated_report import SHAPES, simulated_report
from reports.html.sentences import verdict_sentence
from reports.report import Report, overall_verdict
from reports.verdict import Verdict


@pytest.fixture(scope="module")
def report() -> Report:
    return simulated_report(shapes=SHAPES, scale=0.02)


@pytest.mark.parametrize(
    ("verdicts", "sentence"),
    [
        pytest.param("p", "A loss of nvfp4 beyond the margin is ruled out on the task.", id="one pass"),
        pytest.param(
            "ppp", "A loss of nvfp4 beyond the margin is ruled out on each of the 3 tasks.", id="all pass"
        ),
        pytest.param(
            "rpi",
            "nvfp4 loses more than is tolerated on aime25; gpqa_diamond passes; ocrbench is inconclusive.",
            id="worst first",
        ),
        pytest.param(
            "iip",
            "A loss of nvfp4 beyond the margin is neither shown nor ruled out on aime25 and gpqa_diamond;"
            " ocrbench passes.",
            id="two inconclusive",
        ),
        pytest.param(
            "xrr",
            "nvfp4 loses more than is tolerated on gpqa_diamond and ocrbench; aime25 cannot be judged.",
            id="a loss stays shown beside an invalid task",
        ),
        pytest.param("xxxxx", "5 tasks cannot be judged: not comparable, or an invalid run.", id="many"),
    ],
)
def test_the_sentence(report: Report, verdicts: str, sentence: str) -> None:
    of = {"p": Verdict.PASS, "r": Verdict.REGRESSION, "i": Verdict.INCONCLUSIVE, "x": Verdict.INVALID}
    tasks = tuple(
        replace(task, verdict=of[letter]) for task, letter in zip(report.tasks, verdicts, strict=False)
    )
    found = replace(report, tasks=tasks, verdict=overall_verdict(tasks))
    assert verdict_sentence(found) == sentence


def test_a_verdict_that_no_task_has_is_called_so(report: Report) -> None:
    tasks = tuple(replace(task, verdict=Verdict.INVALID) for task in report.tasks)
    found = verdict_sentence(replace(report, tasks=tasks, verdict=Verdict.PASS))
    assert found == "The comparison says pass, which no task of it does."
