"""Replicas before a run: which can be used, what they must agree on, what is only worth a warning."""

import contextlib
import socket

import pytest

from evals.endpoint import EndpointError
from evals.fleet.surveyed_fleet import survey_fleet
from tests.evals.fleet.test_survey import LLAMA_MODEL, SGLANG_INFO, VLLM_MODEL, models, pages

VLLM = {"/v1/models": models(VLLM_MODEL), "/version": {"version": "0.32.0"}}


@pytest.fixture(autouse=True)
def _no_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.fixture
def dead_url():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}/v1"


def fleet_of(*told, model=None, more=()):
    with contextlib.ExitStack() as running:
        urls = [running.enter_context(pages(one))[0] for one in told]
        return survey_fleet([*urls, *more], api_key_env="OPENAI_API_KEY", headers={}, model=model)


def vllm(version="0.32.0", **changes):
    return {"/v1/models": models(VLLM_MODEL | changes), "/version": {"version": version}}


def test_equal_replicas():
    fleet = fleet_of(VLLM, VLLM, VLLM)
    assert len(fleet.live) == 3 and fleet.warnings == ()
    assert fleet.facts.context_tokens == 2048
    assert [entry["base_url"] for entry in fleet.told()] == list(fleet.live)


def test_one_server_is_no_fleet():
    assert fleet_of(VLLM).told() == []


def test_what_one_does_not_tell_another_does():
    fleet = fleet_of({"/v1/models": models({"id": "smollm2"})}, VLLM)
    assert (fleet.facts.engine, fleet.facts.context_tokens) == ("vllm", 2048)


def test_the_latest_start_counts():
    def told(started):
        return VLLM | {"/metrics": f"vllm:x 1\nprocess_start_time_seconds {started}\n".encode()}

    assert fleet_of(told(100.0), told(300.0), told(200.0)).facts.server_started == 300.0


SGLANG = {
    "/v1/models": models({"id": "smollm2", "owned_by": "sglang", "max_model_len": 2048}),
    "/get_server_info": SGLANG_INFO,
}


@pytest.mark.parametrize(
    ("one", "other", "model", "words"),
    [
        pytest.param(
            VLLM, vllm(id="other"), None, r"served model differs: smollm2 \(http", id="served model"
        ),
        pytest.param(
            VLLM,
            vllm(id="other"),
            "smollm2",
            "smollm2 is not served everywhere: http.* serves other",
            id="asked model",
        ),
        pytest.param(
            VLLM, vllm(max_model_len=4096), None, "context length differs: 2048", id="context length"
        ),
        pytest.param(VLLM, SGLANG, None, "engine differs: vllm .*, sglang", id="engine"),
        pytest.param(
            SGLANG,
            SGLANG | {"/get_server_info": SGLANG_INFO | {"quantization": "w4a16"}},
            None,
            "quantization differs: modelopt_fp4 .*, w4a16",
            id="quantization",
        ),
        pytest.param(
            SGLANG,
            SGLANG | {"/get_server_info": SGLANG_INFO | {"kv_cache_dtype": "auto"}},
            None,
            "KV cache type differs",
            id="KV cache",
        ),
        pytest.param(
            {
                "/v1/models": models(LLAMA_MODEL),
                "/props": {"default_generation_settings": {"params": {"top_k": 40}}},
            },
            {
                "/v1/models": models(LLAMA_MODEL),
                "/props": {"default_generation_settings": {"params": {"top_k": 0}}},
            },
            None,
            "the server's own sampling differs",
            id="own sampling",
        ),
    ],
)
def test_what_replicas_must_agree_on(one, other, model, words):
    with pytest.raises(EndpointError, match=words) as caught:
        fleet_of(one, other, model=model)
    assert "--label of its own" in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        pytest.param(vllm("0.33.0"), "engine version differs: 0.32.0 (", id="version"),
        pytest.param(vllm(root="/mnt/smollm2"), "path of the weights differs", id="path"),
    ],
)
def test_what_may_differ_is_a_warning(other, words):
    fleet = fleet_of(VLLM, other)
    assert len(fleet.live) == 2
    assert len(fleet.warnings) == 1 and words in fleet.warnings[0]


def test_many_replicas_are_named_by_what_they_say():
    with pytest.raises(EndpointError, match=r"2048 \(http\S+, http\S+ and 1 more\), 4096 \(http\S+\)"):
        fleet_of(VLLM, VLLM, VLLM, vllm(max_model_len=4096))


def test_a_name_that_no_replica_lists_is_left_to_the_servers():
    assert len(fleet_of(VLLM, VLLM, model="alias").live) == 2


def test_a_dead_entry_is_named_and_left_out(dead_url):
    fleet = fleet_of(VLLM, VLLM, more=[dead_url])
    assert len(fleet.live) == 2 and dead_url not in fleet.live
    (warning,) = fleet.warnings
    assert warning.startswith(f"endpoint {dead_url} is left out, 2 of 3 are used: cannot be reached (")
    assert "cannot be reached" in fleet.told()[2]["problem"]


def test_none_alive_stops_it_and_names_each(dead_url):
    with pytest.raises(EndpointError, match=r"none of 2 can be used: .*HTTP 500.*; .*cannot be reached"):
        fleet_of({"/v1/models": (500, b"boom")}, more=[dead_url])


def test_a_single_dead_endpoint_is_told_as_ever(dead_url):
    with pytest.raises(EndpointError, match=f"^endpoint {dead_url}: cannot be reached"):
        fleet_of(more=[dead_url])
