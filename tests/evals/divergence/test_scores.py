"""Replies of vLLM and SGLang, read in blocks of any size: every token once, and what is missing is named."""

import json
import math
import tracemalloc

import pytest

from evals.divergence.columns import Columns
from evals.divergence.sglang_scores import SglangSink, sglang_body
from evals.divergence.vllm_scores import VllmSink, vllm_body
from evals.transport.failure import Failure
from reports.divergence.records import CHUNK_TOKENS, RecordReader, RecordWriter, TextFacts


def entry(logprob, rank, text):
    return {"logprob": logprob, "rank": rank, "decoded_token": text}


VLLM = {
    "id": "cmpl-1",
    "choices": [
        {
            "index": 0,
            "text": "x",
            "prompt_logprobs": [
                None,
                {"12": entry(-0.5, 1, " b")},
                {"13": entry(-2.25, 3, "é"), "99": entry(-0.1, 1, "z")},
            ],
        }
    ],
    "usage": {"prompt_tokens": 3},
}
SGLANG = {
    "text": "x",
    "meta_info": {
        "prompt_tokens": 3,
        "input_token_logprobs": [[None, 11, None], [-0.5, 12, None], [-2.25, 13, None]],
        "input_top_logprobs": [
            None,
            [[-0.5, 12, None], [-1.5, 5, None]],
            [[-0.1, 99, None], [-0.9, 98, None]],
        ],
    },
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.jsonl.zst"


@pytest.fixture
def vllm(path):
    """Return a function that makes a sink for token ids."""
    return lambda ids: VllmSink(
        Columns(RecordWriter(path, TextFacts(key="a", sample_id="1"))), ids, first_piece="<s>"
    )


def feed(sink, reply, block):
    raw = reply if isinstance(reply, bytes) else json.dumps(reply, ensure_ascii=False).encode()
    for start in range(0, len(raw), block):
        sink.feed(raw[start : start + block])
    sink.finish()


@pytest.mark.parametrize("block", [1, 7, 10_000], ids=lambda block: f"blocks of {block}")
def test_vllm_s_reply_becomes_a_record(vllm, path, block):
    feed(vllm([11, 12, 13]), VLLM, block)
    (chunk,) = RecordReader(path).chunks()
    assert chunk.ids.tolist() == [11, 12, 13] and chunk.texts == ["<s>", " b", "é"]
    assert math.isnan(chunk.logprobs[0]) and chunk.logprobs[1:].tolist() == [-0.5, -2.25]
    assert (chunk.ranks.tolist(), chunk.tops.tolist()) == ([0, 1, 3], [-1, 12, 99])


@pytest.mark.parametrize(
    ("reply", "ids", "words"),
    [
        pytest.param(VLLM, [11, 12, 13, 14], "3 of 4 tokens", id="too few"),
        pytest.param(VLLM, [11, 12], "more than the 2 tokens", id="too many"),
        pytest.param(VLLM, [11, 77, 13], "speaks of token 12 where 77 was sent", id="another prompt"),
        pytest.param({"choices": [{"prompt_logprobs": None}]}, [11, 12], "0 of 2 tokens", id="null"),
        pytest.param(b"<html>", [11, 12], "no JSON", id="a page"),
    ],
)
def test_a_reply_that_is_no_use_is_named_and_leaves_no_record(vllm, path, reply, ids, words):
    sink = vllm(ids)
    with pytest.raises(Failure, match=words) as failure:
        feed(sink, reply, 9)
    sink.abandon()
    assert not failure.value.is_retryable and list(path.parent.iterdir()) == []


def test_a_reply_cut_behind_its_last_token_is_asked_again(vllm):
    raw, sink = json.dumps(VLLM).encode(), vllm([11, 12, 13])
    with pytest.raises(Failure, match="cut") as failure:
        feed(sink, raw[: raw.index(b"usage")], 50)
    sink.abandon()
    assert failure.value.is_retryable


@pytest.mark.parametrize("block", [1, 10_000], ids=lambda block: f"blocks of {block}")
def test_sglang_s_reply_gives_ranks_as_far_as_it_lists_them(block):
    sink = SglangSink([11, 12, 13], top_k=2)
    feed(sink, SGLANG, block)
    assert math.isnan(sink.logprobs[0]) and list(sink.logprobs[1:]) == [-0.5, -2.25]
    assert list(sink.ranks) == [0, 1, 3] and list(sink.tops) == [-1, 12, 99]  # 3: not among the two listed


@pytest.mark.parametrize(
    ("change", "words"),
    [
        pytest.param({"input_top_logprobs": []}, "0 of 3 tokens", id="none listed"),
        pytest.param({"input_token_logprobs": [[None, 5, None]]}, "token 5 at place 0", id="another prompt"),
        pytest.param({"input_token_logprobs": None}, "0 of 3 tokens", id="null"),
    ],
)
def test_an_sglang_reply_that_is_no_use_is_named(change, words):
    reply = {"meta_info": SGLANG["meta_info"] | change}
    with pytest.raises(Failure, match=words):
        feed(SglangSink([11, 12, 13], top_k=2), reply, 16)


def test_requests_ask_for_one_output_token():
    assert vllm_body("m", [1, 2])["max_tokens"] == 1 and vllm_body("m", [1, 2])["prompt_logprobs"] == 1
    assert sglang_body([1, 2], 10)["sampling_params"]["max_new_tokens"] == 1


def test_memory_does_not_grow_with_the_text(vllm, path):
    """A reply of five times the tokens is read in the same memory: one block and one chunk."""

    def peak(n_chunks):
        ids = [5] * (n_chunks * CHUNK_TOKENS)
        sink = vllm(ids)
        block = b",".join([json.dumps({"5": entry(-0.5, 1, " word")}).encode()] * 64)
        tracemalloc.start()
        sink.feed(b'{"choices": [{"prompt_logprobs": [')
        for place in range(len(ids) // 64):
            sink.feed(block if place == 0 else b"," + block)
        sink.feed(b"]}]}")
        sink.finish()
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    small, large = peak(1), peak(5)
    assert large < 1.3 * small
    assert sum(len(chunk) for chunk in RecordReader(path).chunks()) == 5 * CHUNK_TOKENS
