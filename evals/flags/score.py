"""The flags of ``quantcheck score``; what it does is in :mod:`evals.commands.score`."""

from pathlib import Path
from typing import Any

import click

from evals.flags.completion import TASK, VARIANT
from evals.flags.later import body


@click.command()
@click.argument("task", **TASK)
@click.argument("responses", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Write the graded rows here.")
@click.option("--variant", help="Variant of the task's dataset; see quantcheck list.", **VARIANT)
@click.option(
    "--dataset-path", type=click.Path(path_type=Path), help="Local copy of the dataset, for targets by id."
)
@click.option("--accept-dataset", is_flag=True, help="Take targets from data that is not the pinned data.")
@click.option("--shuffle-per-epoch", is_flag=True, help="gpqa_diamond: the responses are to moved options.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as one JSON document.")
def command(**given: Any) -> Any:
    """Grade RESPONSES (JSON lines) with the verifier of TASK; targets that are absent come from its dataset.

    \b
    Rows: {"id", "response", "target"?, "reasoning"?, "finish_reason"?, "epoch"?, "options"? | "n_options"?,
           "category"?, "answers"?}; in place of "response" a whole completion ("raw") or its "chunks";
    for k2_tool_calls {"id", "raw" | "chunks", "tools", "target": "tool_calls" | "stop"?}.
    Graded rows go to --out or stdout, the summary to stderr; with --json one document goes to stdout.
    """
    return body("evals.commands.score", "score_responses")(**given)
