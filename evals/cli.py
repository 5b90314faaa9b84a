"""The command line: which command lives where, and how every error becomes one line and an exit code."""

import os
import sys
from dataclasses import dataclass
from importlib import import_module

import click

from evals.exit_code import CommandError, ExitCode, foreseen_code


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One command: the module that holds it, its usual arguments, one line of help, its page in docs/."""

    module: str
    text: str
    usage: str = ""
    page: str | None = None


# A module is imported only when its command is run, so that --help and compare never wait for Inspect. README's
# table and docs/commands.md are made of this one and of the commands' own help (evals.reference).
COMMANDS: dict[str, Entry] = {
    "list": Entry(module="evals.commands.list_tasks", text="Show the tasks, presets and budgets."),
    "check": Entry(
        module="evals.commands.check",
        usage="--base-url URL",
        text="Probe an endpoint before a run: what works, what to change.",
        page="troubleshooting.md",
    ),
    "plan": Entry(
        module="evals.commands.plan",
        usage="TASK...",
        text="Show requests, tokens, time, and what the budget can decide, before spending it.",
        page="statistics.md",
    ),
    "run": Entry(
        module="evals.commands.run",
        usage="TASK --base-url URL",
        text="Run one task against one endpoint; run again to resume.",
        page="tasks.md",
    ),
    "score": Entry(
        module="evals.commands.score",
        usage="TASK FILE",
        text="Grade responses recorded elsewhere with a task's verifier.",
        page="tasks.md",
    ),
    "compare": Entry(
        module="evals.commands.compare",
        usage="BASELINE CANDIDATE",
        text="Compare two checkpoints: delta, interval, verdict, report.html.",
        page="comparing.md",
    ),
    "gate": Entry(
        module="evals.commands.gate",
        usage="--policy FILE ...",
        text="Judge a candidate by a policy file; fails closed; junit.xml.",
        page="gate.md",
    ),
    "policy": Entry(
        module="evals.commands.policy", usage="init", text="Write a commented policy file.", page="gate.md"
    ),
    "report": Entry(
        module="evals.commands.report",
        usage="DIR",
        text="Render a report.json again as HTML, markdown or JUnit, without the logs.",
        page="report.md",
    ),
    "export": Entry(
        module="evals.commands.export",
        usage="RUN",
        text="Write the score table of a run: one row a response.",
    ),
    "speed": Entry(
        module="evals.commands.speed",
        usage="RUN...",
        text="Show speed and cost beside accuracy, for one run or several.",
        page="speed.md",
    ),
    "trend": Entry(
        module="evals.commands.trend",
        usage="DIR",
        text="Show accuracy over many runs: drift, slope, server versions.",
        page="trend.md",
    ),
    "verify": Entry(
        module="evals.commands.verify",
        usage="--base-url URL --profile P",
        text="Qualify endpoints by the vendor contract, and tool calls by a reference.",
        page="verify.md",
    ),
    "data": Entry(
        module="evals.commands.data", text="Show which data each task uses; verify it.", page="tasks.md"
    ),
    "simulate": Entry(
        module="evals.commands.simulate",
        text="Serve a simulated checkpoint with a known truth and faults on request.",
    ),
    "demo": Entry(module="evals.commands.demo", text="Run the main job against two simulated checkpoints."),
    "demo-real": Entry(
        module="evals.commands.demo_real",
        text="Quantize real weights here, run smoke on each variant, compare; no GPU.",
        page="real_weights.md",
    ),
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order in which they are used."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name, ``None`` for a name that is no command."""
        if cmd_name not in COMMANDS:
            return None
        command = import_module(COMMANDS[cmd_name].module).command
        if not isinstance(command, click.Command):
            raise TypeError(f"{COMMANDS[cmd_name].module}: has no click command named 'command'")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.text) for name, entry in COMMANDS.items()])


@click.group(
    cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(package_name="quantcheck")
def cli() -> None:
    """Accuracy evaluation of quantized checkpoints: did we lose anything, and how sure are we?

    \b
    Exit codes: 0 pass or done, 1 regression, 2 usage, 3 inconclusive,
    4 not comparable or invalid run, 5 endpoint or data, 130 interrupted.
    """


def run_command_line(arguments: list[str] | None = None) -> int:
    """Run a command and return its exit code; every foreseen error is one line on stderr."""
    try:
        result = cli.main(arguments, standalone_mode=False, prog_name="quantcheck")
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return ExitCode.USAGE
    except click.ClickException as error:
        print(f"quantcheck: {_usage_line(error)}", file=sys.stderr)
        return ExitCode.USAGE
    except (click.Abort, KeyboardInterrupt):
        print("quantcheck: interrupted", file=sys.stderr)
        return ExitCode.INTERRUPTED
    except CommandError as error:
        print(f"quantcheck: {error}", file=sys.stderr)
        return error.code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # a reader like head went away
        return ExitCode.DONE
    except Exception as error:  # every foreseen kind is named in one table; others are raised
        code = foreseen_code(error)
        if code is None:
            raise
        print(f"quantcheck: {error}", file=sys.stderr)
        return code
    return int(result) if isinstance(result, int) else ExitCode.DONE


def _usage_line(error: click.ClickException) -> str:
    """Return what is wrong with the command and where to read more, on one line."""
    words = " ".join(error.format_message().split())
    context = error.ctx if isinstance(error, click.UsageError) else None
    return words if context is None else f"{words.rstrip('.')}; see {context.command_path} --help"
