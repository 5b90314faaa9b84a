"""``quantcheck run`` against several replicas of one checkpoint: what is shared, named, survived, flagged."""

import json
import socket

import pytest

from evals.simulator.profile import Lengths, Profile, TaskProfile
from reports.run_files import read_scores

# name: (mean, concentration). Of a settled truth each item is nearly always right or nearly always wrong.
TRUTHS = {"good": (0.9, 8.0), "bad": (0.1, 8.0), "settled": (0.5, 1e-4)}


def profile(name):
    mean, concentration = TRUTHS[name]
    task = TaskProfile(mean=mean, concentration=concentration, reasoning=Lengths(median=12, sigma=0.4))
    return Profile(name=name, tasks={"aime25": task}, answer=Lengths(median=8))


@pytest.fixture
def replica(serve):
    """Return a function that starts one replica with a truth: the same model name whatever it plays."""

    def start(truth="good", *faults, seed=0, **settings):
        return serve(*faults, profile=profile(truth), model="kimi", seed=seed, **settings)

    return start


@pytest.fixture
def dead_url():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}/v1"


def urls(*running):
    return [part for one in running for part in ("--base-url", one.base_url)]


def test_equal_replicas_share_the_requests_and_are_not_flagged(ask, replica, tmp_path):
    # settled: which replica answers is left to time, and the test's level would flag one run in twenty of others
    one, other = replica("settled", seed=1), replica("settled", seed=1)
    ended = ask(None, *urls(one, other), "--json", epochs=4, limit=15)
    summary = ended.document
    block = summary["replicas"]
    assert (ended.code, summary["status"], summary["requests_sent"]) == (0, "complete", 60)
    assert (block["differ"], block["caution"], block["dead"]) == (False, None, [])
    counts = {entry["replica"]: entry["responses"] for entry in block["by_replica"]}
    assert set(counts) == {one.base_url, other.base_url} and min(counts.values()) > 15
    assert sum(counts.values()) == 60
    assert 0 < summary["outcomes"]["correct"] < 60  # there are hard items to be blamed for
    frame = read_scores(tmp_path / "runs").frame
    assert frame["replica"].value_counts().to_dict() == counts
    manifest = json.loads(next((tmp_path / "runs").rglob("manifest.json")).read_text())
    assert [entry["base_url"] for entry in manifest["endpoint"]["replicas"]] == [one.base_url, other.base_url]


def test_a_mixed_fleet_is_flagged_in_the_run_and_in_a_comparison(ask, replica, cli, tmp_path):
    good, bad = replica("good"), replica("bad")
    ended = ask(None, *urls(good, bad), epochs=4, limit=15)
    assert ended.code == 0
    assert "replicas: 2 named, replicas differ: mixed fleet? (p " in ended.out
    effects = {e["replica"]: e["effect"] for e in summary_of(tmp_path)["replicas"]["by_replica"]}
    assert effects[bad.base_url] < 0 < effects[good.base_url]
    run = tmp_path / "runs" / "x"
    compared = cli("compare", run, run, "--out", tmp_path / "out", "--json")
    notes = json.loads(compared.out)["tasks"][0]["notes"]
    for side in ("baseline", "candidate"):
        assert any(note.startswith(f"{side}: replicas differ: mixed fleet?") for note in notes)
    assert "replicas differ: mixed fleet?" in (tmp_path / "out" / "report.md").read_text()
    assert "replicas differ: mixed fleet?" in (tmp_path / "out" / "report.html").read_text()


def summary_of(tmp_path):
    return json.loads(next((tmp_path / "runs").rglob("summary.json")).read_text())


def test_one_server_that_moved_is_no_fleet(ask, replica, cli, tmp_path):
    """Ports change between two starts of one server; two replicas that moved stay replicas."""
    for number in range(2):
        assert ask(replica("good", seed=number).base_url, epochs=number + 1).code == 0
    assert "replicas" not in summary_of(tmp_path)
    run = tmp_path / "runs" / "x"
    assert read_scores(run).frame["replica"].nunique() == 2  # each response still knows its server
    compared = cli("compare", run, run, "--out", tmp_path / "out", "--json")
    assert json.loads(compared.out)["tasks"][0]["replicas"] == {"baseline": None, "candidate": None}
    two = urls(replica(), replica())
    assert ask(None, *two, epochs=4).code == 0
    named = {entry["replica"] for entry in summary_of(tmp_path)["replicas"]["by_replica"]}
    assert named == set(two[1::2])
    assert ask(replica().base_url, epochs=5).code == 0  # alone again: what was compared stays compared
    assert {entry["replica"] for entry in summary_of(tmp_path)["replicas"]["by_replica"]} == named


