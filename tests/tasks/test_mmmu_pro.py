from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tasks.exam import ExamSource, load_exam
from tasks.images import STORE
from tasks.mmmu_pro import FOUR, MMMU_PRO, TEN, VISION, VISION_PROMPT, grade, mentioned_images
from tasks.protocol import resolve_spec
from tasks.rows import DataError
from tasks.spec import SpecError
from verifiers.outcome import Outcome
from verifiers.response import Response

Rows = Callable[..., list[dict[str, Any]]]
Write = Callable[..., Path]
Png = Callable[..., bytes]


def one_item(write_rows: Write, row: dict[str, Any], variant: str = TEN) -> Any:
    source = ExamSource(path=write_rows("one.parquet", [row]), accept_changes=True)
    return load_exam(MMMU_PRO, variant=variant, source=source).items[0]


def with_images(row: dict[str, Any], png: Png, numbers: range) -> dict[str, Any]:
    return row | {f"image_{n}": {"bytes": png((n, n, n)), "path": None} for n in numbers}


def test_a_whole_set_is_read(mmmu_rows: Rows, write_rows: Write) -> None:
    exam = load_exam(MMMU_PRO, path=write_rows("a.parquet", mmmu_rows()))
    assert exam.dataset.n_items == 1730
    item = exam.items[11]
    assert (item.sample_id, item.category, item.target) == ("made_up_11", "Biology", "B")
    assert item.grading["n_options"] == 10
    assert "<image 1>" in item.prompt and "J. option 11.9" in item.prompt
    assert not item.images_first


@pytest.mark.parametrize(
    ("question", "options", "order"),
    [
        pytest.param(
            "Which? <image 1>",
            ["<image 2>", "<image 3>", "<image 4>", "<image 5>"],
            [1, 2, 3, 4, 5],
            id="options that are images",
        ),
        pytest.param("<image 3> before <image 1>", ["a", "b", "c"], [3, 1], id="out of order"),
        pytest.param("<image 1>, again <image 1>", ["<image 1>", "<image 2>"], [1, 2], id="each once"),
        pytest.param("<image 2>", ["x", "y"], [2], id="only the second"),
        pytest.param("< image  2 > and <Image 1>", ["x", "y"], [2, 1], id="blanks and capitals"),
        pytest.param("none", ["x", "y"], [1, 2, 3, 4, 5], id="none named: all that the row has"),
    ],
)
def test_every_image_is_sent_once_in_order_of_mention(
    mmmu_rows: Rows, write_rows: Write, png: Png, question: str, options: list[str], order: list[int]
) -> None:
    row = with_images(mmmu_rows(1)[0], png, range(1, 6))
    item = one_item(write_rows, row | {"question": question, "options": repr(options), "answer": "A"})
    assert [STORE.sent(reference).content for reference in item.images] == [png((n, n, n)) for n in order]


def test_marks_point_at_the_place_of_their_image(mmmu_rows: Rows, write_rows: Write, png: Png) -> None:
    row = with_images(mmmu_rows(1)[0], png, range(1, 4))
    changes = {"question": "<image 3> or <image 1>?", "options": "['<image 1>', '<image 3>']", "answer": "A"}
    item = one_item(write_rows, row | changes)
    assert item.prompt.startswith("<image 1> or <image 2>?\n\nA. <image 2>\nB. <image 1>\n")


def test_an_image_that_is_named_and_missing_is_refused(mmmu_rows: Rows, write_rows: Write) -> None:
    row = mmmu_rows(1)[0] | {"question": "<image 1> and <image 2>"}
    with pytest.raises(DataError, match="row 0, <image 2>: no image"):
        one_item(write_rows, row)


def test_the_vision_variant_shows_one_picture_and_says_nothing_else(
    mmmu_rows: Rows, write_rows: Write
) -> None:
    row = mmmu_rows(1)[0]
    item = one_item(write_rows, {**row, "image": row["image_1"], "image_1": None, "question": None}, VISION)
    assert (item.prompt, len(item.images), item.images_first) == (VISION_PROMPT, 1, True)


