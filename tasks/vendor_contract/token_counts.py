"""Prompts with the number of tokens they must be counted as: read from a file, asked as one probe."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tasks.rows import DataError
from tasks.vendor_contract.probe import Ask, Body, Budgets, Group, Probe, user
from verifiers.contract_usage import prompt_tokens_match

_NOT_SENT = frozenset({"model", "stream", "stream_options", "max_tokens"})


@dataclass(frozen=True, kw_only=True)
class TokenCount:
    """One request and the prompt tokens that it has."""

    name: str
    body: Body
    tokens: int


def read_token_counts(path: Path) -> tuple[TokenCount, ...]:
    """Read a JSON list, or JSON lines, of ``{"prompt", "tokens"}``.

    In place of ``prompt`` there may be ``messages`` or a whole ``request``, in place of ``tokens``
    ``expected_prompt_tokens``, and an ``id``. Raises :class:`DataError` that names the row.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"token counts {str(path)!r}: cannot be read ({error})") from error
    rows = _parse(text, path)
    if not rows:
        raise DataError(
            f'token counts {str(path)!r}: no rows; give a list of {{"prompt": ..., "tokens": ...}}'
        )
    counts = tuple(_read_row(row, number, path) for number, row in enumerate(rows, start=1))
    if len({count.name for count in counts}) < len(counts):
        raise DataError(f"token counts {str(path)!r}: an id stands twice; ids are unique")
    return counts


def token_count_probe(counts: tuple[TokenCount, ...], budgets: Budgets) -> Probe:
    """Return the probe that every prompt is counted as it should be; thinking is left as the server has it."""
    return Probe(
        name="token_counts",
        group=Group.USAGE,
        expectation=f"{len(counts)} given prompts have the prompt tokens that they should have, "
        "at most 1 % (or 2) more.",
        asks=tuple(
            Ask(name=count.name, body={**count.body, "max_tokens": budgets.short}) for count in counts
        ),
        judge=prompt_tokens_match({count.name: count.tokens for count in counts}),
        advice="the tokenizer or the chat template differs from the checkpoint's own",
        depends_on=("usage_present",),
    )


def _parse(text: str, path: Path) -> list[Any]:
    try:
        value = json.loads(text)
        return value if isinstance(value, list) else [value]
    except json.JSONDecodeError:
        pass
    rows = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            rows += [json.loads(line)] if line.strip() else []
        except json.JSONDecodeError as error:
            raise DataError(f"token counts {str(path)!r}: line {number} is not JSON ({error.msg})") from error
    return rows


def _read_row(row: Any, number: int, path: Path) -> TokenCount:
    where = f"token counts {str(path)!r}, row {number}"
    if not isinstance(row, Mapping):
        raise DataError(f'{where}: {row!r} is no object; give {{"prompt": ..., "tokens": ...}}')
    tokens = row.get("tokens", row.get("expected_prompt_tokens"))
    if type(tokens) is not int or tokens < 1:
        raise DataError(f"{where}: tokens is {tokens!r}; give a whole number above 0")
    return TokenCount(name=str(row.get("id", f"prompt {number}")), body=_body(row, where), tokens=tokens)


def _body(row: Mapping[str, Any], where: str) -> Body:
    request = row.get("request")
    if isinstance(request, Mapping):
        body = {name: value for name, value in request.items() if name not in _NOT_SENT}
    elif isinstance(row.get("messages"), list):
        body = {"messages": row["messages"]}
    elif isinstance(row.get("prompt"), str):
        body = {"messages": user(row["prompt"])}
    else:
        raise DataError(f"{where}: has no prompt; give a text under prompt, or messages")
    if not isinstance(body.get("messages"), list) or not body["messages"]:
        raise DataError(f"{where}: has no messages; give a list of them")
    return body
