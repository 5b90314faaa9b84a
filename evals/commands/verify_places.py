"""Which endpoint each flag of ``quantcheck verify`` is for."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

from evals.storage.run_directory import safe_label


def for_each(options: Mapping[str, Any], name: str, flag: str, urls: Sequence[str]) -> tuple[str | None, ...]:
    """Return one value for each endpoint: one given for all, or as many as there are."""
    given = options[name]
    if len(given) in (0, 1):
        return (given[0] if given else None,) * len(urls)
    if len(given) != len(urls):
        raise click.UsageError(f"{flag}: {len(given)} for {len(urls)} endpoints; give one, or one for each")
    return tuple(given)


def labels_of(options: Mapping[str, Any], urls: Sequence[str]) -> tuple[str, ...]:
    """Return the label of each endpoint; several endpoints are told apart by host and port without one."""
    given = options["labels"]
    if given and (len(given) != len(urls) or len(set(map(safe_label, given))) < len(given)):
        raise click.UsageError(f"--label: {', '.join(given)} for {len(urls)} endpoints; give each its own")
    if given:
        return tuple(map(safe_label, given))
    if len(urls) == 1:
        return ("",)
    hosts = [safe_label(url.split("://", 1)[1].split("/", 1)[0]) for url in urls]
    if len(set(hosts)) < len(hosts):
        raise click.UsageError("--label: two endpoints share a host; give each a --label of its own")
    return tuple(hosts)