@pytest.mark.parametrize(
    ("name", "variant"),
    [(None, TEN), (TEN, TEN), (FOUR, FOUR), ("vision", VISION), ("standard", TEN), ("Standard-4", FOUR)],
)
def test_variants_are_known_by_name(name: str | None, variant: str) -> None:
    assert MMMU_PRO.variant(name) == variant


def test_a_variant_that_is_none_is_refused_with_those_that_are() -> None:
    with pytest.raises(SpecError, match=r"'video'.*standard \(10 options\), standard \(4 options\), vision"):
        MMMU_PRO.pin("video")


def test_rows_of_another_variant_are_refused_with_the_one_to_pass(mmmu_rows: Rows, write_rows: Write) -> None:
    four = write_rows("four.parquet", mmmu_rows(1730, n_options=4))
    with pytest.raises(DataError, match=r"pass --variant 'standard \(4 options\)'"):
        load_exam(MMMU_PRO, path=four)
    with pytest.raises(DataError, match="pass --variant"):
        load_exam(MMMU_PRO, variant=VISION, path=four)
    assert load_exam(MMMU_PRO, variant=FOUR, path=four).dataset.n_items == 1730
    vision = [{**row, "image": row["image_1"], "image_1": None} for row in mmmu_rows(20)]
    with pytest.raises(DataError, match="pass --variant vision"):
        load_exam(MMMU_PRO, path=write_rows("vision.parquet", vision))


def test_variants_never_share_a_fingerprint(mmmu_rows: Rows, write_rows: Write) -> None:
    path = write_rows("a.parquet", mmmu_rows(4))
    dataset = load_exam(MMMU_PRO, path=path, accept_changes=True).dataset
    specs = [resolve_spec(MMMU_PRO, dataset, variant=variant) for variant in (TEN, FOUR, VISION)]
    assert len({spec.fingerprint for spec in specs}) == 3
    assert [spec.variant for spec in specs] == [TEN, FOUR, VISION]


def test_a_snapshot_of_the_whole_repository_gives_the_variant_asked_for(
    tmp_path: Path, mmmu_rows: Rows, write_rows: Write
) -> None:
    for variant, rows in ((TEN, mmmu_rows(20)), (FOUR, mmmu_rows(20, n_options=4))):
        (tmp_path / "snapshot" / variant).mkdir(parents=True)
        write_rows(f"snapshot/{variant}/test-00000-of-00002.parquet", rows[:12])
        write_rows(f"snapshot/{variant}/test-00001-of-00002.parquet", rows[12:])
    for variant, n_options in ((TEN, 10), (FOUR, 4)):
        exam = load_exam(MMMU_PRO, variant=variant, path=tmp_path / "snapshot", accept_changes=True)
        assert {item.grading["n_options"] for item in exam.items} == {n_options}
        assert len(exam.items) == 20


@pytest.mark.parametrize("n_options", [2, 3, 10, 12])
def test_rows_have_from_2_to_12_options(mmmu_rows: Rows, write_rows: Write, n_options: int) -> None:
    row = mmmu_rows(1)[0] | {"options": repr([f"o{place}" for place in range(n_options)]), "answer": "B"}
    assert one_item(write_rows, row).grading["n_options"] == n_options


def test_the_label_wins_over_an_option_that_is_a_letter() -> None:
    response = Response(content="Answer: B (A)", finish_reason="stop")
    verdict = grade(response, "B", {"options": ["B", "A", "D", "C"], "n_options": 4})
    assert (verdict.outcome, verdict.answer) == (Outcome.CORRECT, "B")


def test_nothing_stated_is_no_answer_every_time() -> None:
    verdicts = {
        grade(Response(content="", finish_reason="stop"), "C", {"n_options": 10}).outcome for _ in range(50)
    }
    assert verdicts == {Outcome.NO_ANSWER}


def test_every_row_of_the_real_set_is_read(shared_data: Path) -> None:
    path = shared_data / "mmmu_pro" / "gpt-4o_vision_direct.jsonl"
    items = load_exam(MMMU_PRO, source=ExamSource(path=path, with_images=False)).items
    assert len({item.text_hash for item in items}) == 1730
    assert len({item.category for item in items}) == 30


def test_mentions_are_numbers_in_angle_brackets() -> None:
    assert mentioned_images("image 4, <image>, <image x>, <image 12>", ["<image 1>"]) == [12, 1]
