"""The servers of one checkpoint that flags name, and what those say of themselves."""

import os
import sys
from collections.abc import Mapping
from typing import Any

import click

from evals.commands.asked import choose_model, endpoint_of
from evals.endpoint import DEFAULT_URL_VARIABLE, Endpoint, normalise_base_url
from evals.fleet.endpoints_file import read_endpoints
from evals.fleet.surveyed_fleet import Fleet, survey_fleet
from tasks.protocol import Overrides


def surveyed_fleet(options: Mapping[str, Any], overrides: Overrides) -> tuple[Endpoint, Fleet]:
    """Return the endpoint and what its servers say; raise :class:`EndpointError` where they are no use."""
    fleet = survey_fleet(
        asked_urls(options),
        api_key_env=options["api_key_env"],
        headers=options["headers"],
        model=options["model"],
    )
    for warning in fleet.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    model = choose_model(options["model"], fleet.facts, fleet.live[0])
    return endpoint_of(options, overrides, fleet.live, model), fleet


def asked_urls(options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the base URLs of flags, file or environment; raise :class:`click.UsageError` without any."""
    given, path = options["base_urls"], options["endpoints_file"]
    if given and path is not None:
        raise click.UsageError(f"--endpoints-file {path}: stands beside --base-url; give one of them")
    if path is not None:
        return read_endpoints(path)
    if any(not url.strip() for url in given):
        raise click.UsageError("--base-url '': is empty; is a variable not set?")
    urls = [url for url in given or [os.environ.get(DEFAULT_URL_VARIABLE)] if url]
    if not urls:
        raise click.UsageError(
            f"no endpoint: give --base-url URL or --endpoints-file FILE, or set {DEFAULT_URL_VARIABLE}"
        )
    found = tuple(normalise_base_url(url) for url in urls)
    twice = next((url for url in found if found.count(url) > 1), None)
    if twice is not None:
        raise click.UsageError(f"--base-url {twice}: is given twice; name each replica once")
    return found
