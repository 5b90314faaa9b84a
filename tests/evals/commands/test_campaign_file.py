"""A campaign file: what it plans, in which order, and every fault named with its line."""

import pytest

from evals.campaigns.campaign import worst
from evals.campaigns.template import TEMPLATE
from evals.commands.campaign_file import CampaignError, read_campaign
from evals.exit_code import ExitCode

GOOD = """\
schema = 1
baseline = "int4"
[run]
seed = 3
stream = false
[tasks.aime25]
presets = ["sglang", "kvv"]
epochs = 4
margin = 0.02
[tasks.k2_tool_calls]
limit = 10
both_ways = true
[checkpoints.nvfp4]
base_url = ["http://b:1", "http://c:1"]
model = "-kimi"
[checkpoints.int4]
base_url = "http://a:1"
extra_body = {min_p = 0.1}
max_connections = 7
"""


@pytest.fixture
def read(tmp_path):
    def read_text(text):
        path = tmp_path / "c.toml"
        path.write_text(text)
        return read_campaign(path)

    return read_text


def test_runs_are_checkpoints_by_tasks_by_presets_cheapest_first_baseline_first(read):
    campaign = read(GOOD)
    assert [(run.task.name, run.checkpoint) for run in campaign.runs] == [
        ("k2_tool_calls", "int4"),
        ("k2_tool_calls", "nvfp4"),
        ("aime25 (kvv)", "int4"),
        ("aime25 (kvv)", "nvfp4"),
        ("aime25 (sglang)", "int4"),
        ("aime25 (sglang)", "nvfp4"),
    ]
    assert [candidate.label for candidate in campaign.candidates] == ["nvfp4"]
    assert (campaign.tasks[0].rule.margin, campaign.tasks[0].rule.source) == (0.02, "c.toml, line 6")


def test_the_file_says_what_the_flags_would(read):
    tools_int4, tools_nvfp4, aime_int4, *_ = (run.parameters for run in read(GOOD).runs)
    assert tools_int4["base_urls"] == ("http://a:1",) and tools_int4["extra_body"] == {"min_p": 0.1}
    assert tools_nvfp4["base_urls"] == ("http://b:1", "http://c:1") and tools_nvfp4["model"] == "-kimi"
    assert (tools_int4["both_ways"], tools_int4["limit"], tools_int4["label"]) == (True, 10, "int4")
    assert (aime_int4["preset"], aime_int4["epochs"], aime_int4["seed"], aime_int4["stream"]) == (
        "kvv",
        4,
        3,
        False,
    )
    assert (tools_int4["max_connections"], tools_nvfp4["max_connections"]) == (7, None)


@pytest.mark.parametrize(
    ("line", "other", "same"),
    [
        pytest.param('base_url = "http://a:1"', 'base_url = "http://a:2"', True, id="elsewhere"),
        pytest.param("max_connections = 7", "max_connections = 8", True, id="as fast"),
        pytest.param("seed = 3", "seed = 4", False, id="another seed"),
        pytest.param("limit = 10", "limit = 11", False, id="more items"),
        pytest.param("min_p = 0.1", "min_p = 0.2", False, id="another protocol"),
    ],
)
def test_which_runs_are_the_same(read, line, other, same):
    one, another = read(GOOD).runs[0], read(GOOD.replace(line, other)).runs[0]
    assert (one.identity == another.identity) is same


def test_every_run_is_one_of_its_own(read):
    assert len({run.identity for run in read(GOOD).runs}) == 6


def test_the_template_is_a_campaign(read):
    campaign = read(TEMPLATE)
    assert [run.checkpoint for run in campaign.runs] == ["int4", "nvfp4"] * 2
    assert campaign.tasks[0].rule.source == "default for aime25"


