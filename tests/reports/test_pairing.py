import numpy as np
import pandas as pd
import pytest

from reports.pairing import NoCommonItemsError, ScoreError, pair_scores
from tests.reports.score_rows import score_rows

GOOD = score_rows(["11", "10"])


@pytest.mark.parametrize(
    ("table", "message"),
    [
        pytest.param(GOOD.drop(columns="epoch"), "no column 'epoch'", id="a column is absent"),
        pytest.param(pd.concat([GOOD, GOOD]), "4 responses are repeats", id="a response given twice"),
        pytest.param(GOOD.assign(score=1.5), "score 1.5 of sample 'item-0'", id="above one"),
        pytest.param(GOOD.assign(score=-0.1), "score -0.1", id="below nothing"),
        pytest.param(GOOD.assign(score=np.inf), "score inf", id="infinite"),
        pytest.param(GOOD.assign(score="yes"), "not a number", id="text"),
        pytest.param(GOOD.assign(sample_id=["a", None, "b", "b"]), "row 2 has no sample_id", id="no id"),
        pytest.param(GOOD.assign(epoch=[0, np.nan, 0, 1]), "row 2 has no epoch", id="no epoch"),
        pytest.param(
            GOOD.assign(task=["a", "a", "b", "b"]), r"tasks \['a', 'b'\]; expected one", id="two tasks"
        ),
    ],
)
@pytest.mark.parametrize("side", ["baseline", "candidate"])
def test_refuses(side: str, table: pd.DataFrame, message: str) -> None:
    tables = {"baseline": GOOD, "candidate": GOOD, side: table}
    with pytest.raises(ScoreError, match=f"^{side}: .*{message}"):
        pair_scores(**tables)


@pytest.mark.parametrize(
    ("candidate", "found"),
    [
        pytest.param(GOOD.assign(sample_id="other-" + GOOD["sample_id"]), "other-item-0", id="other items"),
        pytest.param(GOOD.assign(score=np.nan), "the candidate has no score at all", id="nothing scored"),
        pytest.param(GOOD.head(0), "no rows", id="empty"),
    ],
)
def test_nothing_in_common(candidate: pd.DataFrame, found: str) -> None:
    with pytest.raises(NoCommonItemsError, match=found):
        pair_scores(GOOD, candidate)


@pytest.mark.parametrize(
    "scores",
    [
        pytest.param([1, None, 0, 1], id="None"),
        pytest.param([1.0, np.nan, 0.0, 1.0], id="not a number"),
        pytest.param(["1", "", "0", "1"], id="empty text"),
        pytest.param(pd.array([1, pd.NA, 0, 1], dtype="Int64"), id="nullable"),
        pytest.param(pd.array([True, pd.NA, False, True], dtype="boolean"), id="true and false"),
    ],
)
def test_no_score_is_missing_never_wrong(scores: object) -> None:
    pairing = pair_scores(GOOD, GOOD.assign(score=scores))
    assert pairing.candidate_arm.epochs.tolist() == [1, 2]
    assert pairing.candidate_arm.means.tolist() == [1, 0.5]


def test_ids_join_as_text_and_in_any_type() -> None:
    numbers = GOOD.assign(sample_id=[1, 1, 2, 2])
    texts = GOOD.assign(sample_id=pd.Categorical(["1", "1", "2", "2"]))
    assert pair_scores(numbers, texts).kept_ids == ("1", "2")


def test_missing_are_the_grid_without_scores() -> None:
    pairing = pair_scores(score_rows(["11", "1.", "0"]), score_rows(["11", "11", "11", "00"]))
    filled = pairing.baseline.filled(4, 0.0)
    assert np.bincount(filled.codes).tolist() == [2, 2, 2, 2]
    assert filled.scores.sum() == 3


def test_items_of_one_side_are_left_out() -> None:
    pairing = pair_scores(score_rows(["11", "..", "10"]), score_rows(["11", "11"]))
    assert pairing.kept_ids == ("item-0",)
