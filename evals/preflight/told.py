"""Probes that need no answer: what the endpoint says of itself, and whether the run's budget fits it."""

from evals.budget import LIVABLE_TOKENS, context_advice
from evals.endpoint_facts import EndpointFacts
from evals.preflight.finding import Finding, fail, ok, skip, warn
from evals.preflight.plan import CheckPlan


def told_findings(plan: CheckPlan) -> list[Finding]:
    """Return the findings that :class:`EndpointFacts` alone decide."""
    facts = plan.facts
    return [
        _served_names(plan.endpoint.model, facts),
        _engine(facts),
        _quantization(facts),
        _context(facts),
        _budget(plan),
    ]


def _served_names(model: str, facts: EndpointFacts) -> Finding:
    name = "served_names"
    if not facts.models:
        return warn(name, "no list of models", f"make sure that {model} is the name it serves")
    listed = ", ".join(facts.models[:5]) + (f" and {len(facts.models) - 5} more" if facts.models[5:] else "")
    if model not in facts.models:
        return warn(name, f"lists {listed}, not {model}", f"--model {facts.models[0]}")
    path = f", from {facts.served_path}" if facts.served_path and facts.served_path != model else ""
    return ok(name, f"{listed}{path}")


def _engine(facts: EndpointFacts) -> Finding:
    name = "engine"
    if facts.engine is None:
        version = f", version {facts.version}" if facts.version else ""
        return warn(
            name,
            f"does not say what it is{version}",
            "note engine and version beside the results: behind a proxy ask the engine itself",
        )
    if facts.version is None:
        return ok(name, f"{facts.engine}, version not told")
    return ok(name, f"{facts.engine} {facts.version}")


def _quantization(facts: EndpointFacts) -> Finding:
    name = "quantization"
    told = [
        f"weights {facts.quantization}" if facts.quantization else "weights not told",
        f"KV cache {_cache(facts.kv_cache_dtype)}" if facts.kv_cache_dtype else "KV cache not told",
    ]
    if facts.quantization is None and facts.kv_cache_dtype is None:
        return skip(name, ", ".join(told), "name the checkpoint with --label (int4, nvfp4 ...)")
    cache = (facts.kv_cache_dtype or "").lower()
    if cache.startswith(("fp8", "float8", "int8", "fp4", "nvfp4", "q8", "q4")):
        advice = "a quantized KV cache costs accuracy too, the more the longer the output: same on both sides"
        return warn(name, ", ".join(told), advice)
    return ok(name, ", ".join(told))


def _cache(dtype: str) -> str:
    return "auto (the checkpoint's own type)" if dtype == "auto" else dtype


def _context(facts: EndpointFacts) -> Finding:
    name, context = "context", facts.context_tokens
    if context is None:
        return warn(name, "not told", "whether a budget fits cannot be checked before a run")
    slots = f" in each of {facts.n_slots} slots" if facts.engine == "llama.cpp" and facts.n_slots else ""
    evidence = f"{context:,} tokens a request{slots}"
    if context < 2 * LIVABLE_TOKENS:
        return warn(
            name,
            f"{evidence}: short for a thinking answer",
            context_advice(facts, 131_072 + LIVABLE_TOKENS),
        )
    return ok(name, evidence)


def _budget(plan: CheckPlan) -> Finding:
    name, run, context = "budget", plan.run, plan.facts.context_tokens
    if run is None:
        return skip(name, "no task to fit", "--task aime25 checks its budget and estimates the run")
    if run.refusal is not None:
        evidence, _, advice = run.refusal.partition("; ")
        return fail(name, evidence.removeprefix("budget: "), advice)
    prompt = f" and a prompt of up to {run.prompt_tokens:,}" if run.prompt_tokens else ""
    evidence = f"{run.task}: {run.max_tokens:,} output tokens{prompt}"
    if run.warning is not None:
        return warn(name, f"{evidence}: {run.warning}", "a larger --max-tokens, or --no-thinking")
    if context is None:
        return skip(name, f"{evidence}; context not told")
    return ok(name, f"{evidence} fit {context:,}")
