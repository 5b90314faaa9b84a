"""``quantcheck check`` as it is typed: exit codes, the JSON document, the next command."""

import json
import socket

import pytest

from evals.cli import run_command_line
from evals.preflight.check import PROBES


@pytest.fixture
def check(capsys):
    """Return a function that checks a base URL and gives exit code, JSON document and stderr."""

    def run(base_url, *flags):
        code = run_command_line(["check", "--base-url", base_url, "--probe-timeout", "5", "--json", *flags])
        captured = capsys.readouterr()
        return code, json.loads(captured.out) if captured.out else None, captured.err

    return run


def probe(document, name):
    return next(entry for entry in document["probes"] if entry["name"] == name)


def test_a_good_endpoint(check, play):
    running = play(max_model_len=50_000)
    code, document, _ = check(running.base_url)
    assert code == 0
    assert (document["schema"], document["ok"], document["model"]) == (1, True, "m")
    assert document["base_url"] == running.base_url
    assert (document["engine"], document["context_tokens"]) == ("quantcheck-simulator", 50_000)
    assert [entry["name"] for entry in document["probes"]] == list(PROBES)
    assert all(
        set(entry) == {"name", "status", "evidence", "advice", "flags"} for entry in document["probes"]
    )
    assert document["tokens_per_s"] > 0 and document["estimate"] is None
    assert document["next"] == f"quantcheck run smoke --base-url {running.base_url}"


def test_the_run_to_come_is_estimated_and_named_with_its_flags(check, play, exam_path):
    running = play()
    flags = ["--task", "aime25", "--dataset-path", str(exam_path), "--accept-dataset", "--epochs", "3"]
    flags += [
        "--think-mode",
        "kimi",
        "--no-thinking",
        "--extra-body",
        '{"min_p": 0.1}',
        "--header",
        "X-Key: s",
    ]
    code, document, _ = check(running.base_url, *flags)
    assert code == 0
    assert probe(document, "budget")["status"] == "ok"
    assert (document["estimate"]["n_requests"], document["estimate"]["n_streams"]) == (12, 12)
    command = document["next"]
    for part in ("run aime25 ", "--epochs 3", "--think-mode kimi", "--no-thinking", "'{\"min_p\": 0.1}'"):
        assert part in command
    assert "X-Key" not in command and "--task" not in command


def test_a_budget_that_does_not_fit_fails(check, play, exam_path):
    running = play(max_model_len=4096)
    flags = ("--task", "aime25", "--dataset-path", str(exam_path), "--accept-dataset")
    code, document, _ = check(running.base_url, *flags)
    assert code == 5 and not document["ok"]
    assert probe(document, "budget")["status"] == "fail"
    assert "--max-tokens" in probe(document, "budget")["advice"]
    code, document, _ = check(running.base_url, *flags, "--clamp-budget")
    assert code == 0 and probe(document, "budget")["status"] == "warn"


def test_a_dead_endpoint_passes_nothing(check):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: nobody answers
        code, document, _ = check(f"http://127.0.0.1:{taken.getsockname()[1]}")
    statuses = {entry["name"]: entry["status"] for entry in document["probes"]}
    assert code == 5 and not document["ok"] and document["engine"] is None
    assert statuses.pop("served_names") == "fail" and set(statuses.values()) == {"skip"}
    assert probe(document, "speed")["evidence"] == "endpoint does not answer"


def test_a_refused_key_passes_nothing(check, play):
    code, document, _ = check(play(api_key="secret").base_url)
    assert code == 5 and "key refused" in probe(document, "served_names")["evidence"]


@pytest.mark.parametrize(
    "flags", [["--task", "nothing"], ["--thinking"], ["--preset", "p", "--task", "aime25"]]
)
def test_flags_that_cannot_be_end_with_usage(capsys, play, exam_path, flags):
    data = ["--dataset-path", str(exam_path), "--accept-dataset"]
    code = run_command_line(["check", "--base-url", "http://127.0.0.1:9", "--task", "aime25", *data, *flags])
    assert code == 2 and capsys.readouterr().out == ""


def test_text_for_people_has_one_line_a_probe(capsys, play):
    running = play("usage_missing=1")
    assert run_command_line(["check", "--base-url", running.base_url]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"check {running.base_url} · m"
    assert [line.split()[1] for line in lines[1 : 1 + len(PROBES)]] == list(PROBES)
    usage = next(line for line in lines if " usage " in line)
    assert usage.startswith("warn  usage") and " -> " in usage
    assert lines[-1].startswith("next: quantcheck run smoke")


def test_a_dead_completion_page_fails_with_the_servers_words(check, play):
    code, document, _ = check(play("http_422=1").base_url)
    assert code == 5
    assert "Unprocessable request" in probe(document, "reply")["evidence"]
    assert document["next"].startswith("change what failed")
