"""A served checkpoint: base URL, model, the name of the key's variable, and how to tell it to think."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from tasks.spec import ThinkMode

DEFAULT_KEY_VARIABLE = "OPENAI_API_KEY"
DEFAULT_URL_VARIABLE = "OPENAI_BASE_URL"
ENDPOINT_PATHS = ("/chat/completions", "/completions", "/models")
VERSION = re.compile(r"v\d+(?:alpha|beta)?\d*", re.IGNORECASE)


class EndpointError(RuntimeError):
    """An endpoint that cannot be used: not reachable, not OpenAI-compatible, wrong key, unclear model."""


class BaseUrlError(EndpointError):
    """A base URL that is none."""


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """A served checkpoint. The key itself is never a field: it is read when a request is made.

    ``headers`` are sent with every request and, like the key, never stored. ``extra_body`` is merged into
    every request body and is part of the fingerprint. ``replicas`` are the base URLs of the servers that
    serve it alike, where there are several; ``base_url`` is one of them.
    """

    base_url: str
    model: str
    label: str
    api_key_env: str = DEFAULT_KEY_VARIABLE
    think_mode: ThinkMode = ThinkMode.NONE
    thinking: bool | None = None
    effort: str | None = None
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    replicas: tuple[str, ...] = ()

    @property
    def base_urls(self) -> tuple[str, ...]:
        """Every base URL at which it is served."""
        return self.replicas or (self.base_url,)

    def thinking_parameters(self) -> dict[str, Any]:
        """Return the request fields that switch thinking, by ``think_mode``; empty where nothing is asked.

        Source: Moonshot's API (``kimi``) and the chat template of the open weights (``opensource``).
        """
        return thinking_parameters(self.think_mode, thinking=self.thinking, effort=self.effort)


def thinking_parameters(mode: ThinkMode, *, thinking: bool | None, effort: str | None) -> dict[str, Any]:
    """Return the request fields that switch thinking on or off in the given mode."""
    if mode is ThinkMode.NONE or (thinking is None and effort is None):
        return {}
    enabled = thinking is not False
    if mode is ThinkMode.KIMI:
        parameters: dict[str, Any] = {"type": "enabled" if enabled else "disabled"}
        if effort is not None and enabled:
            parameters |= {"keep": "all", "effort": effort}
        return {"thinking": parameters}
    template: dict[str, Any] = {"thinking": enabled}
    if effort is not None and enabled:
        template |= {"preserve_thinking": True, "thinking_effort": effort}
    return {"chat_template_kwargs": template}


def normalise_base_url(text: str) -> str:
    """Return the base URL ending in ``/v1`` (or another version), without a trailing slash or endpoint path.

    Raises :class:`BaseUrlError` where ``text`` is not an http(s) URL, or holds what would be lost (a query)
    or stored in every log (a password).

    >>> normalise_base_url("http://127.0.0.1:8000/v1/chat/completions/")
    'http://127.0.0.1:8000/v1'
    """
    try:
        parts = urlsplit(text.strip())
        is_url = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # no port, half an IPv6 address
        is_url = False
    if not is_url or any(char.isspace() or not char.isprintable() for char in text.strip()):
        raise BaseUrlError(
            f"base URL {text!r}: not an http(s) URL; give for example http://127.0.0.1:8000/v1"
        )
    if parts.username is not None or parts.query or parts.fragment:
        what = "a user name or password" if parts.username is not None else "a query or fragment"
        raise BaseUrlError(
            f"base URL of {parts.hostname}: holds {what}; leave it out and send keys by --api-key-env or --header"
        )
    path = parts.path.rstrip("/")
    for endpoint_path in ENDPOINT_PATHS:
        path = path.removesuffix(endpoint_path).rstrip("/")
    has_version = VERSION.fullmatch(path.rsplit("/", 1)[-1]) is not None
    return f"{parts.scheme}://{parts.netloc}{path if has_version else path + '/v1'}"


def read_key(variable: str) -> str | None:
    """Return the API key from the named environment variable, ``None`` where unset or blank.

    Raises :class:`EndpointError` where a variable other than the default is named but not set: a typing
    error there would otherwise show as a puzzling 401; or where the key cannot stand in a header.
    """
    key = os.environ.get(variable, "").strip()
    if not key and variable != DEFAULT_KEY_VARIABLE:
        raise EndpointError(
            f"API key: environment variable {variable} is not set; set it or change --api-key-env"
        )
    if not key.isprintable():
        raise EndpointError(f"API key: environment variable {variable} holds control characters; set it anew")
    return key or None


def request_headers(endpoint: Endpoint, *, key: str | None = None) -> dict[str, str]:
    """Return the HTTP headers of a JSON request; ``key`` stands in for the one in the environment."""
    headers = {"Content-Type": "application/json", **endpoint.headers}
    return with_key(headers, key or read_key(endpoint.api_key_env))


def with_key(headers: Mapping[str, str], key: str | None) -> dict[str, str]:
    """Return ``headers`` with the key, unless they bring an authorization of their own, however spelled."""
    if key is None or any(name.lower() == "authorization" for name in headers):
        return dict(headers)
    return {**headers, "Authorization": f"Bearer {key}"}
