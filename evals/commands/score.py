"""``quantcheck score``: grade responses recorded elsewhere with a task's verifier, without an endpoint."""

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import click

from evals.exit_code import CommandError, ExitCode
from evals.vendor.replay import GradedRow, RowGrader, grade_tool_row, text_grader
from evals.vendor.replay_summary import render_replay, summarise_replay
from tasks.benchmark import Benchmark, Item
from tasks.catalog import find_benchmark
from tasks.choices import MOST_LETTERS
from tasks.exam import ExamSource, load_exam
from tasks.recorded import RowError
from tasks.rows import DataError

TOOL_TASKS = ("k2_tool_calls", "tool_calls")


def score_responses(
    task: str,
    responses: Path,
    out: Path | None,
    variant: str | None,
    dataset_path: Path | None,
    accept_dataset: bool,
    shuffle_per_epoch: bool,
    as_json: bool,
) -> None:
    """Do what ``quantcheck score`` is asked; its flags are in :mod:`evals.flags.score`."""
    if task in TOOL_TASKS:
        rows = _grade_file(responses, grade_tool_row)
        summary = summarise_replay("k2_tool_calls", rows)
    else:
        benchmark = find_benchmark(task)
        source = ExamSource(
            path=dataset_path,
            accept_changes=accept_dataset,
            with_images=False,
            options={"shuffle_per_epoch": True} if shuffle_per_epoch else {},
        )
        benchmark.refuse_foreign_options(source.options)
        rows = _grade_file(responses, _grader(benchmark, benchmark.variant(variant), source))
        summary = summarise_replay(
            benchmark.name,
            rows,
            variant=benchmark.variant(variant),
            n_items_expected=benchmark.pin(variant).n_items,
            groups=benchmark.groups,
        )
    _put_out(rows, summary, out, as_json=as_json)


def _grader(benchmark: Benchmark, variant: str | None, source: ExamSource) -> RowGrader:
    @cache
    def items() -> Mapping[str, Item]:
        return _by_id(load_exam(benchmark, variant=variant, source=source).items)

    def find(sample_id: str, _epoch: int) -> Item:
        item = items().get(sample_id)
        if item is None:
            raise RowError(f"id {sample_id!r} is not in the dataset of {benchmark.name}; give its target")
        return item

    usual = benchmark.usual_options.get(variant, MOST_LETTERS)
    return text_grader(benchmark, default_options=usual, find=find)


def _by_id(items: Sequence[Item]) -> dict[str, Item]:
    """Return the items by their id, and by that of their source where it is another."""
    named = {item.source_id: item for item in items if item.source_id is not None}
    return named | {item.sample_id: item for item in items}


def _grade_file(path: Path, grade: RowGrader) -> list[GradedRow]:
    rows = []
    for number, line in _lines(path):
        try:
            rows.append(grade(_parsed(line)))
        except RowError as error:
            raise CommandError(
                f"{path}, line {number}: {error}; nothing was written", ExitCode.ENDPOINT_OR_DATA
            ) from error
    if not rows:
        raise DataError(f"{path}: holds no responses; give JSON lines, one response a line")
    return rows


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with click.open_file(str(path), "rb") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield number, line
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}); give a file of JSON lines") from error


def _parsed(line: bytes) -> Mapping[str, Any]:
    try:
        row = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise RowError(f"not JSON ({error})") from error
    if not isinstance(row, dict):
        raise RowError(f"a JSON {type(row).__name__}; an object is expected")
    return row


def _put_out(
    rows: Sequence[GradedRow], summary: Mapping[str, Any], out: Path | None, *, as_json: bool
) -> None:
    """Write the rows whole or not at all, and the summary where it belongs."""
    if out is not None:
        _write(out, "".join(json.dumps(row.output) + "\n" for row in rows))
    elif not as_json:
        for row in rows:
            print(json.dumps(row.output))
    if as_json:
        inline = {} if out is not None else {"rows": [row.output for row in rows]}
        print(json.dumps({**summary, **inline}, allow_nan=False))
    print(render_replay(summary), file=sys.stderr)


def _write(path: Path, text: str) -> None:
    partial = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise CommandError(
            f"--out {path}: cannot be written ({error.strerror}); name another file", ExitCode.USAGE
        ) from error
