import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tasks.rows import DataError, read_rows

Write = Callable[..., Path]
ROWS = [{"id": f"r{number}", "text": f"été {number}"} for number in range(5)]


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "json", "parquet"])
def test_each_format_gives_the_same_rows_as_often_as_asked(write_rows: Write, suffix: str) -> None:
    rows = read_rows(write_rows(f"a.{suffix}", ROWS))
    assert len(rows) == 5
    assert list(rows) == ROWS
    assert list(rows) == ROWS


def test_tables_with_tabs_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("id\ttext\nr0\tx, y\n")
    assert list(read_rows(tmp_path / "a.tsv")) == [{"id": "r0", "text": "x, y"}]


def test_a_folder_is_its_files_in_order_of_name(write_rows: Write, tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    write_rows("d/b.parquet", ROWS[3:])
    write_rows("d/a.jsonl", ROWS[:3])
    rows = read_rows(tmp_path / "d")
    assert (len(rows), list(rows)) == (5, ROWS)


def test_a_file_written_in_one_piece_is_read_apart_and_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tasks.parquet_rows.LARGE_ROW_GROUP_BYTES", 10_000_000)
    images = [os.urandom(400_000) for _ in range(60)]
    pq.write_table(pa.table({"image": images}), tmp_path / "a.parquet")
    assert pq.read_metadata(tmp_path / "a.parquet").num_row_groups == 1
    rows, before, highest = read_rows(tmp_path / "a.parquet"), pa.total_allocated_bytes(), 0
    for row, image in zip(rows, images, strict=True):
        assert row["image"] == image
        highest = max(highest, pa.total_allocated_bytes() - before)
    assert highest < 1_000_000


def test_a_file_that_is_read_apart_and_broken_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tasks.parquet_rows.LARGE_ROW_GROUP_BYTES", 1000)
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": [str(number) for number in range(5000)]}), path)
    content = bytearray(path.read_bytes())
    content[4:3000] = bytes(2996)
    path.write_bytes(content)
    with pytest.raises(DataError, match="cannot be read as"):
        list(read_rows(path))


def test_reading_may_stop_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tasks.parquet_rows.LARGE_ROW_GROUP_BYTES", 1000)
    pq.write_table(pa.table({"n": list(range(5000))}), tmp_path / "a.parquet")
    rows = iter(read_rows(tmp_path / "a.parquet"))
    assert next(rows) == {"n": 0}
    rows.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", b"{}\n{", "line 2 is not JSON"),
        ("a.jsonl", b"[1]\n", "line 1 is a list"),
        ("a.json", b"{}", "not a list of rows"),
        ("a.jsonl", b"", "holds no rows"),
        ("a.parquet", b"PAR1 no parquet", "cannot be read as .parquet"),
        ("a.xlsx", b"", "unknown format"),
        ("a.csv", b"id\n\xff\xfe\n", "cannot be read as .csv"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        list(read_rows(tmp_path / name))
