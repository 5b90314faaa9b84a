"""The lines a person reads of a ``divergence`` block, for the terminal, markdown and HTML alike."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports import numbers
from reports.intervals import Interval

Block = Mapping[str, Any]
SHOWN_LARGEST = 8
_MANY = 30  # rows of a table by category


@dataclass(frozen=True, kw_only=True)
class Fact:
    """A figure by name."""

    name: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table with its title; every cell is text."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def headline(block: Block) -> str:
    """Return the divergence in one sentence."""
    pair, differing = _pair(block), block["tokens"]["n_different"]
    if differing:
        total = block["n_texts"] + differing
        rest = f"; of the other {block['n_texts']:,}: {_state(block)}" if block["n_texts"] else ""
        return f"DIVERGENCE tokens differ in {differing:,} of {total:,} texts - {pair}{rest}"
    if not block["n_texts"]:
        return f"DIVERGENCE unknown - {pair}: nothing to compare"
    texts = f"{block['n_response_tokens']:,} response tokens of {block['n_texts']:,} texts"
    return f"DIVERGENCE {_state(block)} - {pair}: {texts}"


def _pair(block: Block) -> str:
    return f"{block['candidate']['label']} against {block['baseline']['label']}"


def _state(block: Block) -> str:
    if not block["n_response_tokens"]:
        return "unknown, for want of log-probabilities"
    return "none, identical" if block["is_identical"] else main_figure(block).text


def main_figure(block: Block) -> Fact:
    """Return the figure that stands for all, by the name it has for these texts."""
    found = main_estimate(block)
    if found is None:
        return Fact(name="difference", text=numbers.UNKNOWN)
    name = "KL estimate" if block["is_sampled_from_baseline"] else "cross-entropy difference"
    return Fact(name=name, text=f"{_number(found)} nats/token")


def main_estimate(block: Block) -> Block | None:
    """Return the estimate that stands for all: of the two of a divergence the one with the narrower interval.

    Both have the same expectation; the controlled one is sharper unless the candidate is far off.
    """
    found: list[Block] = [one for one in (block["kl_controlled"], block["kl"]) if one is not None]
    if not found:
        difference: Block | None = block["cross_entropy_difference"]
        return difference
    return min(found, key=lambda one: one["high"] - one["low"])


def summary(block: Block) -> list[Fact]:
    """Return everything but the tables."""
    return [*(facts(block) if block["n_texts"] else ()), *remarks(block)]


def facts(block: Block) -> Iterator[Fact]:
    """Return the figures of all response tokens together."""
    if not block["n_response_tokens"]:
        return
    if block["is_identical"]:
        yield from _floor(block)
        return
    yield main_figure(block)
    if block["kl"] is not None:
        yield Fact(name="  plain mean", text=f"{_number(block['kl'])} nats/token")
        yield Fact(name="  variance reduced", text=f"{_number(block['kl_controlled'])} nats/token")
    yield Fact(name="perplexity ratio", text=_number(block["perplexity_ratio"]))
    yield Fact(name="top-1 agreement", text=_share(block["top1_agreement"]))
    yield Fact(name=f"left the top {block['top_k']}", text=_share(block["left_top_k"]))
    yield Fact(name="mean |difference|", text=f"{_number(block['mean_absolute'])} nats/token")
    yield from _floor(block)
    trend = block["position_trend"]
    if trend is not None:
        text = f"{_number(trend['per_doubling'])} nats/token more each time the position doubles"
        yield Fact(name="position", text=text)


def _floor(block: Block) -> Iterator[Fact]:
    floor = block["floor"]
    if floor is None:
        return
    same = "identical when asked again"
    mean = floor["mean_absolute"]
    text = same if floor["is_identical"] else f"mean |difference| {_number(mean)}"
    yield Fact(name="noise floor", text=f"{text} ({floor['n_response_tokens']:,} tokens of the baseline)")
    if block["beyond_floor"] is not None:
        yield Fact(name="beyond the floor", text=f"{_number(block['beyond_floor'])} nats/token")


def remarks(block: Block) -> list[Fact]:
    """Return findings, caveats and notes, in this order."""
    return [
        *(Fact(name="finding", text=finding["text"]) for finding in block["findings"]),
        *(Fact(name="caveat", text=text) for text in block["caveats"]),
        *(Fact(name="note", text=text) for text in block["notes"]),
    ]


def tables(block: Block) -> list[Table]:
    """Return where the divergence sits, table by table; those without rows are left out."""
    located = [
        _located("by part", "part", block["by_part"]),
        _located("by position in the text", "tokens", block["by_position"], bars=True),
        _located("by task", "task", block["by_task"]),
        _located("by category", "category", block["by_category"][:_MANY]),
    ]
    found = [
        *([] if block["is_identical"] else located),
        _token_examples(block["tokens"]["examples"]),
        _largest(block["largest"][:SHOWN_LARGEST]),
    ]
    return [table for table in found if table.rows]


def _located(title: str, name: str, rows: Sequence[Block], *, bars: bool = False) -> Table:
    head = (name, "n", "log ratio", "|difference|", "top-1", *(("",) if bars else ()))
    largest = max((row["mean_absolute"] or 0.0 for row in rows), default=0.0)
    return Table(
        title=title,
        head=head,
        rows=tuple((*_cells(row), *((_bar(row, largest),) if bars else ())) for row in rows),
    )


def _cells(row: Block) -> tuple[str, ...]:
    return (
        row["name"],
        f"{row['n_tokens']:,}",
        _with_interval(row["mean_log_ratio"], row["log_ratio_interval"]),
        _with_interval(row["mean_absolute"], row["absolute_interval"]),
        numbers.percent((row["top1_agreement"] or {}).get("value"), 1),
    )


def _bar(row: Block, largest: float) -> str:
    share = (row["mean_absolute"] or 0.0) / largest if largest else 0.0
    return "█" * max(round(16 * share), 1 if share else 0)


def _token_examples(examples: Sequence[Block]) -> Table:
    return Table(
        title="tokens that differ",
        head=("text", "from", "baseline", "candidate"),
        rows=tuple(
            (one["text"], f"{one['position']:,}", _pieces(one["baseline"]), _pieces(one["candidate"]))
            for one in examples
        ),
    )


def _largest(rows: Sequence[Block]) -> Table:
    return Table(
        title="largest single divergences",
        head=("text", "at", "log ratio", "ranks", "context"),
        rows=tuple(
            (
                row["text"],
                f"{row['position']:,}",
                f"{row['log_ratio']:+.2f}",
                f"{row['baseline_rank'] or '?'} → {row['candidate_rank'] or '?'}",
                f"{row['before'][-40:]}⟦{row['token']}⟧{row['after'][:20]}",
            )
            for row in rows
        ),
    )


def _pieces(texts: Sequence[str]) -> str:
    return "|".join(texts)[:48]


def _number(found: Block | None) -> str:
    if found is None or found["value"] is None:
        return numbers.UNKNOWN
    return numbers.decimals(found["value"], found["low"], found["high"])


def _with_interval(value: float | None, found: Block | None) -> str:
    return _number(found) if found is not None else numbers.UNKNOWN if value is None else f"{value:.3g}"


def _share(found: Block | None) -> str:
    if found is None:
        return numbers.UNKNOWN
    low, high = found["low"], found["high"]
    interval = Interval(low=low, high=high, confidence=found["confidence"], method=found["method"])
    return f"{numbers.percent(found['value'])} {numbers.percent_interval(interval)}"
