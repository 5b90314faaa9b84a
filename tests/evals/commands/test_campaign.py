"""``quantcheck campaign run``: every run, what a failed one costs, how it resumes, and the comparison at the end."""

import functools
import json

import pytest

from evals.simulator.profile import Lengths, Profile, TaskProfile
from evals.transport.retry import RetryPolicy
from tests.evals.conftest import QUICK_RETRIES


def profile(mean):
    task = TaskProfile(mean=mean, concentration=8.0, reasoning=Lengths(median=12, sigma=0.4))
    return Profile(name="p", tasks={"aime25": task}, answer=Lengths(median=8))


@pytest.fixture
def campaign(cli, aime_file, tmp_path, monkeypatch):
    """Return a function that writes a campaign of checkpoints (label to key and value) and runs it."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr("evals.commands.run.RetryPolicy", functools.partial(RetryPolicy, **QUICK_RETRIES))

    def run(checkpoints, *more, task="epochs = 2\nlimit = 6", baseline="int4", runs_dir=tmp_path / "runs"):
        tables = [
            f'[checkpoints.{label}]\n{key} = "{value}"\n' for label, (key, value) in checkpoints.items()
        ]
        path = tmp_path / "c.toml"
        path.write_text(
            f'baseline = "{baseline}"\nruns_dir = "{runs_dir}"\nout = "{tmp_path / "out"}"\nparallel = 1\n'
            f'[run]\ndataset_path = "{aime_file}"\naccept_dataset = true\nmax_tokens = 400\noutage = 0.2\n'
            f"[tasks.aime25]\n{task}\n" + "".join(tables)
        )
        return cli("campaign", "run", path, *more)

    return run


def at(running):
    return ("base_url", running.base_url)


def record_of(tmp_path):
    return json.loads((tmp_path / "out" / "campaign.json").read_text())


def test_a_campaign_ends_in_a_comparison_of_each_candidate(campaign, serve, tmp_path):
    servers = {
        "int4": serve(profile=profile(0.9)),
        "same": serve(profile=profile(0.9)),
        "bad": serve(profile=profile(0.1)),
    }
    ended = campaign({label: at(server) for label, server in servers.items()}, "--json")
    record = ended.document
    assert ended.code == 1, "the regression of one candidate"
    assert [(run["checkpoint"], run["status"], run["completed"]) for run in record["runs"]] == [
        ("int4", "complete", 12),
        ("same", "complete", 12),
        ("bad", "complete", 12),
    ]
    verdicts = {entry["candidate"]: entry["verdict"] for entry in record["comparisons"]}
    assert verdicts == {"bad": "regression", "same": "inconclusive"}
    assert "  aime25  same: equal checkpoints pass with only " in ended.err
    assert "  aime25  bad: " not in ended.err
    assert (record["exit_code"], record["baseline"]) == (1, "int4")
    assert record == record_of(tmp_path)
    for candidate in ("same", "bad"):
        names = {path.name for path in (tmp_path / "out" / f"{candidate}-vs-int4").iterdir()}
        assert names == {"report.html", "report.md", "report.json", "junit.xml"}
    assert "REGRESSION - bad against int4" in ended.err
    assert "campaign c.toml: 1 of 3 runs done, about " in ended.err


def test_a_failed_run_does_not_lose_the_others(campaign, serve, tmp_path):
    sick = serve("http_500=1.0")
    checkpoints = {
        "int4": at(serve()),
        "gone": ("base_url", "http://127.0.0.1:1"),
        "sick": at(sick),
        "last": at(serve()),
    }
    ended = campaign(checkpoints)
    runs = {run["checkpoint"]: run for run in record_of(tmp_path)["runs"]}
    assert {label: run["status"] for label, run in runs.items()} == {
        "int4": "complete",
        "gone": "failed",
        "sick": "invalid",
        "last": "complete",
    }
    assert ended.code == 5 and runs["gone"]["exit_code"] == 5 and runs["sick"]["exit_code"] == 4
    assert "gone  failed  exit 5: endpoint http://127.0.0.1:1/v1: cannot be reached" in ended.out
    assert "INVALID - gone against int4: gone: none of its runs has been graded yet" in ended.out
    assert "aime25  last " in ended.out


def test_it_resumes_without_the_endpoints_of_complete_runs(campaign, serve, tmp_path):
    first = campaign({"int4": at(serve()), "nvfp4": ("base_url", "http://127.0.0.1:1")})
    assert first.code == 5
    again = campaign({"int4": ("base_url", "http://127.0.0.1:1"), "nvfp4": at(serve())})
    assert again.code in (0, 3)
    assert "int4   complete  12 of 12" in again.err and "(from before)" in again.err
    assert "[1/2]" not in again.err and "[2/2] aime25 on nvfp4" in again.err
    third = campaign({"int4": at(serve()), "nvfp4": ("base_url", "http://127.0.0.1:1")}, "--json")
    assert third.code == again.code, "nothing is left to ask"
    assert all(run["status"] == "complete" for run in third.document["runs"])


def test_a_campaign_that_asks_for_more_goes_on_in_place(campaign, serve):
    servers = {"int4": serve(), "nvfp4": serve()}
    checkpoints = {label: at(server) for label, server in servers.items()}
    campaign(checkpoints)
    ended = campaign(checkpoints, "--json", task="epochs = 3\nlimit = 6")
    assert [run["completed"] for run in ended.document["runs"]] == [18, 18]
    assert [server.ledger.n_requests for server in servers.values()] == [18, 18]


def test_a_campaign_that_asks_for_less_compares_what_it_asks(campaign, serve, tmp_path):
    servers = {"int4": at(serve(profile=profile(0.9))), "same": at(serve(profile=profile(0.9)))}
    campaign(servers, task="epochs = 2\nlimit = 12")
    record = campaign(servers, "--json", task="epochs = 1\nlimit = 5").document
    assert [run["completed"] for run in record["runs"]] == [5, 5]
    report = json.loads((tmp_path / "out" / "same-vs-int4" / "report.json").read_text())
    assert (report["tasks"][0]["n_items"], report["tasks"][0]["epochs"]["candidate"]) == (5, 1)
    assert report["tasks"][0]["candidate"]["value"] == record["runs"][1]["accuracy"]["value"]


def test_a_baseline_made_before(campaign, serve, ask, tmp_path):
    ask(serve().base_url, "--outage", 0.2)
    ended = campaign({"int4": ("runs", tmp_path / "runs" / "x"), "nvfp4": at(serve())}, "--json")
    assert [run["checkpoint"] for run in ended.document["runs"]] == ["nvfp4"]
    (entry,) = ended.document["comparisons"]
    assert [task["task"] for task in entry["tasks"]] == ["aime25"] and entry["verdict"] != "invalid"


def test_a_campaign_kept_in_object_storage(campaign, serve, cli, tmp_path, monkeypatch):
    monkeypatch.setenv("QUANTCHECK_CACHE", str(tmp_path / "cache"))
    url = f"memory://bucket-{tmp_path.name}/runs"
    ended = campaign({"int4": at(serve()), "nvfp4": at(serve())}, "--json", runs_dir=url)
    assert [run["status"] for run in ended.document["runs"]] == ["complete", "complete"]
    assert ended.document["comparisons"][0]["verdict"] != "invalid"
    assert cli("export", f"{url}/nvfp4").out.count("\n") == 13
    again = campaign(
        {"int4": ("runs", f"{url}/int4"), "nvfp4": ("base_url", "http://127.0.0.1:1")}, "--json", runs_dir=url
    )
    assert again.code == ended.code, "the baseline is read from the store, the candidate is complete"


def test_two_presets_are_two_rows(campaign, serve):
    ended = campaign(
        {"int4": at(serve()), "nvfp4": at(serve())},
        "--json",
        task='presets = ["sglang", "kvv"]\nlimit = 3\nepochs = 1',
    )
    (entry,) = ended.document["comparisons"]
    assert [task["task"] for task in entry["tasks"]] == ["aime25 (sglang)", "aime25 (kvv)"]
    assert {task["margin"] for task in entry["tasks"]} == {0.014}, "the task's own default"


def test_a_fault_of_the_file_is_one_line(cli, tmp_path):
    path = tmp_path / "c.toml"
    path.write_text("[tasks.aime25]\nepoch = 3\n")
    ended = cli("campaign", "run", path)
    assert ended.code == 2 and "c.toml: line " in ended.line


def test_init_writes_a_file_once(cli, tmp_path):
    path = tmp_path / "c.toml"
    assert cli("campaign", "init", "--out", path).code == 0
    assert cli("campaign", "init").out == path.read_text()
    again = cli("campaign", "init", "--out", path)
    assert again.code == 2 and "is there already" in again.line
