"""Runs that stop once decided, against endpoints with a known truth: what they declare, ask and leave."""

import json
import shutil
from typing import Any

import pytest

from evals.simulator.profile import Lengths, Profile, TaskProfile
from reports.comparison import ComparisonSettings, compare
from reports.verdict import Verdict

LOOKS = "2,4"


def _profile(name: str, chance: float) -> Profile:
    task = TaskProfile(default=chance, reasoning=Lengths(median=12, sigma=0.4))
    return Profile(name=name, tasks={"aime25": task}, answer=Lengths(median=8))


SAME, BROKEN = _profile("same", 1.0), _profile("broken", 0.0)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Return where the baseline lies once it was run: copying it is faster than running it again."""
    return tmp_path_factory.mktemp("finished") / "base"


@pytest.fixture
def deciding(ask, serve, tmp_path, finished):
    """Return a function that runs a candidate until decided against a finished baseline of 4 epochs."""
    good = serve(profile=SAME, model="m").base_url
    if not finished.exists():
        assert ask(good, "--label", "base", epochs=4).code == 0
        shutil.copytree(tmp_path / "runs" / "base", finished)
    else:
        shutil.copytree(finished, tmp_path / "runs" / "base")

    def run(url: str, *more: object, margin: object = 0.1) -> Any:
        flags = ["--until-decided", "--baseline", tmp_path / "runs" / "base", "--margin", margin]
        return ask(url, *flags, "--looks", LOOKS, *more, epochs=4)

    run.good = good
    return run


def _manifest(tmp_path: Any, label: str = "x") -> Any:
    (directory,) = (tmp_path / "runs" / label / "aime25").iterdir()
    return json.loads((directory / "manifest.json").read_text())


def test_a_broken_candidate_is_stopped_at_the_first_look(deciding, serve, tmp_path) -> None:
    ended = deciding(serve(profile=BROKEN, model="m").base_url, "--json")
    assert ended.code == 1, ended.err
    decision = ended.document["decision"]
    assert (decision["verdict"], decision["look"], decision["epochs"]) == ("regression", 1, 2)
    assert (decision["epochs_saved"], decision["stopped_early"]) == (2, True)
    assert ended.document["requests_sent"] == 12 and ended.document["epochs"] == 2
    manifest = _manifest(tmp_path)
    assert manifest["decision"] == decision
    assert manifest["sequential"]["looks"] == [2, 4] and manifest["sequential"]["margin"] == 0.1
    assert manifest["sequential"]["baseline"]["label"] == "base"
    (directory,) = (tmp_path / "runs" / "x" / "aime25").iterdir()
    assert json.loads((directory / "summary.json").read_text()) == ended.document


def test_compare_afterwards_says_the_same_and_labels_the_estimate(deciding, serve, tmp_path) -> None:
    deciding(serve(profile=BROKEN, model="m").base_url)
    report = compare(tmp_path / "runs" / "base", tmp_path / "runs" / "x", ComparisonSettings())
    (task,) = report.tasks
    decision = _manifest(tmp_path)["decision"]
    assert task.verdict is Verdict.REGRESSION and task.margin == 0.1
    assert task.analysis is not None and task.analysis.interval.low == decision["delta"]["low"]
    assert any("biased outward" in note for note in task.notes)


def test_the_declaration_is_on_disk_before_the_first_request(deciding, tmp_path, monkeypatch) -> None:
    found = []

    def build(*args: Any, **kwargs: Any) -> Any:
        found.append(_manifest(tmp_path))
        raise KeyboardInterrupt

    monkeypatch.setattr("evals.evaluation.build_task", build)
    assert deciding(deciding.good).code == 130
    assert found[0]["sequential"]["looks"] == [2, 4] and found[0]["decision"] is None


def test_a_run_killed_between_looks_goes_on_at_its_look_and_asks_nothing_twice(
    deciding, tmp_path, monkeypatch
) -> None:
    def killed(_look: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("evals.commands.deciding._say_look", killed)
    assert deciding(deciding.good).code == 130
    declared = _manifest(tmp_path)["sequential"]
    assert [look["look"] for look in declared["taken"]] == [1]
    monkeypatch.undo()
    ended = deciding(deciding.good, "--json")
    assert ended.document["requests_sent"] == 12  # epochs 3 and 4 of 6 items
    manifest = _manifest(tmp_path)
    assert [look["look"] for look in manifest["sequential"]["taken"]] == [1, 2]
    assert manifest["sequential"]["declared"] == declared["declared"]
    assert len(manifest["starts"]) in (1, 2)  # the second within the same second is the same start
    assert (ended.code, ended.document["decision"]["look"]) == (3, 2)


def test_a_decided_run_is_not_run_again(deciding, serve, tmp_path) -> None:
    broken = serve(profile=BROKEN, model="m").base_url
    deciding(broken)
    again = deciding(broken, "--json")
    assert again.code == 1 and again.document["requests_sent"] == 0
    assert again.document["decision"] == _manifest(tmp_path)["decision"]


def test_what_was_declared_does_not_change(deciding, serve) -> None:
    broken = serve(profile=BROKEN, model="m").base_url
    deciding(broken)
    for margin, flags, words in (
        (0.2, [], "margin 0.1, now 0.2"),
        (0.1, ["--futility"], "futility false, now true"),
        (0.1, ["--looks", "2,3,4"], "looks 2,4, now 2,3,4"),
    ):
        ended = deciding(broken, *flags, margin=margin)
        assert ended.code == 2
        assert words in ended.line and "another --seed or --label" in ended.line


def test_no_extension_until_it_passes(deciding, ask, serve) -> None:
    broken = serve(profile=BROKEN, model="m").base_url
    deciding(broken)
    grown = ask(broken, epochs=8)
    assert grown.code == 2 and "go on with --until-decided" in grown.line
    assert ask(broken, epochs=2).code == 0  # what is there may be read, and failures retried


def test_looks_are_not_declared_over_responses_already_seen(deciding, ask) -> None:
    ask(deciding.good, epochs=2)
    ended = deciding(deciding.good)
    assert ended.code == 2 and "has 2 epochs already and declared no looks" in ended.line


def test_a_first_try_of_one_epoch_may_still_declare(deciding, ask) -> None:
    ask(deciding.good, epochs=1, limit=2)
    assert deciding(deciding.good, "--json").document["requests_sent"] == 24 - 2


def test_a_grown_baseline_is_another_one(deciding, ask, serve) -> None:
    broken = serve(profile=BROKEN, model="m").base_url
    deciding(broken)
    ask(deciding.good, "--label", "base", epochs=6)
    ended = deciding(broken)
    assert ended.code == 2 and "baseline 'base' (4 epochs" in ended.line


@pytest.mark.parametrize(
    ("flags", "limit", "words"),
    [
        pytest.param(["--temperature", 0.5], 6, "temperature", id="another protocol"),
        pytest.param([], 3, "has 6 items, this run asks 3", id="other items"),
    ],
)
def test_a_baseline_that_cannot_be_compared_is_refused_before_anything_is_asked(
    deciding, ask, tmp_path, flags, limit, words
) -> None:
    baseline = ["--until-decided", "--baseline", tmp_path / "runs" / "base", "--margin", 0.1]
    ended = ask(deciding.good, *baseline, *flags, limit=limit, epochs=4)
    assert ended.code == 4 and words in ended.line
    assert not (tmp_path / "runs" / "x").exists()


def test_failures_use_up_no_look(deciding, serve, tmp_path) -> None:
    ended = deciding(serve("http_500=1.0", profile=SAME, model="m").base_url, "--outage", 0.05)
    assert ended.code in (4, 5)
    assert "taken" not in _manifest(tmp_path)["sequential"]


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        pytest.param(["--futility"], "--futility: is part of --until-decided", id="futility alone"),
        pytest.param(["--looks", "2,4"], "--looks: is part of --until-decided", id="looks alone"),
        pytest.param(["--until-decided"], "name the finished run with --baseline", id="no baseline"),
        pytest.param(
            ["--until-decided", "--baseline", "x", "--looks", "4,8"],
            "the last of --looks is 8",
            id="two ends",
        ),
        pytest.param(["--until-decided", "--looks", "8,4"], "give rising epochs", id="falling looks"),
        pytest.param(["--until-decided", "--looks", "1,4"], "give rising epochs", id="a look at one epoch"),
        pytest.param(["--until-decided", "--looks", "x"], "give rising epochs", id="no numbers"),
        pytest.param(["--margin", "1.4"], "one percentage point is 0.01", id="a margin in points"),
        pytest.param(["--margin", "other=0.1"], "other is not among the tasks", id="another task's margin"),
    ],
)
def test_flags_that_do_not_go_together(ask, flags, words) -> None:
    ended = ask("http://127.0.0.1:1/v1", *flags, epochs=4)
    assert ended.code == 2 and words in " ".join(ended.err.split())


def test_too_few_epochs_are_told_before_they_are_spent(deciding, ask, tmp_path) -> None:
    plain = ask(deciding.good, "--margin", 0.01)
    assert "warning: underpowered: aime25: equal checkpoints pass a margin of 1 pp with only" in plain.err
    assert "underpowered" not in ask(deciding.good).err  # a cut run without a margin is no comparison
    known = ask(deciding.good, "--margin", 0.5, "--baseline", tmp_path / "runs" / "base")
    assert "underpowered" not in known.err
