"""``quantcheck run`` from the outside: what it prints, how it ends, what it leaves."""

import json
import math
import os
import socket
from types import SimpleNamespace

import pytest

SUMMARY_FIELDS = {
    *(
        "schema",
        "task",
        "label",
        "fingerprint",
        "log",
        "status",
        "n_items",
        "epochs",
        "expected",
        "completed",
    ),
    *(
        "outcomes",
        "flags",
        "accuracy",
        "accuracy_completed",
        "per_epoch",
        "tokens",
        "requests_sent",
        "retries",
    ),
}


def directory_of(tmp_path):
    (found,) = (tmp_path / "runs" / "x" / "aime25").iterdir()
    return found


def test_a_run_prints_one_json_document_and_leaves_its_files(ask, serve, tmp_path):
    ended = ask(serve().base_url, "--json")
    summary = ended.document
    assert ended.code == 0
    assert summary.keys() >= SUMMARY_FIELDS
    assert (summary["schema"], summary["task"], summary["label"], summary["status"]) == (
        1,
        "aime25",
        "x",
        "complete",
    )
    assert (summary["n_items"], summary["epochs"], summary["expected"], summary["completed"]) == (
        6,
        2,
        12,
        12,
    )
    assert (summary["requests_sent"], summary["retries"]) == (12, 0)
    assert sum(summary["outcomes"].values()) == 12
    assert set(summary["outcomes"]) == {"correct", "incorrect", "no_answer", "truncated", "error"}
    assert [entry["n"] for entry in summary["per_epoch"]] == [6, 6]
    assert sum(entry["correct"] for entry in summary["per_epoch"]) == summary["outcomes"]["correct"]
    accuracy = summary["accuracy"]
    assert 0 <= accuracy["low"] < accuracy["value"] < accuracy["high"] <= 1
    directory = directory_of(tmp_path)
    assert json.loads((directory / "summary.json").read_text()) == summary
    assert {path.name for path in directory.iterdir()} == {
        "journal.zst",
        "manifest.json",
        "summary.json",
        summary["log"],
    }
    manifest = json.loads((directory / "manifest.json").read_text())
    assert manifest["fingerprint"] == summary["fingerprint"]
    assert (manifest["log"], manifest["max_error_rate"]) == (summary["log"], 0.0)
    assert manifest["endpoint"]["model"] == "simulated-quick" and manifest["finished"]


def test_for_people_the_last_line_says_where_the_log_is_and_what_is_next(ask, serve, tmp_path):
    ended = ask(serve().base_url)
    last = ended.out.rstrip().splitlines()[-1]
    assert last.startswith(f"log {directory_of(tmp_path)}") and "next: quantcheck compare BASELINE" in last
    assert "12 of 12 responses" in ended.out and "12/12" in ended.err


def test_settings_reach_the_wire_and_secrets_stay_out_of_every_file(ask, serve, tmp_path, monkeypatch):
    monkeypatch.setenv("THE_KEY", "sk-very-secret-1")
    server = serve(api_key="sk-very-secret-1", record_bodies=True)
    flags = [
        "--temperature",
        0.5,
        "--top-p",
        0.9,
        "--seed",
        7,
        "--no-stream",
        "--think-mode",
        "opensource",
        "--thinking",
    ]
    more = [
        "--extra-body",
        '{"min_p": 0.1}',
        "--header",
        "X-Tenant: blue-whale-9",
        "--api-key-env",
        "THE_KEY",
    ]
    ended = ask(server.base_url, *flags, *more)
    assert ended.code == 0
    bodies = [json.loads(body) for body in server.ledger.bodies]
    assert len(bodies) == 12 and len({body["seed"] for body in bodies}) == 12
    for body in bodies:
        assert (body["temperature"], body["top_p"], body["max_tokens"], body["stream"]) == (
            0.5,
            0.9,
            400,
            False,
        )
        assert (body["min_p"], body["chat_template_kwargs"]) == (0.1, {"thinking": True})
    for path in (tmp_path / "runs").rglob("*"):
        if path.is_file():
            assert b"sk-very-secret" not in path.read_bytes() and b"blue-whale" not in path.read_bytes()
    assert "sk-very-secret" not in ended.out + ended.err


