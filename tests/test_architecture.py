"""What may import what, and what every file keeps to: held here, not in anybody's memory."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("evals", "tasks", "verifiers", "reports")
MAY_IMPORT = {
    "evals": {"evals", "tasks", "verifiers", "reports"},
    "tasks": {"tasks", "verifiers"},
    "verifiers": {"verifiers"},
    "reports": {"reports"},
    "quantcheck": {"evals"},
}
# What the pure packages may not touch: graders read text, reports read files.
FORBIDDEN = {
    "verifiers": {
        "inspect_ai",
        "aiohttp",
        "requests",
        "openai",
        "datasets",
        "pandas",
        "socket",
        "subprocess",
    },
    "reports": {"inspect_ai", "aiohttp", "requests", "openai", "datasets", "socket", "subprocess"},
}
FILES = [
    *sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py")),
    ROOT / "quantcheck.py",
]
NAMES = [str(path.relative_to(ROOT)) for path in FILES]
MOST_LINES = 260  # most files have fewer than 150; past this a file has a second job
MOST_FUNCTION_LINES = 50  # most have fewer than 25
LARGER_FILES = {"verifiers/completion.py": 290, "verifiers/native_tokens.py": 290}
# a list of flags or of probes is no logic
TABLES = {"endpoint_options", "protocol_options", "running_options", "basic_probes", "choice_probes"}
BANNED_NAMES = {"utils", "util", "common", "helpers", "helper", "base", "core", "manager", "handler", "misc"}

every_file = pytest.mark.parametrize("path", FILES, ids=NAMES)


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports_of(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: a relative import hides where it leads"
            yield node.lineno, node.module or ""


def package_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


@every_file
def test_imports_go_one_way(path):
    allowed = MAY_IMPORT[package_of(path)]
    for line, module in imports_of(tree_of(path)):
        top = module.partition(".")[0]
        assert top not in PACKAGES or top in allowed, f"{path.name}:{line} imports {module}"
        assert top not in FORBIDDEN.get(package_of(path), ()), f"{path.name}:{line} imports {module}"
        assert top not in {"tests", "benchmarks"}, f"{path.name}:{line} imports {module}"


@every_file
def test_no_import_hides_in_a_function_without_a_reason(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    for node in ast.walk(tree_of(path)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for line, module in imports_of(node):
            assert "noqa: PLC0415" in lines[line - 1], f"{path.name}:{line} imports {module} in {node.name}"
            assert lines[line - 2].lstrip().startswith("#"), f"{path.name}:{line}: the reason stands above"


def test_hidden_imports_stay_few():
    hidden = [name for name, path in zip(NAMES, FILES, strict=True) if "noqa: PLC0415" in path.read_text()]
    assert len(hidden) <= 4, hidden


@every_file
def test_files_and_functions_stay_small(path):
    name = str(path.relative_to(ROOT))
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LARGER_FILES.get(name, MOST_LINES)
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name not in TABLES:
            body = (node.end_lineno or 0) - node.body[0].lineno + 1
            assert body <= MOST_FUNCTION_LINES, f"{path.name}: {node.name} has {body} lines"


@every_file
def test_every_module_says_what_it_is_for(path):
    text = ast.get_docstring(tree_of(path))
    assert text, f"{path.name} has no docstring"
    assert text.splitlines()[0].endswith((".", "?")), f"{path.name}: the first line is a sentence"


@every_file
def test_names_say_what_is_inside(path):
    assert not BANNED_NAMES & set(path.stem.split("_"))


@every_file
def test_exceptions_are_not_swallowed_and_input_is_not_asserted(path):
    for node in ast.walk(tree_of(path)):
        assert not isinstance(node, ast.Assert), f"{path.name}:{node.lineno} asserts"
        if isinstance(node, ast.ExceptHandler):
            broad = node.type is None or (
                isinstance(node.type, ast.Name) and node.type.id in {"Exception", "BaseException"}
            )
            raises = any(isinstance(inner, ast.Raise) for inner in ast.walk(node))
            assert not broad or raises, f"{path.name}:{node.lineno} swallows every exception"


@every_file
def test_nothing_is_random_at_import(path):
    for node in tree_of(path).body:
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.Expr):
            calls = {ast.unparse(inner.func) for inner in ast.walk(node) if isinstance(inner, ast.Call)}
            assert not any("random" in call for call in calls), f"{path.name}:{node.lineno}"


@every_file
def test_data_classes_are_frozen_and_keyword_only(path):
    """But for accumulators, which say so by not being frozen, and exceptions, which Python itself changes."""
    for node in ast.walk(tree_of(path)):
        if not isinstance(node, ast.ClassDef):
            continue
        for decorator in node.decorator_list:
            if ast.unparse(decorator).startswith("dataclass"):
                assert "kw_only=True" in ast.unparse(decorator), f"{path.name}: {node.name}"


@pytest.mark.parametrize("package", PACKAGES)
def test_there_is_no_cycle_between_modules(package):
    graph = {
        module_of(path): {name for _, name in imports_of(tree_of(path)) if name.partition(".")[0] == package}
        for path in FILES
        if package_of(path) == package
    }
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join([*trail, name])
        if name in done or name not in graph:
            return
        for other in graph[name]:
            visit(other, (*trail, name))
        done.add(name)

    for name in graph:
        visit(name, ())


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
