"""What people and pipelines read of one comparison, as goldens: REWRITE_GOLDENS=1 pytest this file."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reports.comparison import ComparisonSettings, compare
from reports.json_report import render_json
from reports.markdown import escaped, render_markdown
from reports.report import Report
from reports.terminal import WIDTH, printable, render_terminal
from reports.tolerance import Tolerance

N_ITEMS, N_EPOCHS = 30, 32


def _rows(logs: Any, truncated: int = 0) -> list[Any]:
    """The published AIME run: 22 epochs of 30/30 and 10 of 29/30, each miss on another item."""
    missed = {(epoch, epoch): "truncated" if epoch <= truncated else "incorrect" for epoch in range(1, 11)}
    rows = logs.grid(N_ITEMS, N_EPOCHS, missed)
    for row in rows:
        metadata = row["scores"]["outcome"]["metadata"]
        tokens = 1000 + 10 * int(row["id"][1:]) + row["epoch"]
        metadata |= {
            "output_tokens": tokens + 100,
            "reasoning_tokens": tokens,
            "content_hash": f"h-{row['id']}",
        }
    return rows


@pytest.fixture
def aime(tmp_path: Path, logs: Any) -> Report:
    """The published run against a candidate with three truncated responses and two missing ones."""
    facts = {"n_items": N_ITEMS, "epochs": N_EPOCHS, "expected": 960}
    base = logs.run(tmp_path, _rows(logs), label="int4", **facts)
    cand = logs.run(tmp_path, _rows(logs, truncated=3)[:-2], label="nvfp4", **facts)
    return _without_paths(
        compare(base, cand, ComparisonSettings(tolerance=Tolerance(margin=0.02, source="--margin")))
    )


@pytest.fixture
def mixed(tmp_path: Path, logs: Any) -> Report:
    """Three tasks: one that lost, one under another protocol, one on the baseline alone."""
    lost = {(item, epoch): "incorrect" for item in range(20) for epoch in range(1, 5)}
    warm = logs.spec | {"sampling": {"temperature": 0.6, "top_p": 0.95}}
    for task in ("aime25", "gpqa_diamond", "ocrbench"):
        logs.run(tmp_path, logs.grid(40, 4), label="int4", task=task)
    logs.run(tmp_path, logs.grid(40, 4, lost), label="nvfp4", task="gpqa_diamond")
    logs.run(tmp_path, logs.grid(40, 4), label="nvfp4", task="aime25", fingerprint="f2", spec=warm)
    return _without_paths(compare(tmp_path / "int4", tmp_path / "nvfp4", ComparisonSettings()))


def _without_paths(report: Report) -> Report:
    """Replace the temporary directory by names that stay."""

    def moved(side: Any) -> Any:
        return replace(side, facts=replace(side.facts, source=f"runs/{side.facts.label}/{side.facts.task}"))

    tasks = [replace(t, baseline=moved(t.baseline), candidate=moved(t.candidate)) for t in report.tasks]
    return replace(report, tasks=tuple(tasks))


def _rounded(text: str) -> str:
    """Round every number to 9 digits: the last ones depend on the machine."""
    document = json.loads(text, parse_float=lambda number: float(f"{float(number):.9g}"))
    return json.dumps(document, indent=1) + "\n"


@pytest.mark.parametrize("case", ["aime", "mixed"])
@pytest.mark.parametrize(
    ("suffix", "render"),
    [
        pytest.param("txt", render_terminal, id="terminal"),
        pytest.param("md", render_markdown, id="markdown"),
        pytest.param("json", lambda report: _rounded(render_json(report)), id="json"),
    ],
)
def test_goldens(
    request: pytest.FixtureRequest,
    golden: Callable[[str, str], None],
    case: str,
    suffix: str,
    render: Callable[[Report], str],
) -> None:
    golden(f"compare_{case}.{suffix}", render(request.getfixturevalue(case)))


def test_the_terminal_names_truncation_before_accuracy_and_ends_with_the_verdict(aime: Report) -> None:
    lines = render_terminal(aime).splitlines()
    names = [line.split()[0] for line in lines if line.startswith("  ") and line.strip()]
    assert names.index("truncated") < names.index("errors") < names.index("accuracy") < names.index("delta")
    assert "22 epochs of 30/30, 10 of 29/30; mean" in render_terminal(aime)
    assert "0.98958" in render_terminal(aime)
    assert max(map(len, lines)) <= WIDTH + 4


def test_every_number_in_the_document_is_one(mixed: Report) -> None:
    json.loads(render_json(mixed), parse_constant=lambda name: pytest.fail(name))


def test_names_from_files_cannot_steer_a_terminal() -> None:
    assert printable("a\x1b[2Jb\u202ec\rd\n") == "a\ufffd[2Jb\ufffdc\ufffdd\n"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("<img src=x onerror=alert(1)>", r"\<img src=x onerror=alert(1)\>", id="HTML"),
        pytest.param("a|b", r"a\|b", id="table cell"),
        pytest.param("@team [x](y) `z`", r"\@team \[x\](y) \`z\`", id="mention, link, code"),
        pytest.param("two\nlines", "two lines", id="lines"),
        pytest.param("&lt;", "&amp;lt;", id="entity"),
    ],
)
def test_markdown_shows_text_from_logs_as_it_is(text: str, shown: str) -> None:
    assert escaped(text) == shown