def test_the_environment_names_the_endpoint(ask, serve, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", serve().base_url.removesuffix("/v1"))
    assert ask(None, "--json", limit=1, epochs=1).document["status"] == "complete"


def test_truncation_is_shown_as_truncation(ask, serve):
    ended = ask(serve().base_url, "--max-tokens", 5, "--json")
    summary = ended.document
    assert (ended.code, summary["status"], summary["outcomes"]["truncated"]) == (0, "complete", 12)
    assert summary["accuracy"]["value"] == 0.0
    assert summary["accuracy_completed"]["value"] is None


FREE_URL = "http://127.0.0.1:1/v1"

USAGE = [
    pytest.param(["run", "nosuchtask", "--base-url", FREE_URL], "'nosuchtask'", id="unknown task"),
    pytest.param(["run", "vendor_contract", "--base-url", FREE_URL], "quantcheck verify", id="the contract"),
    pytest.param(
        ["run", "aime25", "--base-url", FREE_URL, "--preset", "fast"],
        "sglang, kvv, nvidia",
        id="unknown preset",
    ),
    pytest.param(["run", "aime25", "--base-url", FREE_URL, "--variant", "v"], "'v'", id="unknown variant"),
    pytest.param(["run", "aime25", "--base-url", FREE_URL, "--nosuch"], "--nosuch", id="unknown flag"),
    pytest.param(["run", "aime25", "--base-url", FREE_URL, "--epochs", "0"], "--epochs", id="no epochs"),
    pytest.param(
        ["run", "aime25", "--base-url", FREE_URL, "--epochs", "many"], "'many'", id="epochs in words"
    ),
    pytest.param(["run", "aime25", "--base-url", FREE_URL, "--limit", "0"], "--limit", id="no items"),
    pytest.param(
        ["run", "aime25", "--base-url", FREE_URL, "--max-tokens", "-5"],
        "--max-tokens",
        id="a negative budget",
    ),
    pytest.param(
        ["run", "aime25", "--base-url", FREE_URL, "--temperature", "3"], "--temperature", id="too hot"
    ),
    pytest.param(
        ["run", "aime25", "--base-url", FREE_URL, "--temperature", "nan"],
        "'nan' is not a number",
        id="a temperature that is none",
    ),
    pytest.param(["run", "aime25", "--base-url", FREE_URL, "--top-p", "0"], "--top-p", id="top_p of nothing"),
    pytest.param(
        ["run", "aime25", "--base-url", FREE_URL, "--max-error-rate", "nan"],
        "not a number",
        id="an error rate that is none",
    ),
    pytest.param(
        ["run", "aime25", "--base-url", FREE_URL, "--max-error-rate", "2"],
        "--max-error-rate",
        id="more errors than all",
    ),
    pytest.param(
        ["run", "aime25", "--base-url", FREE_URL, "--outage", "inf"],
        "not a number",
        id="patience without end",
    ),
    pytest.param(
        ["run", "aime25", "--base-url", FREE_URL, "--seed", "9" * 30], "--seed", id="a seed too large"
    ),
    pytest.param(
        ["run", "aime25", "--base-url", FREE_URL, "--max-connections", "0"],
        "--max-connections",
        id="no connections",
    ),
    pytest.param(
        ["run", "aime25", "--base-url", FREE_URL, "--think-mode", "deep"], "'deep'", id="unknown think mode"
    ),
    pytest.param(
        ["run", "aime25", "--base-url", FREE_URL, "--effort", "huge"], "'huge'", id="unknown effort"
    ),
    pytest.param(
        ["run", "aime25", "--base-url", FREE_URL, "--no-thinking"],
        "think mode 'none'",
        id="thinking switched by nothing",
    ),
    pytest.param(
        ["run", "aime25", "--base-url", FREE_URL, "--extra-body", "{min_p: 1}"],
        "not JSON",
        id="extra body no JSON",
    ),
    pytest.param(
        ["run", "aime25", "--base-url", FREE_URL, "--extra-body", "[1]"],
        "not a JSON object",
        id="extra body a list",
    ),
    pytest.param(
        ["run", "aime25", "--base-url", FREE_URL, "--extra-body", '{"a": NaN}'],
        "not JSON",
        id="extra body with NaN",
    ),
    pytest.param(
        ["run", "aime25", "--base-url", FREE_URL, "--extra-body", '{"seed": 1}'],
        "--seed",
        id="one seed for all",
    ),
    pytest.param(
        ["run", "aime25", "--base-url", FREE_URL, "--header", "no colon"],
        "Name: value",
        id="a header without colon",
    ),
    pytest.param(
        ["run", "aime25", "--base-url", FREE_URL, "--header", "A: b\r\nC: d"],
        "Name: value",
        id="two headers in one",
    ),
    pytest.param(["run", "aime25", "--base-url", "localhost:8000"], "not an http(s) URL", id="no scheme"),
    pytest.param(["run", "aime25", "--base-url", "http://h:port"], "not an http(s) URL", id="no port"),
    pytest.param(["run", "aime25"], "--base-url", id="no endpoint"),
    pytest.param(["run"], "TASK", id="no task"),
    pytest.param(["run", "aime25", "extra"], "extra", id="too much"),
    pytest.param(["nosuchcommand"], "nosuchcommand", id="unknown command"),
    pytest.param(["--nosuch"], "--nosuch", id="unknown flag of none"),
]


@pytest.mark.parametrize(("arguments", "words"), USAGE)
def test_wrong_usage_is_one_line_and_2(cli, aime_file, tmp_path, monkeypatch, arguments, words):
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    where = (
        ["--dataset-path", aime_file, "--accept-dataset", "--runs-dir", tmp_path / "runs"]
        if arguments[1:]
        else []
    )
    ended = cli(*arguments, *(where if arguments[:2] == ["run", "aime25"] else []))
    assert ended.code == 2
    assert words in ended.line
    assert ended.out == ""
    assert not (tmp_path / "runs").exists(), "nothing was begun"


def test_nobody_listens(ask):
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{held.getsockname()[1]}"
    ended = ask(url)
    assert ended.code == 5
    assert f"{url}/v1: cannot be reached (Connection refused)" in ended.line


def test_a_server_that_is_no_endpoint(ask, serve):
    ended = ask(serve().base_url.replace("/v1", "/nothing/here"), "--json")
    assert ended.code in (2, 5)
    assert ended.out == "" and ended.line


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        (None, None, "OPENAI_API_KEY is not set"),
        ("WRONG", "sk-wrong-key", "the key in WRONG"),
        ("UNSET", None, "UNSET is not set"),
    ],
)
def test_a_wrong_key_is_one_line_and_5(ask, serve, monkeypatch, variable, value, words):
    if value is not None:
        monkeypatch.setenv(variable, value)
    ended = ask(serve(api_key="sk-right").base_url, *(["--api-key-env", variable] if variable else []))
    assert ended.code == 5
    assert words in ended.line and "sk-wrong" not in ended.err


