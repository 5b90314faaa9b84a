"""A file of endpoints: what is read, and every fault named with its line."""

import pytest

from evals.fleet.endpoints_file import EndpointsFileError, read_endpoints


def test_urls_in_order_comments_and_blank_lines_left_out(tmp_path):
    path = tmp_path / "fleet.txt"
    path.write_text(
        "\ufeff# rack 1\nhttp://a:8000\n\n  http://b:8000/v1/   # slow\nhttps://c/v1/chat/completions\n"
    )
    assert read_endpoints(path) == ("http://a:8000/v1", "http://b:8000/v1", "https://c/v1")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(b"", "names no endpoint", id="empty"),
        pytest.param(b"# none yet\n\n", "names no endpoint", id="comments alone"),
        pytest.param(b"http://a\nrack-2:8000\n", "line 2: base URL 'rack-2:8000'", id="no URL"),
        pytest.param(b"http://a http://b\n", "line 1: base URL", id="two on a line"),
        pytest.param(b"http://me:secret@a\n", "line 1: base URL of a: holds a user name", id="a password"),
        pytest.param(b"http://a\n\nhttp://a/v1\n", "line 3: http://a/v1 is on line 1 already", id="twice"),
        pytest.param(b"\xff\xfe\x00", "no text in UTF-8", id="binary"),
    ],
)
def test_what_it_cannot_mean(tmp_path, content, words):
    path = tmp_path / "fleet.txt"
    path.write_bytes(content)
    with pytest.raises(EndpointsFileError, match=words) as caught:
        read_endpoints(path)
    assert "secret" not in str(caught.value) and "\n" not in str(caught.value)


def test_no_such_file(tmp_path):
    with pytest.raises(EndpointsFileError, match="cannot be read"):
        read_endpoints(tmp_path / "none.txt")
