"""Write README's table of commands and docs/commands.md from the commands' own help: one source, held by a test."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from evals.cli import cli
from evals.command_list import COMMANDS

BEGIN, END = "<!-- commands: made by make reference -->", "<!-- /commands -->"
PAGE = Path("docs/commands.md")
README = Path("README.md")
_TABLE = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)


def render_table() -> str:
    """Return README's table: what each command does, and its page."""
    rows = ["| command | does |", "|---|---|"]
    for name, entry in COMMANDS.items():
        typed = " ".join(part for part in ("quantcheck", name, entry.usage) if part)
        page = f" ([docs](docs/{entry.page}))" if entry.page else ""
        rows.append(f"| `{typed}` | {entry.text.removesuffix('.')}{page} |")
    return "\n".join([BEGIN, *rows, END])


def with_table(readme: str) -> str:
    """Return the text of README with the table in its place; raise ``ValueError`` where it has no place."""
    if not _TABLE.search(readme):
        raise ValueError(f"README.md: has no place for the commands; put {BEGIN} and {END} there")
    return _TABLE.sub(lambda _: render_table(), readme)


def render_page() -> str:
    """Return docs/commands.md: every command with its arguments, options and defaults."""
    return "\n".join([*_opening(), *(line for name in COMMANDS for line in _command_lines(name))]) + "\n"


def _opening() -> Iterator[str]:
    yield "# Commands"
    yield ""
    yield "Made of the commands' own help by `make reference`; a test holds it. Flags are long and name their units;"
    yield "`--json` prints one document to stdout and nothing else there."
    yield ""
    codes = " ".join((cli.help or "").partition("Exit codes:")[2].split())
    yield from (f"Exit codes: {codes}", "")
    for name, entry in COMMANDS.items():
        yield f"- [`{name}`](#{name}): {entry.text}"


def _command_lines(name: str) -> Iterator[str]:
    """Yield the section of a command; a group shows each of its own commands."""
    with cli.make_context("quantcheck", [], resilient_parsing=True) as parent:
        command = cli.get_command(parent, name)
        if command is None:
            raise TypeError(f"{name}: is no command")
        entry = COMMANDS[name]
        yield from ("", f"## {name}", "")
        if entry.page:
            yield from (f"More in [{entry.page}]({entry.page}).", "")
        with _context(command, name, parent) as context:
            yield from _block(command.get_help(context))
            if isinstance(command, click.Group):
                yield from _group_lines(command, context)


def _group_lines(group: click.Group, context: click.Context) -> Iterator[str]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is not None:
            with _context(command, name, context) as inner:
                yield from ("", *_block(command.get_help(inner)))


def _context(command: click.Command, name: str, parent: click.Context) -> click.Context:
    """Return the context in which help reads the same everywhere: one width, and no line about --help itself."""
    # click keeps a command's own help flag as it was first asked for: with or without -h
    return click.Context(
        command,
        info_name=name,
        parent=parent,
        terminal_width=100,
        max_content_width=100,
        help_option_names=[],
    )


def _block(text: str) -> Iterator[str]:
    yield from ("```text", *(line.rstrip() for line in text.splitlines()), "```")


def main(root: Path) -> None:
    """Write both files below ``root``."""
    readme = root / README
    readme.write_text(with_table(readme.read_text(encoding="utf-8")), encoding="utf-8")
    (root / PAGE).write_text(render_page(), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path())