def test_several_models_and_none_named(ask, serve, monkeypatch):
    import evals.simulator.app as app

    models = app._models_json
    monkeypatch.setattr(
        app, "_models_json", lambda c: {**models(c), "data": [*models(c)["data"], {"id": "second"}]}
    )
    server = serve()
    ended = ask(server.base_url)
    assert ended.code == 2
    assert "simulated-quick, second" in ended.line and "--model" in ended.line
    assert (
        ask(server.base_url, "--model", server.model, "--json", limit=1, epochs=1).document["status"]
        == "complete"
    )


def test_a_model_that_is_not_served(ask, serve):
    ended = ask(serve().base_url, "--model", "other")
    assert ended.code == 5
    assert "stopped: configuration: HTTP 404" in ended.err
    assert ended.out.rstrip().endswith(
        "next: change what the endpoint refuses (quantcheck check names it), then run again"
    )
    assert "Traceback" not in ended.err


DATA = [
    pytest.param("missing.jsonl", None, "does not exist", id="missing"),
    pytest.param("a.jsonl", b"", "holds no rows", id="empty"),
    pytest.param(
        "a.jsonl",
        b'{"id": "0", "problem": "p", "answer": "1"}\n',
        "has 1 rows, expected 30",
        id="too few rows",
    ),
    pytest.param("a.jsonl", b'{"id": "0"', "line 1 is not JSON", id="cut"),
    pytest.param("a.exe", b"MZ", "unknown format", id="no data"),
]


@pytest.mark.parametrize(("name", "content", "words"), DATA)
def test_wrong_data_is_one_line_and_5(cli, serve, tmp_path, name, content, words):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    ended = cli(
        "run",
        "aime25",
        "--base-url",
        serve().base_url,
        "--dataset-path",
        path,
        "--runs-dir",
        tmp_path / "runs",
    )
    assert ended.code == 5
    assert words in ended.line
    assert not (tmp_path / "runs").exists()


