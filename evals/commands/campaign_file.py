"""Read a campaign from its TOML file, strictly: every key is one of ``quantcheck run``, every fault has its line."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from evals.campaigns.campaign import Campaign, CampaignTask, Checkpoint, PlannedRun, in_order
from evals.commands.asked import task_options
from evals.commands.replicas import asked_urls
from evals.endpoint import BaseUrlError
from evals.flags.deciding_options import deciding_options
from evals.flags.run import command as run_command
from evals.flags.run_options import endpoint_options, protocol_options
from evals.fleet.endpoints_file import EndpointsFileError
from evals.storage.object_store import is_url
from evals.storage.run_directory import safe_label
from reports.checked_toml import CONFIDENCE, COUNT, LOSS, TEXT, Check, CheckedToml, texts
from reports.tolerance import Tolerance
from tasks.catalog import find_benchmark
from tasks.spec import SpecError, digest

SCHEMA_VERSION = 1


class CampaignError(ValueError):
    """A campaign that says something it cannot mean; the message names file and line."""


def _names(options: Callable[[Any], Any]) -> set[str]:
    """Return the names of the flags that a decorator adds."""

    def bare() -> None: ...

    options(bare)
    return {str(parameter.name) for parameter in bare.__click_params__}  # type: ignore[attr-defined]


_PARAMETERS = {str(parameter.name): parameter for parameter in run_command.params}
_NOT_HERE = {
    "task",
    "shard",
    "as_json",
    "label",
    "headers",
    "runs_dir",
    "base_urls",
    "endpoints_file",
    "preset",
}
_ENDPOINT = _names(endpoint_options) - _NOT_HERE
_PROTOCOL = _names(protocol_options) - _NOT_HERE
_RUNNING = set(_PARAMETERS) - _ENDPOINT - _PROTOCOL - _NOT_HERE - _names(deciding_options)
_PLACE = {"base_url", "endpoints_file", "runs"}
_TOP_LEVEL = (
    *("schema", "baseline", "runs_dir", "out", "parallel", "confidence", "allow_mismatch"),
    *("run", "tasks", "checkpoints"),
)
# What a run measures does not depend on these: with others a finished run is still the same one.
_ELSEWHERE = _RUNNING - {"seed"} | {"base_url", "endpoints_file", "api_key_env"}
_URLS = Check(
    holds=lambda value: (
        (isinstance(value, str) and bool(value))
        or (isinstance(value, list) and bool(value) and all(isinstance(url, str) and url for url in value))
    ),
    meaning="a URL or a list of URLs",
)
_PRESETS = texts("presets, such as ['sglang', 'kvv']")


def read_campaign(path: Path) -> Campaign:
    """Return the campaign in ``path``; raises :class:`CampaignError`."""
    file = CheckedToml(
        path, kind="campaign", error=CampaignError, way_out="write one: quantcheck campaign init"
    )
    document = file.document
    file.refuse_unknown("", document, _TOP_LEVEL)
    file.check_schema(SCHEMA_VERSION)
    shared = file.table("", "run", document)
    file.refuse_unknown("run", shared, _RUNNING | _PROTOCOL | (_ENDPOINT - {"model"}))
    checkpoints = _checkpoints(file, file.table("", "checkpoints", document))
    baseline = _baseline(file, document, checkpoints)
    tasks = _tasks(file, file.table("", "tasks", document))
    runs_dir = file.checked("", "runs_dir", document, TEXT, "runs")
    runs = [
        _planned(file, checkpoint, task, shared, runs_dir)
        for task in tasks
        for checkpoint in (baseline, *(other for other in checkpoints if other is not baseline))
        if checkpoint.runs is None
    ]
    return Campaign(
        path=path,
        baseline=baseline,
        candidates=tuple(checkpoint for checkpoint in checkpoints if checkpoint is not baseline),
        tasks=tasks,
        runs=in_order(runs),
        out=Path(file.checked("", "out", document, TEXT, "campaign")),
        confidence=file.checked("", "confidence", document, CONFIDENCE, 0.95),
        parallel=file.checked("", "parallel", document, COUNT, None),
        allow_mismatch=tuple(file.checked("", "allow_mismatch", document, texts("field names"), ())),
    )


def _baseline(
    file: CheckedToml, document: Mapping[str, Any], checkpoints: tuple[Checkpoint, ...]
) -> Checkpoint:
    label = file.checked("", "baseline", document, TEXT, None)
    named = ", ".join(checkpoint.label for checkpoint in checkpoints)
    if label is None:
        file.fail("", "baseline", f"is not given; name the checkpoint to compare with: {named}")
    found = next((checkpoint for checkpoint in checkpoints if checkpoint.label == label), None)
    if found is None:
        file.fail("", "baseline", f"is {label!r}, which is no checkpoint here; there are {named}")
    return found


def _checkpoints(file: CheckedToml, tables: Mapping[str, Any]) -> tuple[Checkpoint, ...]:
    if not tables:
        file.fail("", "checkpoints", "names no checkpoint; give a table each: [checkpoints.int4]")
    found = []
    for label in tables:
        place, table = f"checkpoints.{label}", file.table("checkpoints", label, tables)
        if safe_label(label) != label:
            file.fail("checkpoints", label, f"cannot be a directory; call it {safe_label(label)!r}")
        file.refuse_unknown(place, table, _RUNNING | _ENDPOINT | _PLACE)
        named = [name for name in ("base_url", "endpoints_file", "runs") if name in table]
        if len(named) != 1:
            what = f"has {' and '.join(named)}" if named else "has no endpoint"
            file.fail("checkpoints", label, f"{what}; give one of base_url, endpoints_file, runs")
        file.checked(place, named[0], table, _URLS if named[0] == "base_url" else TEXT, None)
        settings = {name: value for name, value in table.items() if name != "runs"}
        found.append(Checkpoint(label=label, settings=settings, runs=table.get("runs")))
    if len(found) == len([one for one in found if one.runs is not None]):
        file.fail("", "checkpoints", "all have their runs already; compare them: quantcheck compare")
    for one in found:
        if one.runs is not None and not is_url(one.runs) and not Path(one.runs).exists():
            words = f"is {one.runs!r}, which does not exist; name a directory of finished runs"
            file.fail(f"checkpoints.{one.label}", "runs", words)
    return tuple(found)


def _tasks(file: CheckedToml, tables: Mapping[str, Any]) -> tuple[CampaignTask, ...]:
    if not tables:
        file.fail("", "tasks", "names no task; give a table each: [tasks.aime25]")
    found: list[CampaignTask] = []
    for task in tables:
        place, table = f"tasks.{task}", file.table("tasks", task, tables)
        file.refuse_unknown(place, table, _RUNNING | _PROTOCOL | {"presets", "margin"})
        presets = file.checked(place, "presets", table, _PRESETS, [None])
        margin = file.checked(place, "margin", table, LOSS, None)
        source = f"{file.path.name}, line {file.line_of_table(place)}"
        _check_presets(file, task, presets)
        found += [
            CampaignTask(
                name=task if len(presets) == 1 else f"{task} ({preset})",
                task=task,
                preset=preset,
                settings={name: value for name, value in table.items() if name not in ("presets", "margin")},
                tolerance=None if margin is None else Tolerance(margin=margin, source=source),
            )
            for preset in presets
        ]
    return tuple(found)


def _check_presets(file: CheckedToml, task: str, presets: Sequence[str | None]) -> None:
    try:
        benchmark = find_benchmark(task)
    except SpecError as error:
        file.fail("tasks", task, f"is refused: {error}")
    if not presets or len(set(presets)) < len(presets):
        file.fail(f"tasks.{task}", "presets", f"is {presets!r}; name at least one, and each once")
    try:
        for preset in presets:
            benchmark.preset(preset)
    except SpecError as error:
        file.fail(f"tasks.{task}", "presets", f"is refused: {error}")


def _planned(
    file: CheckedToml, checkpoint: Checkpoint, task: CampaignTask, shared: Mapping[str, Any], runs_dir: str
) -> PlannedRun:
    """Return one run; the file's values are read as the command reads its flags."""
    places = (
        (f"checkpoints.{checkpoint.label}", checkpoint.settings),
        (f"tasks.{task.task}", task.settings),
        ("run", shared),
    )
    settings = {name: value for _, table in reversed(places) for name, value in table.items()}
    flags = [flag for name, value in settings.items() for flag in _flags(name, value)]
    flags += [f"--preset={task.preset}"] if task.preset is not None else []
    try:
        parameters = run_command.make_context(
            "run", [task.task, f"--label={checkpoint.label}", f"--runs-dir={runs_dir}", *flags]
        ).params
        urls = frozenset(asked_urls(parameters))
        benchmark = find_benchmark(task.task)
        benchmark.pin(parameters["variant"])
        benchmark.refuse_foreign_options(task_options(parameters, benchmark))
    except (click.UsageError, BaseUrlError, EndpointsFileError, SpecError) as error:
        name = _named_by(error, settings)
        place = next((place for place, table in places if name in table), f"tasks.{task.task}")
        words = error.format_message() if isinstance(error, click.UsageError) else str(error)
        file.fail(place, name, f"is refused: {' '.join(words.split())}")
    measured = {name: value for name, value in settings.items() if name not in _ELSEWHERE}
    identity = digest(
        {"task": task.task, "preset": task.preset, "label": checkpoint.label, "runs_dir": runs_dir} | measured
    )
    return PlannedRun(
        checkpoint=checkpoint.label, task=task, parameters=parameters, urls=urls, identity=identity
    )


def _named_by(error: Exception, settings: Mapping[str, Any]) -> str:
    """Return the key of the file that an error of a flag is about."""
    parameter = getattr(error, "param", None)
    if parameter is not None:
        return str(parameter.name)
    if isinstance(error, EndpointsFileError):
        return "endpoints_file"
    if isinstance(error, BaseUrlError):
        return "base_url"
    words = str(error)  # "--flag: ...", "Option '--flag' ...", "variant 'x': ..."
    return next(
        (name for name in settings if _flag(name) in words or words.startswith(f"{name} ")), "base_url"
    )


def _flags(name: str, value: Any) -> list[str]:
    """Return the flags of ``quantcheck run`` that say the same as one key of the file."""
    if name == "base_url":
        return [f"--base-url={url}" for url in ([value] if isinstance(value, str) else value)]
    parameter = _PARAMETERS[name]
    if isinstance(value, bool) and isinstance(parameter, click.Option) and parameter.is_flag:
        return (parameter.opts if value else parameter.secondary_opts)[:1]
    text = json.dumps(value) if isinstance(value, dict | list | bool) else str(value)
    return [f"{_flag(name)}={text}"]


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"
