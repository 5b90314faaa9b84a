"""What the flags ask for: the items, the changes to the protocol, the endpoint and its model."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from evals.endpoint import DEFAULT_URL_VARIABLE, Endpoint, normalise_base_url
from evals.endpoint_facts import EndpointFacts
from evals.storage.run_directory import safe_label
from tasks.benchmark import Benchmark
from tasks.exam import Exam, ExamSource, load_exam
from tasks.k2_tool_calls import RAW_COMPLETIONS
from tasks.protocol import Overrides
from tasks.spec import ThinkMode
from tasks.stream_way import BOTH_WAYS, STREAM


def exam_of(benchmark: Benchmark, options: Mapping[str, Any], *, with_images: bool = True) -> Exam:
    """Return the task's items from where the flags say; notes and warnings go to stderr."""
    path, image_root = options["dataset_path"], options.get("image_root")
    source = ExamSource(
        path=Path(path) if path else None,
        image_root=Path(image_root) if image_root else None,
        accept_changes=options["accept_dataset"],
        with_images=with_images,
        options=task_options(options, benchmark),
    )
    exam = load_exam(benchmark, variant=options["variant"], source=source)
    for note in exam.notes:
        print(f"note: {note}", file=sys.stderr)
    if exam.dataset.is_pinned_content is False:
        print(
            f"warning: {exam.dataset.source} is not the pinned content of {exam.dataset.name}",
            file=sys.stderr,
        )
    return exam


def overrides_of(options: Mapping[str, Any], benchmark: Benchmark | None = None) -> Overrides:
    """Return what the flags change of the preset; how replies come is a setting of some benchmarks only."""
    return Overrides(
        epochs=options["epochs"],
        max_tokens=options["max_tokens"],
        temperature=options["temperature"],
        top_p=options["top_p"],
        think_mode=ThinkMode(options["think_mode"]),
        thinking=options["thinking"],
        effort=options["effort"],
        extra_body=options["extra_body"],
        options=task_options(options, benchmark),
    )


def task_options(options: Mapping[str, Any], benchmark: Benchmark | None = None) -> dict[str, Any]:
    """Return the settings that only some tasks have, those that are set.

    ``--stream`` is one for a benchmark whose requests say themselves how they are sent, and else none.
    """
    names = ("shuffle_per_epoch", "max_image_pixels", BOTH_WAYS, RAW_COMPLETIONS)
    found = {name: options[name] for name in names if options.get(name)}
    if benchmark is not None and STREAM in benchmark.options and options.get(STREAM) is not None:
        found[STREAM] = options[STREAM]
    return found


def endpoint_of(
    options: Mapping[str, Any], overrides: Overrides, base_urls: Sequence[str], model: str
) -> Endpoint:
    """Return the endpoint that the flags describe, served at each of the base URLs."""
    return Endpoint(
        base_url=base_urls[0],
        replicas=tuple(base_urls) if len(base_urls) > 1 else (),
        model=model,
        label=safe_label(options["label"] or model),
        api_key_env=options["api_key_env"],
        think_mode=overrides.think_mode,
        thinking=overrides.thinking,
        effort=overrides.effort,
        extra_body=overrides.extra_body,
        headers=options["headers"],
    )


def base_url_of(options: Mapping[str, Any]) -> str:
    """Return the base URL of the flag or the environment; raise :class:`click.UsageError` without one."""
    url = options["base_url"] or os.environ.get(DEFAULT_URL_VARIABLE)
    if not url:
        raise click.UsageError(f"no endpoint: give --base-url URL or set {DEFAULT_URL_VARIABLE}")
    return normalise_base_url(str(url))


def choose_model(asked: str | None, facts: EndpointFacts, base_url: str) -> str:
    """Return the model to ask for; raise :class:`click.UsageError` where the flags leave it open."""
    if asked is not None:
        if facts.models and asked not in facts.models:
            print(f"warning: {base_url} lists {', '.join(facts.models)}, not {asked}", file=sys.stderr)
        return asked
    if len(facts.models) == 1:
        return facts.models[0]
    if not facts.models:
        raise click.UsageError(f"model: {base_url} lists no models; name one with --model")
    raise click.UsageError(f"model: {base_url} serves {', '.join(facts.models)}; name one with --model")