def test_data_of_other_content_is_refused_and_can_be_accepted(cli, serve, aime_file, tmp_path):
    where = ["--base-url", serve().base_url, "--dataset-path", aime_file, "--runs-dir", tmp_path / "runs"]
    ended = cli("run", "aime25", *where)
    assert ended.code == 5
    assert "expected a91cb81b56dff0c2" in ended.line and "--accept-dataset" in ended.line
    ended = cli(
        "run",
        "aime25",
        *where,
        "--accept-dataset",
        "--limit",
        1,
        "--epochs",
        1,
        "--json",
        "--max-tokens",
        400,
    )
    assert ended.document["status"] == "complete"
    assert "not the pinned content" in ended.err


def test_a_runs_directory_that_cannot_be_written(ask, serve, tmp_path):
    (tmp_path / "file").write_text("")
    ended = ask(serve().base_url, "--runs-dir", tmp_path / "file" / "runs")
    assert ended.code == 5
    assert "cannot be written (Not a directory)" in ended.line
    assert ask(serve().base_url, "--runs-dir", tmp_path / "file").code == 2


@pytest.mark.skipif(os.getuid() == 0, reason="root may write anywhere")
def test_a_runs_directory_without_permission(ask, serve, tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)
    ended = ask(serve().base_url, "--runs-dir", tmp_path / "locked" / "runs")
    assert ended.code == 5 and "Permission denied" in ended.line


def test_a_refusal_in_mid_run_stops_it_with_the_servers_words(ask, serve):
    server = serve("http_400_context=100%")
    ended = ask(server.base_url, "--json", "--max-connections", 1)
    assert ended.code == 5
    assert (
        "quantcheck: stopped: configuration: HTTP 400: " in ended.err
        and "maximum context length" in ended.err
    )
    assert "Traceback" not in ended.err
    assert server.ledger.n_requests <= 2
    if ended.out:
        summary = ended.document
        assert summary["outcomes"]["correct"] == summary["outcomes"]["incorrect"] == 0


def test_errors_are_never_scored_and_make_the_run_invalid(ask, serve, tmp_path):
    ended = ask(serve("http_500=100%").base_url, "--json", "--outage", 0.3)
    summary = ended.document
    assert (ended.code, summary["status"], summary["completed"]) == (4, "invalid", 0)
    assert summary["outcomes"] == {"correct": 0, "incorrect": 0, "no_answer": 0, "truncated": 0, "error": 12}
    assert summary["accuracy"] == {"value": None, "low": None, "high": None}
    assert summary["errors_by_kind"] == {"server": 12}
    assert summary["first_error"].startswith("server: HTTP 500: Internal server error")
    assert "quantcheck: invalid run: 12 of 12 responses failed (server: HTTP 500" in ended.err
    again = ask(serve().base_url, "--json").document
    assert (again["status"], again["requests_sent"], again["outcomes"]["error"]) == ("complete", 12, 0)


def test_an_evaluation_that_ends_in_an_error_is_no_partial_run(ask, serve, tmp_path, monkeypatch):
    def crash(_):
        raise ZeroDivisionError("the metric crashes")

    server = serve()
    monkeypatch.setattr("tasks.scorers.math", SimpleNamespace(isnan=crash, nan=math.nan))
    ended = ask(server.base_url, "--json")
    assert ended.code == 5 and "Traceback" not in ended.err
    assert "stopped: client: the evaluation ended in an error: ZeroDivisionError" in ended.err
    assert "the metric crashes" in ended.err
    monkeypatch.undo()
    again = ask(server.base_url, "--json")
    assert (again.code, again.document["status"], again.document["requests_sent"]) == (0, "complete", 0)
    assert len(list((tmp_path / "runs").glob("x/aime25/*/*.eval"))) == 1


def test_the_limit_of_errors_is_the_users(ask, serve):
    server = serve("http_500=100%")
    ended = ask(server.base_url, "--json", "--outage", 0.2, "--max-error-rate", 1.0)
    assert (ended.code, ended.document["status"]) == (4, "invalid"), (
        "a run with nothing at all is never valid"
    )


def test_help_names_every_flag_of_the_contract(cli):
    ended = cli("run", "--help")
    assert ended.code == 0
    flags = [
        "--base-url",
        "--model",
        "--label",
        "--runs-dir",
        "--preset",
        "--epochs",
        "--limit",
        "--seed",
        "--max-tokens",
    ]
    flags += [
        "--temperature",
        "--top-p",
        "--max-connections",
        "--no-stream",
        "--think-mode",
        "--thinking",
        "--no-thinking",
    ]
    flags += [
        "--effort",
        "--extra-body",
        "--api-key-env",
        "--dataset-path",
        "--max-error-rate",
        "--on-truncation",
        "--json",
    ]
    assert [flag for flag in flags if flag not in ended.out] == []
