"""``quantcheck run`` where it cannot begin: flags, endpoint, data and directory, one line each and the exit code."""

import os
import socket

import pytest

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
