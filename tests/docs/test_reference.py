"""Documentation that could go stale: commands, links, names of functions, the task on its page."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from evals.command_list import COMMANDS
from evals.reference import PAGE, README, render_page, with_table

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").glob("*.md"))
FUNCTION = re.compile(r"`((?:evals|tasks|reports|verifiers)\.[\w.]+)")
LINK = re.compile(r"\]\(([^)#\s]+?)(?:#[\w.-]+)?\)")

every_page = pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])


def test_the_tables_of_commands_are_the_commands_own():
    readme = (ROOT / README).read_text(encoding="utf-8")
    assert with_table(readme) == readme, "make reference"
    assert (ROOT / PAGE).read_text(encoding="utf-8") == render_page(), "make reference"


def test_a_readme_without_a_place_for_the_table_is_told():
    with pytest.raises(ValueError, match="has no place"):
        with_table("# quantcheck")


def test_every_command_names_a_page_that_is_there():
    assert {entry.page for entry in COMMANDS.values() if entry.page} <= {page.name for page in PAGES}


@every_page
def test_pages_link_to_what_is_there(page):
    text = page.read_text(encoding="utf-8")
    for target in LINK.findall(text):
        if not target.startswith(("http:", "https:")):
            assert (page.parent / target).resolve().is_file(), target


def test_every_page_is_in_the_navigation():
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in PAGES:
        assert f": {page.name}\n" in navigation, page.name


def test_the_python_page_names_functions_that_exist():
    names = FUNCTION.findall((ROOT / "docs/python.md").read_text(encoding="utf-8"))
    assert len(names) > 12
    for name in names:
        module, _, attribute = name.rpartition(".")
        assert hasattr(import_module(module), attribute), name


def test_the_task_of_ten_lines_runs(monkeypatch, tmp_path):
    from evals.simulator.exams import book_of
    from tasks.exam import load_exam
    from verifiers.outcome import Outcome
    from verifiers.response import Response

    text = (ROOT / "docs/add_a_task.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names: dict = {}
    exec(compile(block, "docs/add_a_task.md", "exec"), names)
    path = tmp_path / "sums.jsonl"
    rows = [f'{{"question": "{n} + {n}?", "answer": "{2 * n}", "category": "easy"}}' for n in (1, 2, 3)]
    path.write_text("\n".join(rows))
    exam = load_exam(names["SUMS"], path=path)
    assert len(book_of((names["SUMS"], exam.items)).entries) == 3
    grade = names["SUMS"].grade(Response(content="It is 4.", finish_reason="stop"), "4", {})
    assert grade.outcome is Outcome.CORRECT
