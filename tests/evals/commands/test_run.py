"""``quantcheck run`` from the outside: what it prints, how it ends, what it leaves."""

import json

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
