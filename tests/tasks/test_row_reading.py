"""Dataset files as people have them: byte order marks, Windows line ends, half files; the bad line is named."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tasks.rows import DataError, field_text, read_rows

ROWS = [
    {"id": "0", "problem": 'größer \U0001d53d, "quoted"', "answer": "7"},
    {"id": "1", "problem": "two", "answer": "70"},
]


def lines_of(rows, end="\n"):
    return end.join(json.dumps(row, ensure_ascii=False) for row in rows).encode()


def csv_of(rows, delimiter=",", end="\r\n"):
    def cell(value):
        return '"' + value.replace('"', '""') + '"'

    lines = [
        delimiter.join(rows[0]),
        *(delimiter.join(cell(value) for value in row.values()) for row in rows),
    ]
    return end.join(lines).encode()


FILES = [
    pytest.param("a.jsonl", lines_of(ROWS), id="JSON lines"),
    pytest.param("a.jsonl", lines_of(ROWS) + b"\n", id="ended by a newline"),
    pytest.param("a.jsonl", lines_of(ROWS, "\r\n") + b"\r\n", id="CRLF"),
    pytest.param("a.jsonl", b"\xef\xbb\xbf" + lines_of(ROWS), id="byte order mark"),
    pytest.param("a.jsonl", b"\n" + lines_of(ROWS, "\n\n \n") + b"\n\n", id="blank lines"),
    pytest.param(
        "a.jsonl",
        json.dumps(ROWS[0]).encode() + b"\n" + json.dumps(ROWS[1]).encode(),
        id="escaped, pairs too",
    ),
    pytest.param("A.JSONL", lines_of(ROWS), id="capitals"),
    pytest.param("test.txt", lines_of(ROWS), id="text, as in the wheel"),
    pytest.param("a.json", json.dumps(ROWS).encode(), id="JSON"),
    pytest.param("a.json", b"\xef\xbb\xbf" + json.dumps(ROWS, indent=2).encode(), id="JSON, marked"),
    pytest.param("a.csv", csv_of(ROWS), id="CSV"),
    pytest.param("a.csv", b"\xef\xbb\xbf" + csv_of(ROWS, end="\n") + b"\n", id="CSV, marked"),
    pytest.param("a.tsv", csv_of(ROWS, "\t"), id="TSV"),
]


@pytest.mark.parametrize(("name", "content"), FILES)
def test_rows_come_out_alike(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    rows = read_rows(path)
    assert len(rows) == 2
    assert list(rows) == ROWS
    assert list(rows) == ROWS, "as often as asked"
    assert list(read_rows(tmp_path)) == ROWS, "the directory too"


def test_parquet(tmp_path):
    pq.write_table(pa.Table.from_pylist(ROWS), tmp_path / "a.parquet")
    rows = read_rows(tmp_path / "a.parquet")
    assert (len(rows), list(rows), list(rows)) == (2, ROWS, ROWS)


def test_files_of_a_directory_are_joined_in_order_of_name(tmp_path):
    for name, row in (("b.jsonl", ROWS[1]), ("a.jsonl", ROWS[0])):
        (tmp_path / name).write_bytes(lines_of([row]))
    (tmp_path / "README.md").write_text("not data")
    assert list(read_rows(tmp_path)) == ROWS


BAD = [
    pytest.param(
        "a.jsonl", lines_of(ROWS) + b'\n{"id": "2", "prob', "line 3 is not JSON", id="cut in a line"
    ),
    pytest.param("a.jsonl", b"{}\nnot json\n", "line 2 is not JSON", id="a line that is text"),
    pytest.param("a.jsonl", b"{}\n[1]\n", "line 2 is a list, not an object", id="a line that is a list"),
    pytest.param("a.jsonl", b'{"a": 1}\n\n"x"\n', "line 3 is a str", id="blank lines are counted"),
    pytest.param("a.jsonl", b'{"a": "\\ud800 half"}\n', "line 1 holds half a character", id="half a pair"),
    pytest.param(
        "a.jsonl", b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply", id="nested deeply"
    ),
    pytest.param("a.jsonl", b'{"a": "\xff"}\n', "cannot be read as .jsonl", id="not UTF-8"),
    pytest.param("a.jsonl", '{"a": 1}'.encode("utf-16"), "cannot be read as .jsonl", id="UTF-16"),
    pytest.param("a.jsonl", b"", "holds no rows", id="empty"),
    pytest.param("a.jsonl", b"\n \n", "holds no rows", id="blank"),
    pytest.param("a.json", b"[]", "holds no rows", id="an empty list"),
    pytest.param("a.json", b'{"data": []}', "the top level is a dict", id="an object"),
    pytest.param("a.json", b'[{"a": 1}, 5]', "element 2 is a int", id="an element that is a number"),
    pytest.param("a.json", b'[{"a": 1},', "the file is not JSON", id="JSON cut"),
    pytest.param("a.csv", b"id,problem\n", "holds no rows", id="a CSV header alone"),
    pytest.param("a.parquet", b"PAR1 and nothing", "cannot be read as .parquet", id="no parquet"),
    pytest.param("a.xlsx", b"PK", "unknown format; use one of .jsonl", id="unknown format"),
    pytest.param("a", b"{}", "unknown format", id="no suffix"),
]


@pytest.mark.parametrize(("name", "content", "words"), BAD)
def test_what_cannot_be_read_is_named_with_path_and_place(tmp_path, name, content, words):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DataError, match=words) as caught:
        list(read_rows(path))
    assert repr(str(path)) in str(caught.value)


@pytest.mark.parametrize("kind", ["nothing", "empty directory", "other files"])
def test_a_path_without_data(tmp_path, kind):
    path = tmp_path / "there"
    if kind != "nothing":
        path.mkdir()
    if kind == "other files":
        (path / "README.md").write_text("x")
    with pytest.raises(DataError, match="does not exist" if kind == "nothing" else "no .jsonl"):
        read_rows(path)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"answer": " 7 "}, "7"),
        ({"answer": 7}, "7"),
        ({"answer": 0}, "0"),
        ({"expected_answer": "8"}, "8"),
        ({"answer": None, "expected_answer": "8"}, "8"),
        ({"answer": "  ", "expected_answer": "8"}, "8"),
    ],
)
def test_the_first_field_with_text_counts(row, expected):
    assert field_text(row, ("answer", "expected_answer"), 0) == expected


@pytest.mark.parametrize("row", [{}, {"answer": ""}, {"answer": None}, {"Answer": "7"}, {None: ["x"]}])
def test_a_row_without_the_field_names_what_it_has(row):
    with pytest.raises(
        DataError, match=r"dataset row 4: no text in field 'answer' or 'expected_answer'; it has"
    ):
        field_text(row, ("answer", "expected_answer"), 4)
