"""Whole runs of the tasks against the simulated endpoint, with datasets of our own making."""

import gc
import io
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import zipfile_zstd  # noqa: F401  (teaches zipfile the compression that Inspect uses)
from PIL import Image

from evals.cli import run_command_line
from evals.simulator.config import SimulatorConfig
from evals.simulator.exams import book_of
from evals.simulator.profile import Lengths, Profile, TaskProfile
from evals.simulator.server import Running, serve_in_thread
from tasks.catalog import find_benchmark
from tasks.exam import ExamSource, load_exam

PERFECT = Profile(
    name="perfect",
    other_tasks=TaskProfile(default=1.0),
    reasoning=Lengths(median=5, sigma=0.1),
    answer=Lengths(median=3, sigma=0.1),
)
ROOT = Path(__file__).parents[2]

# Inspect runs inside these tests: what it leaves open and what its libraries warn of is not ours to mend
pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning",
    "ignore::ResourceWarning",
    "ignore::pytest.PytestUnraisableExceptionWarning",
)


@pytest.fixture(autouse=True)
def _own_leavings() -> Iterator[None]:
    """Collect what Inspect left open while its warnings are ours to ignore, not those of the next test."""
    yield
    gc.collect()


def png(*colour: int, mode: str = "RGB") -> dict[str, Any]:
    buffer = io.BytesIO()
    Image.new(mode, (40, 30), colour).save(buffer, format="PNG")
    return {"bytes": buffer.getvalue(), "path": None}


def gpqa_rows(n: int) -> list[dict[str, Any]]:
    fields = ["Correct Answer", *(f"Incorrect Answer {place}" for place in (1, 2, 3))]
    return [
        {"Record ID": f"rec{k}", "Question": f"made up {k}", "Subdomain": "Genetics"}
        | {field: f"{field} of {k}" for field in fields}
        for k in range(n)
    ]


def ocr_rows(n: int) -> list[dict[str, Any]]:
    kinds = ("Regular Text Recognition", "Doc-oriented VQA")
    return [
        {
            "question": "What does it say?",
            "answer": [f"w{k}x"],
            "question_type": kinds[k % 2],
            "image": png(k, 0, 0),
        }
        for k in range(n)
    ]


def mmmu_rows(n: int) -> list[dict[str, Any]]:
    return [
        {
            "id": f"made_up_{k}",
            "question": f"Made up {k}: <image 1>?",
            "options": repr(["<image 2>", "<image 3>", "neither"] if k % 4 == 0 else list("wxyz")),
            "answer": "ABC"[k % 3],
            "subject": ("Art", "Music")[k % 2],
            "image_1": png(k, 1, 0, 0, mode="RGBA"),
            "image_2": png(k, 2, 0) if k % 4 == 0 else None,
            "image_3": png(k, 3, 0) if k % 4 == 0 else None,
        }
        for k in range(n)
    ]


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Callable[..., Running]]:
    """Return a function that writes rows and serves a checkpoint that answers them all right."""
    servers: list[Any] = []

    def start(task: str, rows: Sequence[dict[str, Any]], **settings: Any) -> Running:
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.Table.from_pylist(list(rows)), tmp_path / "data.parquet")
        benchmark = find_benchmark(task)
        options = {"shuffle_per_epoch": True} if "shuffle_per_epoch" in benchmark.options else {}
        source = ExamSource(path=tmp_path / "data.parquet", accept_changes=True, options=options)
        exam = load_exam(benchmark, source=source)
        config = SimulatorConfig(
            profile=PERFECT,
            book=book_of((benchmark, exam.items)),
            **{"tokens_per_s": 0, "ttft_s": 0, **settings},
        )
        servers.append(serve_in_thread(config))
        running: Running = servers[-1].__enter__()
        return running

    yield start
    for server in servers:
        server.__exit__(None, None, None)


def arguments(task: str, running: Running, tmp_path: Path, *more: str) -> list[str]:
    where = ["--base-url", running.base_url, "--label", "x", "--runs-dir", str(tmp_path / "runs")]
    return [
        "run",
        task,
        *where,
        "--dataset-path",
        str(tmp_path / "data.parquet"),
        "--accept-dataset",
        "--json",
        *more,
    ]


