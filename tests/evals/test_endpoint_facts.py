"""Facts out of the pages that engines serve, with the values real servers gave."""

import pytest

from evals.endpoint_facts import Pages, read_facts

VLLM = {"id": "m", "object": "model", "owned_by": "vllm", "root": "/weights/m", "max_model_len": 2048}
VLLM_METRICS = """# HELP vllm:cache_config_info Information of the LLMEngine CacheConfig
vllm:cache_config_info{block_size="128",cache_dtype="fp8_e4m3",engine="0"} 1.0
"""
SGLANG = {"id": "m", "owned_by": "sglang", "root": "m", "max_model_len": 262_144}
SGLANG_INFO = {"tp_size": 8, "quantization": "modelopt_fp4", "kv_cache_dtype": "fp8_e4m3", "version": "0.5.9"}
LLAMA = {"id": "m", "owned_by": "llamacpp", "meta": {"n_ctx": 1024, "ftype": "Q4_1"}}
LLAMA_PROPS = {
    "default_generation_settings": {
        "params": {"top_k": 40, "min_p": 0.05000000074505806, "repeat_penalty": 1.0},
        "n_ctx": 1024,
    },
    "total_slots": 4,
    "model_ftype": "Q4_1",
    "model_path": "/weights/m.gguf",
    "modalities": {"vision": False},
    "build_info": "b6700",
}


def pages(*entries, **more):
    return Pages(models={"object": "list", "data": list(entries)}, **more)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        pytest.param(
            pages(VLLM, version={"version": "0.32.0"}, metrics=VLLM_METRICS),
            {"engine": "vllm", "version": "0.32.0", "context_tokens": 2048, "kv_cache_dtype": "fp8_e4m3"},
            id="vllm",
        ),
        pytest.param(
            pages(SGLANG, server_info=SGLANG_INFO, model_info={"model_path": "/m"}),
            {"engine": "sglang", "version": "0.5.9", "quantization": "modelopt_fp4"},
            id="sglang",
        ),
        pytest.param(
            pages({"id": "m"}, server_info={**SGLANG_INFO, "context_length": 131_072}),
            {"engine": "sglang", "context_tokens": 131_072},
            id="sglang behind a proxy that lists models itself",
        ),
        pytest.param(
            pages(LLAMA, props=LLAMA_PROPS),
            {
                "engine": "llama.cpp",
                "version": "b6700",
                "context_tokens": 1024,
                "quantization": "Q4_1",
                "n_slots": 4,
                "has_vision": False,
                "server_sampling": {"top_k": 40.0, "min_p": 0.05},
            },
            id="llama.cpp",
        ),
        pytest.param(
            pages(LLAMA), {"context_tokens": 1024, "quantization": "Q4_1"}, id="llama.cpp, no props"
        ),
        pytest.param(pages({"id": "m", "context_length": 262_144}), {"context_tokens": 262_144}, id="router"),
        pytest.param(pages({"id": "m", "context_window": 131_072}), {"context_tokens": 131_072}, id="vendor"),
        pytest.param(
            pages({"id": "m", "max_model_len": True}),
            {"context_tokens": None},
            id="a truth value is no length",
        ),
        pytest.param(pages({"id": "m", "max_model_len": "4096"}), {"context_tokens": 4096}, id="as text"),
        pytest.param(pages(), {"models": (), "engine": None, "context_tokens": None}, id="nothing listed"),
        pytest.param(Pages(models={"data": "none"}), {"models": ()}, id="no list at all"),
        pytest.param(pages({"id": "m"}, metrics="vllm:num_requests 0"), {"engine": "vllm"}, id="by metrics"),
    ],
)
def test_facts(found, expected):
    facts = read_facts(found)
    assert {name: getattr(facts, name) for name in expected} == expected


def test_the_facts_are_those_of_the_model_asked_for():
    small, large = {**VLLM, "id": "small"}, {**VLLM, "id": "large", "max_model_len": 131_072}
    assert read_facts(pages(small, large), model="large").context_tokens == 131_072
    assert read_facts(pages(small, large), model="unknown").context_tokens == 2048
    assert read_facts(pages(small, large)).models == ("small", "large")


def test_what_switches_the_servers_samplers_off():
    assert read_facts(pages(LLAMA, props=LLAMA_PROPS)).neutral_sampling == {"top_k": 0, "min_p": 0.0}


@pytest.mark.parametrize(
    ("metrics", "started"),
    [
        pytest.param("# HELP x\nprocess_start_time_seconds 1.76722560125e+09\n", 1767225601.25, id="told"),
        pytest.param("vllm:num_requests 1\n", None, id="not told"),
        pytest.param("process_start_time_seconds 1.2.3\n", None, id="no number"),
    ],
)
def test_when_the_server_was_started(metrics, started):
    assert read_facts(Pages(models={}, metrics=metrics)).server_started == started
