"""What an endpoint says of itself, read from the pages that vLLM, SGLang, llama.cpp and vendors serve."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

# `owned_by` of a model's entry, in lower case, and the engine it stands for.
_OWNERS = {
    "vllm": "vllm",
    "sglang": "sglang",
    "llamacpp": "llama.cpp",
    "tensorrt_llm": "tensorrt-llm",
    "quantcheck-simulator": "quantcheck-simulator",
}
# Where a model's entry tells its context: vLLM and SGLang; OpenRouter, Moonshot and Together; Mistral; Groq.
_CONTEXT_FIELDS = ("max_model_len", "context_length", "max_context_length", "context_window")
_SERVER_START = re.compile(r"^process_start_time_seconds ([0-9.e+]+)$", re.MULTILINE)
_CACHE_DTYPE = re.compile(r'^vllm:cache_config_info\{[^}]*\bcache_dtype="([^"]*)"', re.MULTILINE)
# llama.cpp applies these unless a request says otherwise; each value here switches its sampler off.
_NEUTRAL_SAMPLING = {"top_k": 0, "min_p": 0.0, "repeat_penalty": 1.0, "typical_p": 1.0}


@dataclass(frozen=True, kw_only=True)
class EndpointFacts:
    """What an endpoint says of itself; ``None`` where it does not say.

    ``context_tokens`` is the longest prompt plus output of one request. ``server_sampling`` holds samplers
    that the server applies though no request asks for them, with the values that switch them off in
    ``neutral_sampling``. ``server_started`` is when the server's process was started (Unix time).
    """

    models: tuple[str, ...]
    engine: str | None = None
    version: str | None = None
    context_tokens: int | None = None
    quantization: str | None = None
    kv_cache_dtype: str | None = None
    served_path: str | None = None
    n_slots: int | None = None
    has_vision: bool | None = None
    server_sampling: Mapping[str, float] = field(default_factory=dict)
    server_started: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values for the manifest."""
        return asdict(self)

    @property
    def neutral_sampling(self) -> dict[str, float]:
        """Return the request fields that switch the server's own samplers off."""
        return {name: _NEUTRAL_SAMPLING[name] for name in self.server_sampling}


@dataclass(frozen=True, kw_only=True)
class Pages:
    """The answers of an endpoint's pages, empty where it has no such page; ``metrics`` is Prometheus text."""

    models: Mapping[str, Any]
    version: Mapping[str, Any] = field(default_factory=dict)
    server_info: Mapping[str, Any] = field(default_factory=dict)
    model_info: Mapping[str, Any] = field(default_factory=dict)
    props: Mapping[str, Any] = field(default_factory=dict)
    metrics: str = ""


def read_facts(pages: Pages, *, model: str | None = None) -> EndpointFacts:
    """Return the facts in the answers; those of one model are of ``model``, else of the first one listed."""
    listed = pages.models.get("data")
    entries = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    chosen: Mapping[str, Any] = next((entry for entry in entries if entry.get("id") == model), {}) or (
        entries[0] if entries else {}
    )
    props, server = pages.props, pages.server_info
    return EndpointFacts(
        models=tuple(str(entry["id"]) for entry in entries if "id" in entry),
        engine=_engine(chosen, pages),
        version=_text(pages.version.get("version") or server.get("version") or props.get("build_info")),
        context_tokens=_context(chosen, pages),
        quantization=_text(
            server.get("quantization")
            or pages.model_info.get("quantization")
            or props.get("model_ftype")
            or _mapping(chosen.get("meta")).get("ftype")
        ),
        kv_cache_dtype=_text(server.get("kv_cache_dtype") or _cache_dtype(pages.metrics)),
        served_path=_text(
            chosen.get("root") or pages.model_info.get("model_path") or props.get("model_path")
        ),
        n_slots=_count(props.get("total_slots")),
        has_vision=_vision(chosen, props),
        server_sampling=_server_sampling(props),
        server_started=_server_started(pages.metrics),
    )


def _engine(model: Mapping[str, Any], pages: Pages) -> str | None:
    owner = str(model.get("owned_by", "")).lower()
    if owner in _OWNERS:
        return _OWNERS[owner]
    if "default_generation_settings" in pages.props or "build_info" in pages.props:
        return "llama.cpp"
    if "vllm:" in pages.metrics:
        return "vllm"
    is_sglang = "tp_size" in pages.server_info or "sglang:" in pages.metrics
    return "sglang" if is_sglang else None


def _context(model: Mapping[str, Any], pages: Pages) -> int | None:
    """Return the longest prompt plus output in tokens; llama.cpp tells what one slot may hold."""
    slot = _mapping(pages.props.get("default_generation_settings")).get("n_ctx")
    told = (
        *(model.get(name) for name in _CONTEXT_FIELDS),
        pages.server_info.get("context_length"),
        slot,
        pages.props.get("n_ctx"),
        _mapping(model.get("meta")).get("n_ctx"),
        pages.server_info.get("max_req_input_len"),
    )
    return next((count for value in told if (count := _count(value))), None)


def _vision(model: Mapping[str, Any], props: Mapping[str, Any]) -> bool | None:
    told = _mapping(props.get("modalities")).get("vision")
    if isinstance(told, bool):
        return told
    inputs = _mapping(model.get("architecture")).get("input_modalities")
    if isinstance(inputs, list):
        return "image" in inputs
    supports = model.get("supports_image_in")
    return supports if isinstance(supports, bool) else None


def _server_sampling(props: Mapping[str, Any]) -> dict[str, float]:
    told = _mapping(_mapping(props.get("default_generation_settings")).get("params"))
    return {
        name: round(float(told[name]), 6)
        for name, neutral in _NEUTRAL_SAMPLING.items()
        if isinstance(told.get(name), int | float) and float(told[name]) != neutral
    }


def _cache_dtype(metrics: str) -> str | None:
    found = _CACHE_DTYPE.search(metrics)
    return found[1] if found else None


def _server_started(metrics: str) -> float | None:
    found = _SERVER_START.search(metrics)
    try:
        return float(found[1]) if found else None
    except ValueError:
        return None


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: object) -> int | None:
    if isinstance(value, str) and value.isdecimal():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _text(value: object) -> str | None:
    return str(value) if value not in (None, "") else None