def logged(tmp_path: Path) -> str:
    (log,) = (tmp_path / "runs").rglob("*.eval")
    with zipfile.ZipFile(log) as archive:
        return "".join(archive.read(name).decode() for name in archive.namelist())


@pytest.mark.parametrize(
    ("task", "rows", "epochs", "category"),
    [
        pytest.param("gpqa_diamond", gpqa_rows(6), 1, "Genetics", id="gpqa_diamond"),
        pytest.param("ocrbench", ocr_rows(6), 1, "Doc-oriented VQA", id="ocrbench"),
        pytest.param("mmmu_pro", mmmu_rows(9), 2, "Art", id="mmmu_pro"),
    ],
)
def test_a_task_runs_and_every_right_answer_counts(
    play: Callable[..., Running],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    task: str,
    rows: list[dict[str, Any]],
    epochs: int,
    category: str,
) -> None:
    running = play(task, rows)
    assert run_command_line(arguments(task, running, tmp_path, "--epochs", str(epochs))) == 0
    said = capsys.readouterr()
    summary = json.loads(said.out)
    assert summary["outcomes"]["correct"] == summary["expected"] == len(rows) * epochs
    assert category in {row["category"] for row in summary["categories"]}
    assert "made up" not in said.out.lower() + said.err.lower()
    sent = running.ledger.as_json()
    assert (sent["unknown_prompts"], sent["statuses"]) == (0, {"200": len(rows) * epochs})
    text = logged(tmp_path)
    assert "base64" not in text
    assert ("quantcheck-image:" in text) == (task != "gpqa_diamond")
    assert run_command_line(arguments(task, running, tmp_path, "--epochs", str(epochs))) == 0
    assert json.loads(capsys.readouterr().out)["requests_sent"] == 0


def test_moved_options_are_another_exam_and_graded_by_their_own_letters(
    play: Callable[..., Running], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    running = play("gpqa_diamond", gpqa_rows(5))
    fingerprints = set()
    for more in ((), ("--shuffle-per-epoch",)):
        assert run_command_line(arguments("gpqa_diamond", running, tmp_path, "--epochs", "4", *more)) == 0
        summary = json.loads(capsys.readouterr().out)
        assert summary["outcomes"]["correct"] == 20
        fingerprints.add(summary["fingerprint"])
    assert len(fingerprints) == 2


@pytest.mark.parametrize("flag", [("--shuffle-per-epoch",), ("--max-image-pixels", "100")])
def test_a_setting_that_a_task_does_not_have_is_a_usage_error(tmp_path: Path, flag: tuple[str, ...]) -> None:
    command = ["run", "aime25", "--base-url", "http://127.0.0.1:9", "--runs-dir", str(tmp_path), *flag]
    assert run_command_line(command) == 2


def test_variants_are_named_in_every_output(
    play: Callable[..., Running], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    running = play("mmmu_pro", mmmu_rows(3))
    assert run_command_line(arguments("mmmu_pro", running, tmp_path)) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["variant"] == "standard (10 options)"
    assert "mmmu_pro [standard (10 options)]" in said.err
    (manifest,) = (tmp_path / "runs").rglob("manifest.json")
    assert json.loads(manifest.read_text())["spec"]["variant"] == "standard (10 options)"


def test_a_run_killed_without_warning_goes_on_where_it_was(
    play: Callable[..., Running], tmp_path: Path
) -> None:
    rows = mmmu_rows(24)
    running = play("mmmu_pro", rows, max_concurrency=2, ttft_s=0.15)
    command = [
        sys.executable,
        "-m",
        "evals",
        *arguments("mmmu_pro", running, tmp_path, "--max-connections", "4"),
    ]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as first:
        deadline = time.monotonic() + 120
        while running.ledger.as_json()["completed"] < 8 and time.monotonic() < deadline:
            assert first.poll() is None
            time.sleep(0.05)
        os.kill(first.pid, signal.SIGKILL)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert summary["outcomes"]["correct"] == 24
    assert 0 < summary["requests_sent"] <= 24 - 4
    sent = running.ledger.as_json()
    assert sent["unknown_prompts"] == 0
    assert all(item["attempts"] <= 2 for item in sent["items"])
