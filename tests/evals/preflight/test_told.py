"""Probes that the endpoint's own facts decide."""

import pytest

from evals.endpoint_facts import EndpointFacts
from evals.preflight.plan import PlannedRun
from evals.preflight.told import told_findings


def facts(**told):
    return EndpointFacts(**{"models": ("m",), "engine": "vllm", "version": "0.32.0", **told})


def run(**more):
    settings = {"task": "aime25", "n_requests": 960, "max_tokens": 131_072, "mean_tokens": 30_000}
    return PlannedRun(**{**settings, "max_connections": 64, "prompt_tokens": 900, **more})


@pytest.mark.parametrize(
    ("told", "planned", "name", "status", "words"),
    [
        pytest.param({}, None, "served_names", "ok", "m", id="the model is served"),
        pytest.param({"models": ()}, None, "served_names", "warn", "no list", id="no list of models"),
        pytest.param({"models": ("a", "b")}, None, "served_names", "warn", "lists a, b, not m", id="another"),
        pytest.param({}, None, "engine", "ok", "vllm 0.32.0", id="engine and version"),
        pytest.param({"engine": None}, None, "engine", "warn", "does not say", id="engine unknown"),
        pytest.param({"version": None}, None, "engine", "ok", "not told", id="version unknown"),
        pytest.param({}, None, "quantization", "skip", "not told", id="nothing told"),
        pytest.param({"quantization": "modelopt_fp4"}, None, "quantization", "ok", "modelopt_fp4", id="told"),
        pytest.param(
            {"kv_cache_dtype": "fp8_e4m3"}, None, "quantization", "warn", "fp8_e4m3", id="fp8 cache"
        ),
        pytest.param({"kv_cache_dtype": "auto"}, None, "quantization", "ok", "auto", id="cache by default"),
        pytest.param({}, None, "context", "warn", "not told", id="context unknown"),
        pytest.param({"context_tokens": 2048}, None, "context", "warn", "2,048", id="short context"),
        pytest.param({"context_tokens": 262_144}, None, "context", "ok", "262,144", id="long context"),
        pytest.param({}, None, "budget", "skip", "no task", id="no task"),
        pytest.param({"context_tokens": 262_144}, run(), "budget", "ok", "131,072", id="budget fits"),
        pytest.param({}, run(), "budget", "skip", "context not told", id="budget unchecked"),
        pytest.param(
            {"context_tokens": 2048},
            run(refusal="budget: 131,072 do not fit; --max-tokens 1100 or less fits"),
            "budget",
            "fail",
            "do not fit",
            id="budget does not fit",
        ),
        pytest.param(
            {"context_tokens": 262_144},
            run(max_tokens=4096, warning="4,096 tokens include the reasoning"),
            "budget",
            "warn",
            "include the reasoning",
            id="budget small",
        ),
    ],
)
def test_told(make_plan, told, planned, name, status, words):
    findings = {
        finding.name: finding for finding in told_findings(make_plan(facts=facts(**told), run=planned))
    }
    assert findings[name].status == status
    assert words in findings[name].evidence


@pytest.mark.parametrize(
    ("engine", "flag"),
    [("vllm", "--max-model-len"), ("sglang", "--context-length"), ("llama.cpp", "--ctx-size")],
)
def test_each_engine_is_told_its_own_flag(make_plan, engine, flag):
    short = facts(engine=engine, context_tokens=1024, n_slots=4)
    context = next(f for f in told_findings(make_plan(facts=short)) if f.name == "context")
    assert flag in context.advice
