"""Which engine an endpoint runs, and whether it can give the log-probabilities of a prompt's tokens."""

from enum import StrEnum

from evals.endpoint import EndpointError
from evals.endpoint_facts import EndpointFacts


class Engine(StrEnum):
    """An engine whose pages we know."""

    VLLM = "vllm"
    SGLANG = "sglang"
    LLAMACPP = "llama.cpp"


# What the simulator plays where it is not told to play another.
_PLAYED = {"quantcheck-simulator": Engine.VLLM}
_CANNOT = {
    # ggml-org/llama.cpp#27174, and #15189 which would add it
    Engine.LLAMACPP: "llama.cpp's server gives log-probabilities of generated tokens only, not of a prompt's;"
    " serve the checkpoint with vLLM or SGLang, or compare the tokens alone with --tokens-only",
}


def engine_of(facts: EndpointFacts, base_url: str, *, asked: str | None, tokens_only: bool) -> Engine:
    """Return the engine; raise :class:`EndpointError` for one that cannot do what is asked.

    ``asked`` is what the user says it is: behind a gateway an engine does not tell.
    """
    name = asked or facts.engine
    engine = _PLAYED.get(str(name)) or (Engine(name) if name in list(Engine) else None)
    if engine is None:
        told = f"is {name}" if name else "does not tell its engine"
        raise EndpointError(
            f"endpoint {base_url}: {told}; log-probabilities of prompts are known of vLLM and SGLang only:"
            " name the engine with --engine, and give the URL of the engine itself, not of a gateway"
        )
    if engine in _CANNOT and not tokens_only:
        raise EndpointError(f"endpoint {base_url}: {_CANNOT[engine]}")
    return engine
