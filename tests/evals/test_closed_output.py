"""A reader that goes away costs its output and nothing else: neither the work nor the exit code."""

import os
import shlex
import subprocess
import sys

import pytest

QUANTCHECK = [sys.executable, "-m", "quantcheck"]


def run_into_closed_pipe(*arguments, closed):
    """Run with stdout or stderr a pipe that nobody reads; return the exit code and what the other one got."""
    reader, writer = os.pipe()
    os.close(reader)
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | {closed: writer}
    done = subprocess.run([*QUANTCHECK, *map(str, arguments)], check=False, timeout=120, **streams)
    os.close(writer)
    return done.returncode, (done.stderr if closed == "stdout" else done.stdout).decode()


@pytest.fixture
def worse(tmp_path):
    """Two score files: the second has lost everything."""
    for name, score in (("a", 1), ("b", 0)):
        rows = "".join(f"i{k},{epoch},{score}\n" for k in range(30) for epoch in (1, 2))
        (tmp_path / f"{name}.csv").write_text(f"sample_id,epoch,score\n{rows}")
    return tmp_path / "a.csv", tmp_path / "b.csv"


@pytest.mark.parametrize("closed", ["stdout", "stderr"])
def test_a_regression_stays_one(worse, tmp_path, closed):
    code, other = run_into_closed_pipe("compare", *worse, "--out", tmp_path / "out", closed=closed)
    assert code == 1 and "Traceback" not in other and "BrokenPipe" not in other
    assert (tmp_path / "out" / "report.html").exists()


def test_a_pass_stays_one(worse, tmp_path):
    same = worse[0]
    code, err = run_into_closed_pipe(
        "compare", same, same, "--margin", 0.2, "--out", tmp_path / "out", "--json", closed="stdout"
    )
    assert (code, "BrokenPipe" in err) == (0, False)


def test_scores_that_nobody_reads_are_no_verdict(tmp_path):
    rows = "".join(f"i{k},1,1\n" for k in range(5_000))  # more than a buffer holds back
    (tmp_path / "a.csv").write_text(f"sample_id,epoch,score\n{rows}")
    assert run_into_closed_pipe("export", tmp_path / "a.csv", closed="stdout") == (0, "")


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["list"]])
def test_help_into_a_closed_pipe_is_no_verdict(arguments):
    assert run_into_closed_pipe(*arguments, closed="stdout") == (0, "")


@pytest.mark.parametrize(
    ("closing", "arguments", "code"), [(">&-", "list", 0), ("2>&-", "list --nothing", 2)]
)
def test_a_stream_that_was_never_open_is_no_error(closing, arguments, code):
    command = f"exec {shlex.join(QUANTCHECK)} {arguments} {closing}"
    done = subprocess.run(["sh", "-c", command], check=False, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (code, b"")


def test_the_module_is_the_command():
    done = subprocess.run([*QUANTCHECK, "run"], check=False, capture_output=True, timeout=60)
    assert done.returncode == 2 and b"TASK" in done.stderr
