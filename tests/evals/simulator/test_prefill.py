"""The pages that score texts, in the shapes of vLLM and SGLang, and the model behind them."""

import numpy as np
import pytest

from evals.simulator.token_model import N_CLASSES, TokenModel, TokenModelError, parse_token_model
from evals.simulator.token_text import TokenText


def test_vllm_s_shape(start):
    client = start(tokens=TokenModel(drift=0.1))
    ids = client.send("POST", "/tokenize", {"prompt": "What is 12 times 7?"}).json()["tokens"]
    body = {"model": "m", "prompt": ids, "max_tokens": 1, "prompt_logprobs": 1}
    said = client.send("POST", "/v1/completions", body).json()["choices"][0]["prompt_logprobs"]
    assert said[0] is None and len(said) == len(ids)
    for token_id, entry in zip(ids[1:], said[1:], strict=True):
        own = entry[str(token_id)]
        assert own["logprob"] < 0 and own["rank"] >= 1
        assert [one["rank"] for one in entry.values()].count(1) == 1
    assert "".join(
        entry[str(one)]["decoded_token"] for one, entry in zip(ids[1:], said[1:], strict=True)
    ) == (" is 12 times 7?")


def test_sglang_s_shape_says_the_same(start):
    ids = [5, 21, 300, 44]
    vllm, sglang = start(tokens=TokenModel()), start(tokens=TokenModel(engine="sglang"))
    body = {"input_ids": ids, "return_logprob": True, "logprob_start_len": 0, "top_logprobs_num": 5}
    meta = sglang.send("POST", "/generate", body).json()["meta_info"]
    said = vllm.send("POST", "/v1/completions", {"prompt": ids, "prompt_logprobs": 1}).json()["choices"][0]
    theirs = [
        entry and entry[str(one)]["logprob"] for one, entry in zip(ids, said["prompt_logprobs"], strict=True)
    ]
    assert [entry[0] for entry in meta["input_token_logprobs"]] == theirs
    assert [entry[1] for entry in meta["input_token_logprobs"]] == ids
    assert meta["input_top_logprobs"][0] is None


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        pytest.param("/v1/completions", {"prompt": "text", "prompt_logprobs": 1}, 400, id="text"),
        pytest.param("/v1/completions", {"prompt": [1] * 200, "prompt_logprobs": 1}, 400, id="too long"),
        pytest.param("/tokenize", {"messages": []}, 400, id="no messages"),
        pytest.param("/detokenize", {"tokens": 5}, 400, id="a number"),
        pytest.param("/generate", {"input_ids": [1, 2]}, 404, id="another engine's page"),
    ],
)
def test_what_an_engine_refuses(start, path, body, status):
    assert (
        start(tokens=TokenModel(engine="vllm"), max_model_len=100).send("POST", path, body).status == status
    )


def test_an_endpoint_without_prompt_log_probabilities_ignores_the_field(start):
    client = start(tokens=TokenModel(prompt_logprobs=False))
    body = {"prompt": [1, 2, 3], "prompt_logprobs": 1}
    assert client.send("POST", "/v1/completions", body).json()["choices"][0]["prompt_logprobs"] is None


def test_the_key_and_faults_hold_here_too(start):
    client = start("http_503=first:1", api_key="secret")
    assert client.send("POST", "/tokenize", {"prompt": "x"}).status == 401
    assert client.send("POST", "/tokenize", {"prompt": "y"}, key="secret").status == 503
    assert client.send("POST", "/tokenize", {"prompt": "y"}, key="secret").status == 200


@pytest.mark.parametrize("drift", [0.0, 0.5])
def test_the_distribution_is_one(drift):
    model, every = TokenModel(drift=drift, late_drift=0.2), np.arange(N_CLASSES)
    assert np.exp(model.class_log_probs(every, every * 100)).sum(axis=1) == pytest.approx(np.ones(N_CLASSES))


def test_late_drift_begins_late():
    plain, late, classes = TokenModel(), TokenModel(late_drift=0.3), np.array([2, 2, 2])
    moved = np.abs(
        plain.class_log_probs(classes, np.array([10, 128, 1024]))
        - late.class_log_probs(classes, np.array([10, 128, 1024]))
    ).max(axis=1)
    assert moved[0] == 0 < moved[1] < moved[2]


@pytest.mark.parametrize(
    ("tokenizer", "pieces"),
    [
        pytest.param("own", ["<think>", "It", " is", " 123", "456", ".", "</think>"], id="own"),
        pytest.param(
            "digits", ["<think>", "It", " is", " 1", "2", "3", "4", "5", "6", ".", "</think>"], id="digits"
        ),
    ],
)
def test_tokens_are_text_again(tokenizer, pieces):
    text = TokenText(tokenizer)
    ids = text.encode("<think>It is 123456.</think>")
    assert [text.piece(one) for one in ids] == pieces


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        pytest.param(["drift=much"], "takes a number", id="a word"),
        pytest.param(["engine=trt"], "is no setting", id="engine"),
        pytest.param(["temperature=1"], "known: drift, late_drift", id="unknown"),
    ],
)
def test_settings_that_are_none_are_named(settings, words):
    with pytest.raises(TokenModelError, match=words):
        parse_token_model(settings)


def test_settings_are_read():
    assert parse_token_model(["drift=0.1", "engine=sglang", "prompt_logprobs=no"]) == TokenModel(
        drift=0.1, engine="sglang", prompt_logprobs=False
    )
