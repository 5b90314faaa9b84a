"""Ask an endpoint what it is: served models, engine and version, context length, quantization."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import aiohttp
import orjson

from evals.endpoint import DEFAULT_KEY_VARIABLE, EndpointError, read_key, with_key
from evals.endpoint_facts import EndpointFacts, Pages, read_facts
from evals.transport.failure import network_words
from evals.transport.reply_limits import read_at_most

__all__ = ["EndpointFacts", "survey", "survey_each"]

SURVEY_TIMEOUT_S = 15.0
MAX_PAGE_BYTES = 16 * 1024**2
# Pages beside the API: vLLM's, SGLang's by their present and their older names, llama.cpp's.
_PAGES = ("version", "server_info", "get_server_info", "model_info", "get_model_info", "props", "metrics")


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The status and body of one GET; ``value`` is ``None`` where the body is not a JSON object."""

    status: int
    value: Mapping[str, Any] | None
    text: str


def survey(
    base_url: str, *, api_key_env: str, headers: Mapping[str, str], model: str | None = None
) -> EndpointFacts:
    """Return what the endpoint tells without generating anything, of ``model`` where it lists several.

    Raises :class:`EndpointError` where it cannot be reached, refuses the key or does not speak this API.
    """
    (found,) = survey_each([base_url], api_key_env=api_key_env, headers=headers, model=model)
    if isinstance(found, EndpointError):
        raise found
    return found


def survey_each(
    base_urls: Sequence[str], *, api_key_env: str, headers: Mapping[str, str], model: str | None = None
) -> list[EndpointFacts | EndpointError]:
    """Return what each endpoint tells, all asked at once; one that cannot be used has its error in its place."""
    key = read_key(api_key_env)
    sent, variable = with_key(headers, key), api_key_env if key is not None else None

    async def ask(base_url: str) -> EndpointFacts | EndpointError:
        try:
            return read_facts(await _survey(base_url, sent, variable), model=model)
        except EndpointError as error:
            return error

    async def ask_all() -> list[EndpointFacts | EndpointError]:
        return await asyncio.gather(*(ask(base_url) for base_url in base_urls))

    return asyncio.run(ask_all())


async def _survey(base_url: str, headers: Mapping[str, str], key_variable: str | None) -> Pages:
    root = base_url.rsplit("/", 1)[0]
    timeout = aiohttp.ClientTimeout(total=SURVEY_TIMEOUT_S)
    async with aiohttp.ClientSession(headers=headers, timeout=timeout) as session:
        models = await _models(session, base_url, key_variable)
        answers = await asyncio.gather(*(_optional(session, f"{root}/{page}") for page in _PAGES))
    told = dict(zip(_PAGES, answers, strict=True))

    def value(*pages: str) -> Mapping[str, Any]:
        return next((found for page in pages if (found := told[page].value)), {})

    return Pages(
        models=models,
        version=value("version"),
        server_info=value("server_info", "get_server_info"),
        model_info=value("model_info", "get_model_info"),
        props=value("props"),
        metrics=told["metrics"].text,
    )


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
        text = (await read_at_most(http, MAX_PAGE_BYTES)).decode("utf-8", "replace")
        try:
            value = orjson.loads(text)
        except orjson.JSONDecodeError:
            value = None
        return Answer(status=http.status, value=value if isinstance(value, dict) else None, text=text)


async def _optional(session: aiohttp.ClientSession, url: str) -> Answer:
    """Return what an engine's own page says, an empty answer where it has no such page."""
    try:
        answer = await _get(session, url)
    except (aiohttp.ClientError, OSError, TimeoutError):
        return Answer(status=0, value=None, text="")
    return answer if answer.status == 200 else Answer(status=answer.status, value=None, text="")
