"""What each item did on either side: how its responses ended, its score, its length, its usual answer."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from reports.score_table import OUTCOMES
from reports.slices import item_labels

ANSWER_LENGTH = 80  # of an answer that is shown beside its item; the log holds all of it


@dataclass(frozen=True, kw_only=True)
class ItemSide:
    """One item on one side, its epochs together.

    ``score`` is the mean of the scored responses, ``output_tokens`` of those counted; ``answer`` is the most
    frequent one, cut to :data:`ANSWER_LENGTH` characters; ``first_miss`` is the first epoch whose response is
    not correct.
    """

    correct: int
    incorrect: int
    no_answer: int
    truncated: int
    errors: int
    score: float | None
    output_tokens: float | None
    answer: str | None
    first_miss: int | None

    @property
    def outcomes(self) -> dict[str, int]:
        """Responses by how they ended, in words."""
        return {
            "correct": self.correct,
            "incorrect": self.incorrect,
            "no answer": self.no_answer,
            "truncated": self.truncated,
            "error": self.errors,
        }

    @property
    def n_responses(self) -> int:
        """Responses, failed ones included."""
        return sum(self.outcomes.values())


@dataclass(frozen=True, kw_only=True)
class ItemRow:
    """One item; a side that has no response to it is ``None``."""

    sample_id: str
    category: str | None
    baseline: ItemSide | None
    candidate: ItemSide | None

    @property
    def change(self) -> float | None:
        """Candidate - baseline score, where both have one."""
        if self.baseline is None or self.candidate is None:
            return None
        if self.baseline.score is None or self.candidate.score is None:
            return None
        return self.candidate.score - self.baseline.score


def item_rows(baseline: pd.DataFrame, candidate: pd.DataFrame) -> tuple[ItemRow, ...]:
    """Return a row for every item of two joined score tables of one task, in order of name."""
    ours, theirs = _sides(baseline), _sides(candidate)
    categories = item_labels(baseline, candidate, "category")
    return tuple(
        ItemRow(
            sample_id=sample_id,
            category=categories.get(sample_id),
            baseline=ours.get(sample_id),
            candidate=theirs.get(sample_id),
        )
        for sample_id in sorted({*ours, *theirs})
    )


def _sides(frame: pd.DataFrame) -> dict[str, ItemSide]:
    codes, names = pd.factorize(frame["sample_id"].astype(str))
    outcomes = pd.Index(OUTCOMES).get_indexer(pd.Index(frame["outcome"], dtype=object))
    known = outcomes >= 0
    cells = np.bincount(
        codes[known] * len(OUTCOMES) + outcomes[known], minlength=len(names) * len(OUTCOMES)
    ).reshape(len(names), len(OUTCOMES))
    scores, tokens = (_means(frame[name], codes, len(names)) for name in ("score", "output_tokens"))
    answers, misses = _usual_answers(frame, codes), _first_misses(frame, codes, outcomes)
    return {
        str(name): ItemSide(
            **dict(zip(("correct", "incorrect", "no_answer", "truncated", "errors"), counts, strict=True)),
            score=scores[code],
            output_tokens=tokens[code],
            answer=answers.get(code),
            first_miss=misses.get(code),
        )
        for code, (name, counts) in enumerate(zip(names, cells.tolist(), strict=True))
    }


def _means(values: pd.Series, codes: np.ndarray, n_items: int) -> list[float | None]:
    """Return each item's mean of the known values, ``None`` where none is known."""
    numbers = values.to_numpy(dtype=np.float64)
    known = np.isfinite(numbers)
    counts = np.bincount(codes[known], minlength=n_items)
    sums = np.bincount(codes[known], weights=numbers[known], minlength=n_items)
    return [float(total / n) if n else None for total, n in zip(sums, counts, strict=True)]


def _usual_answers(frame: pd.DataFrame, codes: np.ndarray) -> dict[int, str]:
    """Return each item's most frequent answer, the first given among equals."""
    answers = pd.DataFrame({"item": codes, "answer": frame["answer"].to_numpy()}).dropna()
    counts = answers.groupby(["item", "answer"], sort=False).size()
    usual = counts.groupby(level="item", sort=False).idxmax()
    return {int(item): cut(str(answer), ANSWER_LENGTH) for item, answer in usual.to_list()}


def _first_misses(frame: pd.DataFrame, codes: np.ndarray, outcomes: np.ndarray) -> dict[int, int]:
    """Return each item's first epoch that was not right: a response, or one that failed."""
    missed = pd.DataFrame({"item": codes, "epoch": frame["epoch"].to_numpy()})[outcomes > 0]
    first = missed.groupby("item")["epoch"].min()
    return dict(zip(first.index.to_list(), first.to_list(), strict=True))


def cut(text: str, length: int) -> str:
    """Return the text, one that is longer cut and marked as such."""
    return text if len(text) <= length else f"{text[: length - 1]}…"
