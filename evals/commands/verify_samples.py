"""The K2 tool-call samples as a part of ``verify``: run them as ``quantcheck run`` does, and read the figures."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from evals.commands.asked import exam_of
from evals.commands.run import build_request
from evals.endpoint import Endpoint
from evals.flags.run import command as run_command
from evals.runner import RunEnd, run
from reports.log_members import LogError
from reports.run_files import read_scores
from reports.score_columns import ScoreFileError
from reports.tool_call_metrics import ToolCallMetrics, tool_call_metrics
from reports.tool_call_reference import Reference, read_reference
from reports.vendor_tool_calls import PassLines, SampleRun
from tasks.catalog import find_benchmark
from tasks.rows import DataError

TASK = "k2_tool_calls"


@dataclass(frozen=True, kw_only=True)
class Samples:
    """The samples to send, the official runs (the first to hold the answers against), and the least that passes."""

    path: Path
    references: tuple[Reference, ...] = ()
    lines: PassLines
    limit: int | None = None
    both_ways: bool = False
    max_connections: int | None = None
    outage_s: float


def read_samples_options(options: Mapping[str, Any]) -> Samples | None:
    """Return what the flags say of samples; the files are read before any endpoint is asked."""
    path = options["samples"]
    if path is None:
        given = [
            name for name in ("references", "limit", "both_ways", "f1_line", "schema_line") if options[name]
        ]
        if given:
            flag = given[0].removesuffix("s").replace("_", "-")
            raise click.UsageError(f"--{flag}: is about --samples; give both")
        return None
    lines = PassLines(trigger_f1=options["f1_line"], schema_accuracy=options["schema_line"])
    samples = Samples(
        path=path,
        references=_references(options["references"]),
        lines=lines,
        limit=options["limit"],
        both_ways=options["both_ways"],
        max_connections=options["max_connections"],
        outage_s=options["outage_s"],
    )
    _left_out(samples)
    return samples


def _references(paths: Sequence[Path]) -> tuple[Reference, ...]:
    try:
        found = tuple(map(read_reference, paths))
    except ScoreFileError as error:  # data to measure with, not a run to judge
        raise DataError(f"--reference {error}") from None
    models = dict.fromkeys(reference.official or reference.model for reference in found)
    if len(models) > 1:
        raise click.UsageError(
            f"--reference: runs of {len(models)} models ({', '.join(map(str, models))});"
            " give runs of one model, or one file"
        )
    return found


def run_samples(samples: Samples, endpoint: Endpoint, runs_dir: Path) -> SampleRun:
    """Send the samples, or what is missing of them, and return what came of it."""
    request = build_request(TASK, _run_options(samples, endpoint, runs_dir))
    end = run(request)
    if end.was_interrupted:
        raise KeyboardInterrupt
    return SampleRun(
        metrics=_metrics(end, samples.references[0] if samples.references else None),
        n_expected=request.n_expected,
        left_out=_left_out(samples),
        stopped=str(end.fatal) if end.fatal is not None else "",
    )


def _metrics(end: RunEnd, reference: Reference | None) -> ToolCallMetrics | None:
    try:
        rows = read_scores(end.directory).frame
    except LogError as error:  # stopped before anything was logged
        print(f"quantcheck: {error}", file=sys.stderr)
        return None
    return tool_call_metrics(rows, reference)


def _left_out(samples: Samples) -> str:
    """Return which lines hold no request; raise :class:`tasks.rows.DataError` where none does."""
    options = {"dataset_path": samples.path, "accept_dataset": True, "variant": None}
    notes = exam_of(find_benchmark(TASK), options).notes
    return "; ".join(note for note in notes if note.startswith("left out"))


def _run_options(samples: Samples, endpoint: Endpoint, runs_dir: Path) -> dict[str, Any]:
    """Return the options of ``quantcheck run`` for these samples, every other flag at its default."""
    flags = [TASK, "--base-url", endpoint.base_url, "--model", endpoint.model, "--label", endpoint.label]
    flags += ["--api-key-env", endpoint.api_key_env, "--think-mode", endpoint.think_mode.value]
    flags += ["--runs-dir", str(runs_dir), "--dataset-path", str(samples.path), "--accept-dataset"]
    flags += ["--extra-body", json.dumps(dict(endpoint.extra_body)), "--clamp-budget"]
    flags += ["--outage", str(samples.outage_s)]
    flags += ["--both-ways"] if samples.both_ways else []
    flags += ["--limit", str(samples.limit)] if samples.limit is not None else []
    if samples.max_connections is not None:
        flags += ["--max-connections", str(samples.max_connections)]
    for name, value in endpoint.headers.items():
        flags += ["--header", f"{name}: {value}"]
    params: dict[str, Any] = run_command.make_context("run", flags).params
    return params
