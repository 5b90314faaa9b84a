"""Several servers of one checkpoint: which of them can be used, and whether they are alike."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from evals.endpoint import EndpointError
from evals.endpoint_facts import EndpointFacts
from evals.fleet.survey import survey_each

# What replicas must agree on, where they tell it: each of these changes what is answered.
_MUST_AGREE = {
    "engine": "engine",
    "context_tokens": "context length",
    "quantization": "quantization",
    "kv_cache_dtype": "KV cache type",
    "has_vision": "image input",
    "server_sampling": "the server's own sampling",
}
# What may differ for a harmless reason: an update under way, disks mounted elsewhere.
_SHOULD_AGREE = {"version": "engine version", "served_path": "path of the weights"}
_SHOWN_URLS = 2


@dataclass(frozen=True, kw_only=True)
class Surveyed:
    """One server: what it says of itself, or why it cannot be used."""

    base_url: str
    facts: EndpointFacts | None
    problem: str | None = None


@dataclass(frozen=True, kw_only=True)
class Fleet:
    """The servers named for one checkpoint, in order; at least one can be used."""

    replicas: tuple[Surveyed, ...]
    facts: EndpointFacts
    warnings: tuple[str, ...] = ()

    @property
    def live(self) -> tuple[str, ...]:
        """The base URLs that can be used."""
        return tuple(replica.base_url for replica in self.replicas if replica.facts is not None)

    def told(self) -> list[dict[str, Any]]:
        """Return what the manifest keeps of each server, nothing where there is only one."""
        if len(self.replicas) == 1:
            return []
        return [
            {
                "base_url": replica.base_url,
                "problem": replica.problem,
                "version": replica.facts.version if replica.facts is not None else None,
                "server_started": replica.facts.server_started if replica.facts is not None else None,
            }
            for replica in self.replicas
        ]


def survey_fleet(
    base_urls: Sequence[str], *, api_key_env: str, headers: Mapping[str, str], model: str | None
) -> Fleet:
    """Return the servers that can be used; raise :class:`EndpointError` where none can, or they are unlike."""
    answers = survey_each(base_urls, api_key_env=api_key_env, headers=headers, model=model)
    if len(answers) == 1 and isinstance(answers[0], EndpointError):
        raise answers[0]
    replicas = tuple(
        Surveyed(base_url=base_url, facts=None, problem=_problem(answer, base_url))
        if isinstance(answer, EndpointError)
        else Surveyed(base_url=base_url, facts=answer)
        for base_url, answer in zip(base_urls, answers, strict=True)
    )
    told = {replica.base_url: replica.facts for replica in replicas if replica.facts is not None}
    dead = [replica for replica in replicas if replica.facts is None]
    if not told:
        listed = "; ".join(f"{replica.base_url}: {replica.problem}" for replica in dead)
        raise EndpointError(f"endpoints: none of {len(dead)} can be used: {listed}")
    unlike = [*_unlike_models(told, model), *_unlike(told, _MUST_AGREE)]
    if unlike:
        raise EndpointError(
            f"endpoints: {'; '.join(unlike)}; replicas must serve one checkpoint alike: mend them, or run"
            " each under a --label of its own"
        )
    left_out = [
        f"endpoint {replica.base_url} is left out, {len(told)} of {len(replicas)} are used: {replica.problem}"
        for replica in dead
    ]
    harmless = [f"endpoints: {words}" for words in _unlike(told, _SHOULD_AGREE)]
    return Fleet(replicas=replicas, facts=_together(list(told.values())), warnings=(*left_out, *harmless))


def _problem(error: EndpointError, base_url: str) -> str:
    return str(error).removeprefix(f"endpoint {base_url}: ")


def _unlike_models(told: Mapping[str, EndpointFacts], asked: str | None) -> list[str]:
    """Return how the served models differ; with a model asked for only whether all serve it."""
    listing = {url: facts.models for url, facts in told.items() if facts.models}
    if asked is None:
        names = {url: ", ".join(sorted(models)) for url, models in listing.items()}
        return [_differs("served model", names)] if len(set(names.values())) > 1 else []
    without = [url for url, models in listing.items() if asked not in models]
    if not without or len(without) == len(listing):
        return []  # listed by none: a name that servers know and do not list
    named = "; ".join(f"{url} serves {', '.join(listing[url])}" for url in without)
    return [f"{asked} is not served everywhere: {named}"]


def _unlike(told: Mapping[str, EndpointFacts], names: Mapping[str, str]) -> list[str]:
    """Return what differs between servers that tell it."""
    found = []
    for field, words in names.items():
        values = {url: getattr(facts, field) for url, facts in told.items()}
        known = {url: str(value) for url, value in values.items() if value is not None}
        if len(set(known.values())) > 1:
            found.append(_differs(words, known))
    return found


def _differs(what: str, values: Mapping[str, str]) -> str:
    """Return ``context length differs: 8192 (http://a/v1), 4096 (http://b/v1 and 3 more)``."""
    by_value: dict[str, list[str]] = {}
    for url, value in values.items():
        by_value.setdefault(value, []).append(url)
    return f"{what} differs: " + ", ".join(f"{value} ({_some(urls)})" for value, urls in by_value.items())


def _some(urls: Sequence[str]) -> str:
    more = len(urls) - _SHOWN_URLS
    return ", ".join(urls[:_SHOWN_URLS]) + (f" and {more} more" if more > 0 else "")


def _together(told: Sequence[EndpointFacts]) -> EndpointFacts:
    """Return the facts of the fleet: each as the first server that tells it does, the start as the latest."""
    known: dict[str, Any] = {
        field.name: next((value for facts in told if (value := getattr(facts, field.name)) is not None), None)
        for field in fields(EndpointFacts)
    }
    models = next((facts.models for facts in told if facts.models), ())
    started = max((facts.server_started for facts in told if facts.server_started is not None), default=None)
    return replace(told[0], **(known | {"models": models, "server_started": started}))
