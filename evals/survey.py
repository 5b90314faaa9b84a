"""Ask an endpoint what it is: served models, engine and version, context length, quantization."""

import asyncio
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import aiohttp
import orjson

from evals.endpoint import DEFAULT_KEY_VARIABLE, EndpointError, read_key
from evals.failure import network_words

SURVEY_TIMEOUT_S = 15.0


@dataclass(frozen=True, kw_only=True)
class EndpointFacts:
    """What an endpoint says of itself; ``None`` where it does not say."""

    models: tuple[str, ...]
    engine: str | None = None
    version: str | None = None
    context_tokens: int | None = None
    quantization: str | None = None
    kv_cache_dtype: str | None = None
    served_path: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values for the manifest."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The status and body of one GET; ``value`` is ``None`` where the body is not a JSON object."""

    status: int
    value: Mapping[str, Any] | None
    text: str


def survey(base_url: str, *, api_key_env: str, headers: Mapping[str, str]) -> EndpointFacts:
    """Return what the endpoint tells without generating anything.

    Raises :class:`EndpointError` where it cannot be reached, refuses the key or does not speak this API.
    """
    key = read_key(api_key_env)
    sent = dict(headers)
    if key is not None:
        sent.setdefault("Authorization", f"Bearer {key}")
    return asyncio.run(_survey(base_url, sent, api_key_env if key is not None else None))


async def _survey(base_url: str, headers: Mapping[str, str], key_variable: str | None) -> EndpointFacts:
    root = base_url.rsplit("/", 1)[0]
    timeout = aiohttp.ClientTimeout(total=SURVEY_TIMEOUT_S)
    async with aiohttp.ClientSession(headers=headers, timeout=timeout) as session:
        models = await _models(session, base_url, key_variable)
        told = await asyncio.gather(
            *(
                _optional(session, f"{root}/{path}")
                for path in ("version", "get_server_info", "get_model_info", "props")
            )
        )
    return read_facts(models, *told)


async def _models(
    session: aiohttp.ClientSession, base_url: str, key_variable: str | None
) -> Mapping[str, Any]:
    url = f"{base_url}/models"
    try:
        answer = await _get(session, url)
    except TimeoutError as error:
        raise EndpointError(
            f"endpoint {base_url}: no answer in {SURVEY_TIMEOUT_S:g} s; is the server up?"
        ) from error
    except (aiohttp.ClientError, OSError) as error:
        raise EndpointError(
            f"endpoint {base_url}: cannot be reached ({network_words(error)}); is the server running there?"
        ) from error
    if answer.status in {401, 403}:
        used = (
            f"the key in {key_variable}"
            if key_variable
            else f"no key was sent: {DEFAULT_KEY_VARIABLE} is not set"
        )
        raise EndpointError(
            f"endpoint {base_url}: HTTP {answer.status}, key refused ({used}); name it with --api-key-env"
        )
    if answer.status in {404, 405, 501}:
        return {}  # some vendors serve chat completions only
    if answer.status != 200:
        raise EndpointError(f"endpoint {base_url}: HTTP {answer.status} from /models: {answer.text[:200]!r}")
    if answer.value is None or not isinstance(answer.value.get("data"), list):
        raise EndpointError(
            f"endpoint {base_url}: /models answers {answer.text[:80]!r}, not a list of models; "
            "this is not an OpenAI-compatible base URL"
        )
    return answer.value


async def _get(session: aiohttp.ClientSession, url: str) -> Answer:
    async with session.get(url) as http:
        text = await http.text(errors="replace")
        try:
            value = orjson.loads(text)
        except orjson.JSONDecodeError:
            value = None
        return Answer(status=http.status, value=value if isinstance(value, dict) else None, text=text)


async def _optional(session: aiohttp.ClientSession, url: str) -> Mapping[str, Any]:
    """Return what an engine's own page says, nothing where it has no such page."""
    try:
        answer = await _get(session, url)
    except (aiohttp.ClientError, OSError, TimeoutError):
        return {}
    return answer.value if answer.status == 200 and answer.value is not None else {}


def read_facts(
    models: Mapping[str, Any],
    version: Mapping[str, Any],
    server_info: Mapping[str, Any],
    model_info: Mapping[str, Any],
    props: Mapping[str, Any],
) -> EndpointFacts:
    """Return the facts in the answers of the pages that vLLM, SGLang and llama.cpp serve; pure."""
    entries = [entry for entry in models.get("data", []) if isinstance(entry, dict)]
    first = entries[0] if entries else {}
    return EndpointFacts(
        models=tuple(str(entry["id"]) for entry in entries if "id" in entry),
        engine=_engine(first, server_info, props),
        version=_text(version.get("version") or server_info.get("version") or props.get("build_info")),
        context_tokens=_context(first, server_info, props),
        quantization=_text(server_info.get("quantization") or model_info.get("quantization")),
        kv_cache_dtype=_text(server_info.get("kv_cache_dtype")),
        served_path=_text(first.get("root") or model_info.get("model_path") or props.get("model_path")),
    )


def _engine(model: Mapping[str, Any], server_info: Mapping[str, Any], props: Mapping[str, Any]) -> str | None:
    owner = str(model.get("owned_by", "")).lower()
    if owner in {"vllm", "sglang", "quantcheck-simulator"}:
        return owner
    if "llamacpp" in owner or "build_info" in props or "default_generation_settings" in props:
        return "llama.cpp"
    return "sglang" if "tp_size" in server_info else None


def _context(
    model: Mapping[str, Any], server_info: Mapping[str, Any], props: Mapping[str, Any]
) -> int | None:
    """Return the longest prompt plus output in tokens; llama.cpp tells what one slot may hold."""
    settings = props.get("default_generation_settings")
    slot = settings.get("n_ctx") if isinstance(settings, dict) else None
    for value in (model.get("max_model_len"), server_info.get("context_length"), slot, props.get("n_ctx")):
        if isinstance(value, int) and value > 0:
            return value
    return None


def _text(value: object) -> str | None:
    return str(value) if value not in (None, "") else None
