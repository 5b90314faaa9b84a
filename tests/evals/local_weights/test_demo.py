"""The demonstration with simulated checkpoints in place of real weights: what it runs, says and survives."""

import shutil
from contextlib import contextmanager

import pytest

from evals.exit_code import CommandError, ExitCode
from evals.local_weights.checkpoint_run import Workshop
from evals.local_weights.demo import run_demo
from evals.local_weights.demo_table import render_demo
from evals.local_weights.settings import DemoSettings
from evals.local_weights.variants import VARIANTS
from evals.simulator.exams import book_of
from evals.simulator.profile import BROKEN, Lengths, Profile, TaskProfile
from reports.verdict import Verdict
from tasks.exam import load_exam
from tasks.smoke import SMOKE

# Inspect runs inside these tests: what it leaves open and what its libraries warn of is not ours to mend
pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning",
    "ignore::ResourceWarning",
    "ignore::pytest.PytestUnraisableExceptionWarning",
)
BOOK = book_of((SMOKE, load_exam(SMOKE).items))


def _profile(chance):
    short = Lengths(median=4)
    tasks = {"smoke": TaskProfile(default=chance)}
    return Profile(name=f"p{chance}", tasks=tasks, reasoning=short, answer=short, thinking=False)


CHECKPOINTS = {
    "source": _profile(1.0),
    "q8_0": _profile(1.0),
    "q4_0": _profile(0.4),
    "nvfp4-wrong-scale": BROKEN,
}


@pytest.fixture
def workshop(serve):
    """A workshop whose checkpoints are simulated; ``served`` names them in order."""
    names = []

    @contextmanager
    def served(weights, model, log):
        assert weights.is_file() and log.parent.is_dir()
        names.append(model)
        yield serve(profile=CHECKPOINTS[model], book=BOOK, model=model).base_url

    def write(source, target, _variant):
        shutil.copyfile(source, target)
        return 7

    made = Workshop(write=write, serve=served)
    object.__setattr__(made, "names", names)
    return made


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF" + bytes(2_000_000))
    return path


def settings(tmp_path, *variants):
    return DemoSettings(
        runs_dir=tmp_path / "runs",
        variants=variants,
        epochs=2,
        limit=33,
        max_tokens=96,
        temperature=0.3,
        margin=0.06,
        parallel=1,  # what is simulated here reaches no other process
    )


def test_a_pass_a_regression_and_a_dead_checkpoint_are_told_apart(workshop, source, tmp_path):
    asked = settings(tmp_path, "q8_0", "q4_0", "nvfp4-wrong-scale")
    end = run_demo(source, asked, workshop)
    assert workshop.names == ["source", "q8_0", "q4_0", "nvfp4-wrong-scale"]
    verdicts = [one.task.verdict for one in end.comparisons]
    assert verdicts == [Verdict.PASS, Verdict.REGRESSION, Verdict.INVALID]
    assert all(one.page.is_file() for one in end.comparisons)
    table = render_demo(end).splitlines()
    assert table[1].split()[:4] == ["source", "2", "MB", "100.00"] and "baseline" in table[1]
    assert "PASS" in table[2] and "REGRESSION" in table[3]
    assert "dead checkpoint" in table[4] and "0.00 %" not in table[4]
    assert not list((tmp_path / "runs").glob(".weights-*"))

    again = run_demo(source, asked, workshop)  # everything is there: only the dead one is asked again
    assert [one.task.verdict for one in again.comparisons] == verdicts


def test_what_is_slow_is_asked_half_as_often():
    assert [VARIANTS[name].epochs(6) for name in ("q8_0", "q4_0", "nvfp4")] == [6, 6, 3]
    assert VARIANTS["nvfp4"].epochs(1) == 1


def test_a_source_that_cannot_be_run_ends_the_demonstration(workshop, source, tmp_path, monkeypatch):
    monkeypatch.setitem(CHECKPOINTS, "source", BROKEN)
    with pytest.raises(CommandError, match="dead checkpoint") as caught:
        run_demo(source, settings(tmp_path, "q8_0"), workshop)
    assert caught.value.code == ExitCode.ENDPOINT_OR_DATA
    assert workshop.names == ["source"]
