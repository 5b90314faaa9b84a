"""A record comes back as it was written, and one that is not whole is named."""

import math

import numpy as np
import pytest
import zstandard

from reports.divergence.records import CHUNK_TOKENS, RecordError
from reports.divergence.side import read_side, record_path


def test_a_record_of_several_chunks_comes_back(sides, record):
    n = CHUNK_TOKENS + 5
    logprobs = [math.nan, *(-0.001 * k for k in range(1, n))]
    record(sides[0], "a", logprobs, n_prompt=3, task="aime25", epoch=2, category="algebra")
    reader = sides[0].reader("a")
    chunks = list(reader.chunks())
    assert [(chunk.start, len(chunk)) for chunk in chunks] == [(0, CHUNK_TOKENS), (CHUNK_TOKENS, 5)]
    back = np.concatenate([chunk.logprobs for chunk in chunks])
    assert np.isnan(back[0]) and back[1:].tolist() == logprobs[1:]
    assert chunks[1].texts == [f" w{k}" for k in range(CHUNK_TOKENS, n)]
    facts = reader.facts
    assert (facts.n_prompt, facts.category, facts.name) == (3, "algebra", "aime25 a, epoch 2")
    assert sides[0].keys() == ["a"] and sides[1].keys() == []


def repack(path, change):
    lines = zstandard.ZstdDecompressor().stream_reader(path.read_bytes()).read().splitlines()
    path.write_bytes(zstandard.ZstdCompressor().compress(b"\n".join(change(lines)) + b"\n"))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        pytest.param(lambda lines: lines[:-1], "ends without its last line", id="cut"),
        pytest.param(lambda lines: [lines[0], lines[-1]], "holds 0 tokens of 4", id="a chunk is gone"),
        pytest.param(
            lambda lines: [lines[0].replace(b'"schema":1', b'"schema":9'), *lines[1:]],
            "no record of version 1",
            id="other version",
        ),
        pytest.param(
            lambda lines: [lines[0].replace(b"n_prompt", b"x"), *lines[1:]], "lacks 'n_prompt'", id="header"
        ),
        pytest.param(
            lambda lines: [lines[0], lines[1].replace(b"[1,1,1,1]", b"[1]"), lines[2]],
            "columns differ in length",
            id="columns",
        ),
        pytest.param(lambda lines: [lines[0], b"{", lines[2]], "is no JSON|unexpected|EOF", id="no JSON"),
    ],
)
def test_a_damaged_record_is_named(sides, record, change, words):
    record(sides[0], "a", [math.nan, -1.0, -2.0, -0.5])
    path = record_path(sides[0].directory, "a")
    repack(path, change)
    with pytest.raises(RecordError, match=words) as error:
        list(sides[0].reader("a").chunks())
    assert str(path) in str(error.value) and "run again" in str(error.value)


@pytest.mark.parametrize(
    ("manifest", "words"),
    [
        pytest.param(None, "holds no recorded side", id="none"),
        pytest.param("{", "is no JSON", id="no JSON"),
        pytest.param('{"schema": 7}', "not of version 1", id="other version"),
    ],
)
def test_a_directory_that_is_no_side_is_named(tmp_path, manifest, words):
    if manifest is not None:
        (tmp_path / "side.json").write_text(manifest)
    with pytest.raises(RecordError, match=words):
        read_side(tmp_path)
