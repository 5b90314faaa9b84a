"""The flags of ``quantcheck gate``; what it does is in :mod:`evals.commands.gate`."""

from pathlib import Path
from typing import Any

import click

from evals.commands.run_path import RUN_PATH
from evals.flags.later import body


@click.command("gate", short_help="apply a release policy to two runs")
@click.option("--policy", "policy_file", required=True, type=click.Path(path_type=Path), metavar="FILE")
@click.option("--baseline", required=True, type=RUN_PATH, metavar="DIR")
@click.option("--candidate", required=True, type=RUN_PATH, metavar="DIR")
@click.option(
    "--divergence",
    "divergence_path",
    type=click.Path(exists=True, path_type=Path),
    metavar="DIR|FILE",
    help="A divergence.json to show beside the deltas and to judge by the policy's advice.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("gate"),
    show_default=True,
    metavar="DIR",
    help="Where report.html, report.md, report.json and junit.xml go.",
)
@click.option("--json", "as_json", is_flag=True, help="Print report.json and nothing else.")
def command(**given: Any) -> Any:
    """Apply a release policy to CANDIDATE and BASELINE (run directories, logs or score files).

    \b
    Exit codes: 0 pass, 1 a requirement failed, 2 usage or policy, 3 inconclusive,
    4 not comparable, invalid, or a required task missing.
    """
    return body("evals.commands.gate", "judge_candidate")(**given)