def test_runs_made_before_are_not_made_again(read, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old").mkdir()
    campaign = read(
        GOOD.replace(
            'base_url = "http://a:1"\nextra_body = {min_p = 0.1}\nmax_connections = 7', 'runs = "old"'
        )
    )
    assert {run.checkpoint for run in campaign.runs} == {"nvfp4"}
    assert campaign.baseline.runs == "old"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        pytest.param(
            "limit = 10", "limt = 10", r"line 11: tasks.k2_tool_calls.limt is no key of a campaign", id="key"
        ),
        pytest.param("schema = 1", "speed = 1", r"line 1: speed is no key", id="key on top"),
        pytest.param(
            "[run]", "[run]\nmodel = 'x'", r"line 4: run.model is no key", id="key in the wrong place"
        ),
        pytest.param(
            "schema = 1", "parallel = 0", r"line 1: parallel is 0; it must be a whole", id="parallel"
        ),
        pytest.param("schema = 1", "schema = 2", r"line 1: schema is 2; this version reads 1", id="version"),
        pytest.param(
            'base_url = "http://a:1"\n', "", r"line 16: checkpoints.int4 has no endpoint", id="no endpoint"
        ),
        pytest.param(
            'base_url = "http://a:1"',
            'runs = "x"\nbase_url = "http://a:1"',
            "has base_url and runs",
            id="both",
        ),
        pytest.param(
            '"http://a:1"',
            '"a:1"',
            r"line 17: checkpoints.int4.base_url is refused: base URL 'a:1'",
            id="URL",
        ),
        pytest.param(
            '"http://a:1"',
            "[]",
            r"line 17: checkpoints.int4.base_url is \[\]; it must be a URL",
            id="no URLs",
        ),
        pytest.param(
            '"http://c:1"', '"http://b:1"', r"line 14: checkpoints.nvfp4.base_url .*given twice", id="twice"
        ),
        pytest.param(
            'base_url = "http://a:1"',
            'endpoints_file = "none.txt"',
            r"line 17: checkpoints.int4.endpoints_file is refused: none.txt: cannot be read",
            id="file",
        ),
        pytest.param('baseline = "int4"\n', "", r"baseline is not given; .*: nvfp4, int4", id="no baseline"),
        pytest.param(
            'baseline = "int4"', 'baseline = "int8"', r"line 2: baseline is 'int8'", id="unknown baseline"
        ),
        pytest.param(
            "tasks.aime25", "tasks.aime26", r"line 6: tasks.aime26 is refused: task 'aime26'", id="task"
        ),
        pytest.param(
            '"sglang", "kvv"', "", r"line 7: tasks.aime25.presets is \[\]; name at least", id="no preset"
        ),
        pytest.param('"kvv"', '"sglang"', r"line 7: tasks.aime25.presets .* each once", id="a preset twice"),
        pytest.param(
            'base_url = "http://a:1"',
            'runs = "no/such"',
            r"line 17: checkpoints.int4.runs is 'no/such', which does not exist",
            id="runs that are not there",
        ),
        pytest.param('"kvv"', '"kv"', r"line 7: tasks.aime25.presets is refused: preset 'kv'", id="preset"),
        pytest.param(
            "margin = 0.02", "margin = 2", r"line 9: tasks.aime25.margin is 2; it must be", id="margin"
        ),
        pytest.param(
            "epochs = 4", "epochs = 0", r"line 8: tasks.aime25.epochs is refused: .*0 is not", id="epochs"
        ),
        pytest.param("seed = 3", "seed = 'a'", r"line 4: run.seed is refused", id="seed"),
        pytest.param(
            "both_ways = true", "both_ways = 'yes'", r"line 12: tasks.k2_tool_calls.both_ways", id="a flag"
        ),
        pytest.param(
            "both_ways = true",
            "shuffle_per_epoch = true",
            r"line 12: .*has no such setting",
            id="another task's setting",
        ),
        pytest.param(
            "limit = 10", "variant = 'z'", r"line 11: tasks.k2_tool_calls.variant is refused", id="variant"
        ),
        pytest.param("{min_p = 0.1}", "3", r"line 18: checkpoints.int4.extra_body is refused", id="body"),
        pytest.param(
            "checkpoints.int4",
            'checkpoints."a/b"',
            r"cannot be a directory; call it 'a-b'",
            id="label",
        ),
        pytest.param("[tasks.aime25]", "[tasks.aime25", "is no TOML", id="no TOML"),
    ],
)
def test_what_it_cannot_mean(read, old, new, words):
    assert old in GOOD
    with pytest.raises(CampaignError, match=words) as caught:
        read(GOOD.replace(old, new, 1))
    assert "c.toml: " in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param('baseline = "a"\n[tasks.aime25]\n', "names no checkpoint", id="no checkpoints"),
        pytest.param(
            'baseline = "a"\n[checkpoints.a]\nbase_url = "http://a"\n', "names no task", id="no tasks"
        ),
        pytest.param(
            'baseline = "a"\n[tasks.aime25]\n[checkpoints.a]\nruns = "x"\n',
            "have their runs already",
            id="nothing to run",
        ),
    ],
)
def test_a_campaign_of_nothing(read, text, words):
    with pytest.raises(CampaignError, match=words):
        read(text)


def test_the_worst_exit_code():
    assert worst([]) is ExitCode.DONE
    order = [130, 1, 5, 4, 2, 3, 0]
    for place in range(len(order)):
        assert worst([ExitCode(code) for code in reversed(order[place:])]) == order[place]
