"""The smoke task against simulated endpoints: right, wrong, thinking or not, and dead."""

import json
from collections import Counter

import pytest

from evals.simulator.exams import book_of
from evals.simulator.profile import BROKEN, Lengths, Profile, TaskProfile
from tasks.exam import load_exam
from tasks.smoke import SMOKE

# Inspect runs inside these tests: what it leaves open and what its libraries warn of is not ours to mend
pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning",
    "ignore::ResourceWarning",
    "ignore::pytest.PytestUnraisableExceptionWarning",
)
BOOK = book_of((SMOKE, load_exam(SMOKE).items))


def profile(chance, *, thinking=True):
    short = Lengths(median=8)
    tasks = {"smoke": TaskProfile(default=chance)}
    return Profile(name=f"p{chance}", tasks=tasks, reasoning=short, answer=short, thinking=thinking)


@pytest.fixture
def smoke(serve, cli, tmp_path):
    """Return a function that runs the smoke task against a simulated checkpoint."""

    def run(checkpoint, *more, label="x"):
        url = serve(profile=checkpoint, book=BOOK, model="m").base_url
        return cli(
            "run", "smoke", "--base-url", url, "--label", label, "--runs-dir", tmp_path, "--json", *more
        )

    return run


@pytest.mark.parametrize("thinking", [True, False])
def test_right_answers_of_every_form_count(smoke, thinking):
    ended = smoke(profile(1.0, thinking=thinking), "--epochs", 1)
    assert ended.code == 0 and "budget" not in ended.err
    summary = ended.document
    assert summary["outcomes"]["correct"] == summary["expected"] == 170
    assert Counter(row["n"] for row in summary["categories"]).total() == 11


def test_wrong_answers_of_every_form_are_wrong(smoke):
    outcomes = smoke(profile(0.0), "--epochs", 1).document["outcomes"]
    assert outcomes["correct"] == 0 and outcomes["incorrect"] > 130


def test_a_dead_checkpoint_is_stopped_and_named(smoke, cli, tmp_path):
    smoke(profile(1.0), "--limit", 8, "--epochs", 1, label="alive")
    ended = smoke(BROKEN, "--max-tokens", 128, "--max-connections", 4, label="dead")
    assert ended.code == 5 and "dead checkpoint" in ended.err
    assert "replies say nothing" in ended.err and "accuracy 0" not in ended.err
    summary = json.loads(ended.out)
    assert summary["status"] == "invalid" and summary["accuracy"]["value"] is None
    assert 8 <= summary["requests_sent"] < 40
    compared = cli("compare", tmp_path / "alive", tmp_path / "dead", "--out", tmp_path / "c", "--json")
    assert compared.code == 4
    assert json.loads(compared.out)["tasks"][0]["reason"].startswith("candidate: dead checkpoint")


def test_recorded_answers_are_graded_by_the_generated_targets(cli, tmp_path):
    items = load_exam(SMOKE).items
    path = tmp_path / "said.jsonl"
    rows = [{"id": item.sample_id, "response": f"Answer: {item.target}"} for item in items]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    document = cli("score", "smoke", path, "--json").document
    assert document["outcomes"]["correct"] == len(items)