def test_a_dead_entry_is_named_survived_and_stated(ask, replica, dead_url, tmp_path):
    listed = tmp_path / "fleet.txt"
    listed.write_text(f"# three\n{replica().base_url}\n{dead_url}\n{replica().base_url}\n")
    ended = ask(None, "--endpoints-file", listed)
    assert ended.code == 0
    assert f"warning: endpoint {dead_url} is left out, 2 of 3 are used: cannot be reached" in ended.err
    assert f"replica left out from the start: {dead_url}: cannot be reached" in ended.out
    assert [entry["base_url"] for entry in summary_of(tmp_path)["replicas"]["dead"]] == [dead_url]
    manifest = json.loads(next((tmp_path / "runs").rglob("manifest.json")).read_text())
    problems = {entry["base_url"]: entry["problem"] for entry in manifest["endpoint"]["replicas"]}
    assert "cannot be reached" in problems[dead_url] and list(problems.values()).count(None) == 2


def test_none_alive_stops_the_run(ask, dead_url):
    ended = ask(None, "--base-url", dead_url, "--base-url", "http://127.0.0.1:1/v1")
    assert ended.code == 5
    assert "endpoints: none of 2 can be used" in ended.line and dead_url in ended.line


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        pytest.param({"model": "other"}, "served model differs: kimi (", id="model"),
        pytest.param({"max_model_len": 8192}, "context length differs: 262144 (", id="context length"),
    ],
)
def test_replicas_that_disagree_are_refused(ask, serve, replica, settings, words, tmp_path):
    given = {"profile": profile("good"), "model": "kimi", **settings}
    ended = ask(None, *urls(replica(), serve(**given)))
    assert ended.code == 5 and words in ended.line
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("fault", ["http_500=1.0", "connect_reset=1.0"])
def test_a_replica_that_fails_every_request_costs_none(ask, replica, fault, tmp_path):
    sick, well = replica("good", fault), replica()
    ended = ask(None, *urls(sick, well), "--json", epochs=4, limit=10)
    summary = ended.document
    assert (ended.code, summary["status"], summary["outcomes"]["error"]) == (0, "complete", 0)
    figures = {entry["replica"]: entry for entry in summary["replicas"]["by_replica"]}
    assert figures[well.base_url]["responses"] == 40
    assert figures[sick.base_url]["responses"] == 0
    assert figures[sick.base_url]["failed_attempts"] == summary["retries"] > 0
    assert figures[sick.base_url]["fails_more"] and not figures[well.base_url]["fails_more"]
    assert summary["replicas"]["differ"] is None
    (told,) = [line for line in ended.err.splitlines() if "replicas: 2 named" in line]
    assert told.endswith("not compared: nothing that two of them have answered")
    assert f"failed attempts {summary['retries']}: fails more than the others" in ended.err


def test_a_mixed_fleet_is_flagged_with_one_epoch(ask, replica):
    ended = ask(None, *urls(replica("good"), replica("bad")), "--json", epochs=1, limit=30)
    block = ended.document["replicas"]
    assert block["differ"] is True and block["within"] == "items asked one after the other"


def test_a_failure_names_its_replica(ask, replica):
    one, other = replica("good", "http_500=1.0"), replica("good", "http_500=1.0")
    ended = ask(None, *urls(one, other), "--outage", 0.2, "--json", limit=1, epochs=1)
    summary = ended.document
    assert ended.code == 4
    assert sum(entry["errors"] for entry in summary["replicas"]["by_replica"]) == 1
    assert f"[at {one.base_url}]" in ended.err or f"[at {other.base_url}]" in ended.err


def test_what_one_replica_answered_is_not_asked_of_another(ask, replica):
    one, other = replica(), replica()
    assert ask(one.base_url, "--json").document["requests_sent"] == 12
    again = ask(None, *urls(other, one), "--json").document
    assert again["requests_sent"] == 0
    assert [entry["responses"] for entry in again["replicas"]["by_replica"]].count(0) == 1
    grown = ask(other.base_url, "--json", epochs=3).document
    assert grown["requests_sent"] == 6
    assert {entry["replica"]: entry["responses"] for entry in grown["replicas"]["by_replica"]} == {
        one.base_url: 12,
        other.base_url: 6,
    }


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        pytest.param(
            ["--base-url", "http://a", "--base-url", "http://a/v1/"],
            "http://a/v1: is given twice",
            id="twice",
        ),
        pytest.param(["--base-url", "http://a", "--endpoints-file", "f"], "give one of them", id="both ways"),
        pytest.param(["--endpoints-file", "none.txt"], "none.txt: cannot be read", id="no such file"),
        pytest.param(
            ["--base-url", "http://a", "--base-url", ""], "is empty; is a variable not set", id="empty"
        ),
        pytest.param([], "no endpoint: give --base-url URL or --endpoints-file", id="nothing"),
    ],
)
def test_flags_that_name_no_fleet(ask, flags, words, monkeypatch):
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    ended = ask(None, *flags)
    assert ended.code == 2 and words in ended.line
