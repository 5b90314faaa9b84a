"""The command line: which command lives where, and how every error becomes one line and an exit code."""

import sys
from importlib import import_module

import click

from evals.closed_output import readers_may_leave
from evals.command_list import COMMANDS
from evals.exit_code import CommandError, ExitCode, foreseen_code


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

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that was asked for; a mistyped one is refused with the likeliest."""
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchCommand as error:
            raise click.NoSuchCommand(error.command_name, possibilities=COMMANDS, ctx=ctx) from None

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
    with readers_may_leave():
        return _run(arguments)


def _run(arguments: list[str] | None) -> int:
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
