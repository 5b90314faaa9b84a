"""What a first look must not wait for, and that a shell completes what was begun."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from evals.command_list import COMMANDS

ROOT = Path(__file__).parents[1]
HEAVY = ("inspect_ai", "pandas", "numpy", "scipy", "pyarrow", "datasets", "matplotlib", "openai", "aiohttp")
SEEN = """
import sys
from evals.cli import run_command_line
run_command_line({arguments!r})
print(*(name for name in {heavy!r} if name in sys.modules), file=sys.stderr)
"""


def start(code: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]], ids=lambda arguments: arguments[0])
def test_a_first_look_imports_nothing_heavy(arguments):
    ended = start(SEEN.format(arguments=arguments, heavy=HEAVY))
    assert ended.stdout and ended.stderr.split() == []


WITHIN_GROUPS = ["campaign init", "campaign run", "policy init"]


@pytest.mark.parametrize("command", [*COMMANDS, *WITHIN_GROUPS])
def test_the_help_of_a_command_imports_nothing_heavy(command):
    ended = start(SEEN.format(arguments=[*command.split(), "--help"], heavy=HEAVY))
    assert ended.stdout and ended.stderr.split() == []


def test_a_command_that_reads_files_never_waits_for_inspect():
    code = "import sys, evals.commands.compare; print('inspect_ai' in sys.modules)"
    assert start(code).stdout.split() == ["False"]


@pytest.mark.parametrize(
    ("words", "place", "found"),
    [
        pytest.param("quantcheck comp", 1, "plain,compare", id="a command"),
        pytest.param("quantcheck compare --marg", 2, "plain,--margin", id="a flag"),
    ],
)
def test_a_shell_completes(words, place, found):
    code = "import sys; from evals.cli import cli; cli(prog_name='quantcheck')"
    environment = {
        "_QUANTCHECK_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(place),
    }
    assert found in start(code, **environment).stdout.splitlines()
