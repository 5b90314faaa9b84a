"""Render a ``divergence`` block for a terminal and as markdown."""

from collections.abc import Iterator

from reports.divergence.lines import Block, Table, facts, headline, remarks, tables
from reports.markdown import escaped
from reports.terminal import printable, wrapped

_NAME_WIDTH = 26
_MOST_CELL = 64


def render_divergence_terminal(block: Block) -> str:
    """Return the block as text: figures, findings, then where the divergence sits."""
    lines = [wrapped(headline(block), "")]
    if block["n_texts"]:
        lines += [wrapped(fact.text, f"  {fact.name:<{_NAME_WIDTH}}") for fact in facts(block)]
    lines += [wrapped(fact.text, f"  {fact.name:<10}") for fact in remarks(block)]
    for table in tables(block):
        lines += ["", *_terminal_table(table)]
    return printable("\n".join(lines) + "\n")


def _terminal_table(table: Table) -> Iterator[str]:
    rows = [table.head, *(tuple(map(_cell, row)) for row in table.rows)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(table.head))]
    yield table.title
    for row in rows:
        yield ("  " + "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))).rstrip()


def _cell(text: str) -> str:
    visible = text.replace("\n", "⏎").replace("\t", "→")
    return visible if len(visible) <= _MOST_CELL else visible[: _MOST_CELL - 1] + "…"


def render_divergence_markdown(block: Block, *, level: int = 1) -> str:
    """Return the block as GitHub-flavoured markdown under a heading of ``level``."""
    mark = "#" * level
    lines = [f"{mark} {escaped(headline(block))}", ""]
    if block["n_texts"]:
        lines += ["| | |", "|---|---|"]
        lines += [f"| {fact.name} | {escaped(fact.text)} |" for fact in facts(block)]
        lines.append("")
    lines += [f"- {fact.name}: {escaped(fact.text)}" for fact in remarks(block)]
    for table in tables(block):
        lines += ["", f"{mark}# {escaped(table.title)}", "", *_markdown_table(table)]
    return "\n".join(lines).rstrip() + "\n"


def _markdown_table(table: Table) -> Iterator[str]:
    yield f"| {' | '.join(table.head)} |"
    yield "|" + "---|" * len(table.head)
    for row in table.rows:
        yield f"| {' | '.join(escaped(_cell(cell)) for cell in row)} |"
