"""``quantcheck run``: run one task against one endpoint, or what is missing of an earlier run."""

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from evals.commands.run_options import endpoint_options, protocol_options, running_options
from evals.endpoint import DEFAULT_URL_VARIABLE, Endpoint, normalise_base_url, read_key
from evals.exit_code import CommandError, ExitCode
from evals.retry import RetryPolicy
from evals.run_directory import safe_label, write_json
from evals.runner import RunEnd, RunRequest, RunSettings, run
from evals.survey import EndpointFacts, survey
from evals.transport import Waits
from reports.run_summary import summarise_run
from reports.run_text import render_summary
from tasks.benchmark import Benchmark
from tasks.catalog import find_benchmark
from tasks.exam import Exam, ExamSource, load_exam
from tasks.protocol import Overrides, resolve_spec
from tasks.spec import ThinkMode


@click.command()
@click.argument("task")
@endpoint_options
@protocol_options
@running_options
@click.option("--json", "as_json", is_flag=True, help="Print the run summary as one JSON document.")
def command(task: str, as_json: bool, **options: Any) -> int:
    """Run TASK against an endpoint. The same command again resumes: only missing responses are asked."""
    request = build_request(task, options)
    return finish(
        run(request),
        max_error_rate=options["max_error_rate"],
        as_json=as_json,
        groups=request.benchmark.groups,
    )


def build_request(task: str, options: dict[str, Any]) -> RunRequest:
    """Return the run that the flags describe, after asking the endpoint what it is."""
    benchmark = find_benchmark(task)
    overrides = _overrides(options)
    benchmark.preset(options["preset"])  # a wrong name is told before data or network are touched
    benchmark.pin(options["variant"])
    benchmark.refuse_foreign_options(overrides.options)
    exam = _exam(benchmark, options)
    spec = resolve_spec(
        benchmark, exam.dataset, preset=options["preset"], variant=options["variant"], overrides=overrides
    )
    endpoint, facts = _endpoint(options, overrides)
    items = exam.items[: options["limit"]] if options["limit"] else exam.items
    return RunRequest(
        benchmark=benchmark,
        spec=spec,
        items=items,
        endpoint=endpoint,
        facts=facts,
        settings=_settings(options),
    )


def finish(
    end: RunEnd, *, max_error_rate: float, as_json: bool, groups: Mapping[str, str] | None = None
) -> int:
    """Write the summary, print it, and return the exit code the run deserves."""
    summary = summarise_run(
        end.directory,
        requests_sent=end.n_requests_sent,
        retries=end.n_retries,
        max_error_rate=max_error_rate,
        groups=groups,
    )
    write_json(end.directory / "summary.json", summary)
    if as_json:
        print(json.dumps(summary, allow_nan=False))
    print(render_summary(summary, end.directory), file=sys.stderr if as_json else sys.stdout)
    if end.was_interrupted:
        print("quantcheck: interrupted; run the same command again to resume", file=sys.stderr)
        return ExitCode.INTERRUPTED
    if end.fatal is not None:
        raise CommandError(f"stopped: {end.fatal}", ExitCode.ENDPOINT_OR_DATA)
    if summary["status"] == "invalid":
        return ExitCode.INVALID
    return ExitCode.DONE


def _exam(benchmark: Benchmark, options: dict[str, Any]) -> Exam:
    path, image_root = options["dataset_path"], options.get("image_root")
    source = ExamSource(
        path=Path(path) if path else None,
        image_root=Path(image_root) if image_root else None,
        accept_changes=options["accept_dataset"],
        options=task_options(options),
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


def _overrides(options: dict[str, Any]) -> Overrides:
    return Overrides(
        epochs=options["epochs"],
        max_tokens=options["max_tokens"],
        temperature=options["temperature"],
        top_p=options["top_p"],
        think_mode=ThinkMode(options["think_mode"]),
        thinking=options["thinking"],
        effort=options["effort"],
        extra_body=options["extra_body"],
        options=task_options(options),
    )


def task_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that only some tasks have, those that are set."""
    return {name: options[name] for name in ("shuffle_per_epoch", "max_image_pixels") if options.get(name)}


def _endpoint(options: dict[str, Any], overrides: Overrides) -> tuple[Endpoint, EndpointFacts]:
    base_url = normalise_base_url(_base_url(options))
    facts = survey(base_url, api_key_env=options["api_key_env"], headers=options["headers"])
    model = _model(options["model"], facts, base_url)
    read_key(options["api_key_env"])
    endpoint = Endpoint(
        base_url=base_url,
        model=model,
        label=safe_label(options["label"] or model),
        api_key_env=options["api_key_env"],
        think_mode=overrides.think_mode,
        thinking=overrides.thinking,
        effort=overrides.effort,
        extra_body=overrides.extra_body,
        headers=options["headers"],
    )
    return endpoint, facts


def _base_url(options: dict[str, Any]) -> str:
    url = options["base_url"] or os.environ.get(DEFAULT_URL_VARIABLE)
    if not url:
        raise click.UsageError(f"no endpoint: give --base-url URL or set {DEFAULT_URL_VARIABLE}")
    return str(url)


def _model(asked: str | None, facts: EndpointFacts, base_url: str) -> str:
    if asked is not None:
        if facts.models and asked not in facts.models:
            print(f"warning: {base_url} lists {', '.join(facts.models)}, not {asked}", file=sys.stderr)
        return asked
    if len(facts.models) == 1:
        return facts.models[0]
    if not facts.models:
        raise click.UsageError(f"model: {base_url} lists no models; name one with --model")
    raise click.UsageError(f"model: {base_url} serves {', '.join(facts.models)}; name one with --model")


def _settings(options: dict[str, Any]) -> RunSettings:
    return RunSettings(
        runs_dir=Path(options["runs_dir"]),
        run_seed=options["seed"],
        max_connections=options["max_connections"],
        stream=options["stream"],
        waits=Waits(
            idle_s=options["idle_timeout"],
            first_byte_s=options["first_token_timeout"],
            plain_s=options["reply_timeout"],
        ),
        policy=RetryPolicy(outage_s=options["outage"], cold_s=min(options["outage"], RetryPolicy().cold_s)),
    )
