"""A run that has nothing left to ask is not evaluated again, unless something makes its log doubtful."""

from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

REVISION = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def finished(ask, serve, tmp_path, monkeypatch) -> tuple[str, Path]:
    """Run aime25 to its end from a clean checkout; return the endpoint and the run's directory."""
    _check_out(monkeypatch, REVISION)
    url = serve().base_url
    assert ask(url).code == 0
    (directory,) = (tmp_path / "runs" / "x" / "aime25").iterdir()
    return url, directory


def _check_out(monkeypatch: pytest.MonkeyPatch, revision: str) -> None:
    monkeypatch.setattr("evals.storage.run_directory.git_revision", lambda _folder: revision)


def _logs(directory: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in directory.glob("*.eval")}


def _cut(directory: Path) -> None:
    (log,) = directory.glob("*.eval")
    log.write_bytes(log.read_bytes()[: log.stat().st_size // 2])


def _remove(pattern: str) -> Callable[[Path], None]:
    def remove(directory: Path) -> None:
        (path,) = directory.glob(pattern)
        path.unlink()

    return remove


def _leave(_directory: Path) -> None:
    pass


def test_a_finished_run_keeps_its_log_and_manifest_and_needs_no_endpoint(ask, finished, serve) -> None:
    _url, directory = finished
    before = (_logs(directory), (directory / "manifest.json").read_bytes())
    other = serve(model="simulated-quick")
    again = ask(other.base_url, "--json", "--max-connections", 3)
    assert (again.code, again.document["requests_sent"], again.document["status"]) == (0, 0, "complete")
    assert (_logs(directory), (directory / "manifest.json").read_bytes()) == before


@pytest.mark.parametrize(
    "spoil, flags, n_sent",
    [
        pytest.param(_cut, {}, 0, id="a log that is cut"),
        pytest.param(_remove("*.eval"), {}, 0, id="no log"),
        pytest.param(_remove("journal.zst"), {}, 12, id="no journal"),
        pytest.param(_remove("manifest.json"), {}, 0, id="no manifest"),
        pytest.param(_leave, {"epochs": 3}, 6, id="more epochs"),
        pytest.param(_leave, {"limit": 7}, 2, id="more items"),
        pytest.param(_leave, {"limit": 5}, 0, id="fewer items"),
    ],
)
def test_anything_else_is_evaluated_again(ask, finished, spoil, flags, n_sent) -> None:
    url, directory = finished
    before = _logs(directory)
    spoil(directory)
    again = ask(url, "--json", **flags)
    assert (again.code, again.document["requests_sent"], again.document["status"]) == (0, n_sent, "complete")
    assert _logs(directory).keys() - before.keys()


@pytest.mark.parametrize("revision", [f"{REVISION}-dirty", REVISION[::-1]], ids=["changed", "another"])
def test_code_that_may_grade_otherwise_reads_the_answers_again(ask, finished, revision, monkeypatch) -> None:
    url, directory = finished
    before = _logs(directory)
    _check_out(monkeypatch, revision)
    again = ask(url, "--json")
    assert (again.code, again.document["requests_sent"]) == (0, 0)
    assert not _logs(directory).keys() & before.keys()


def test_errors_are_asked_again(ask, serve, tmp_path, monkeypatch) -> None:
    _check_out(monkeypatch, REVISION)
    failing = serve("http_500=1.0")
    assert ask(failing.base_url, "--outage", 0.2).code == 4
    again = ask(serve().base_url, "--json")
    assert (again.code, again.document["requests_sent"]) == (0, 12)
    (directory,) = (tmp_path / "runs" / "x" / "aime25").iterdir()
    assert orjson.loads((directory / "manifest.json").read_bytes())["finished"]
