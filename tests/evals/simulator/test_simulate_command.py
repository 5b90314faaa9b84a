"""The command: bad values are usage errors, a good one serves until it is told to stop."""

import json
import os
import signal
import subprocess
import sys
import urllib.request

import pytest
from click.testing import CliRunner

from evals.flags.simulate import command
from evals.simulator.fault_kind import FaultKind

START = [sys.executable, "-c", "from evals.flags.simulate import command; command()"]


@pytest.fixture
def answers(tmp_path):
    row = {"task": "t", "sample_id": "1", "prompt_text": "p", "target": "7", "kind": "integer"}
    (tmp_path / "book.jsonl").write_text(json.dumps(row))
    return str(tmp_path / "book.jsonl")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--fault", "nope=1"], "unknown kind 'nope'; the kinds are http_400_context"),
        (["--fault", "stall=2"], "stall=FRACTION"),
        (["--fault", "stall=0.1", "--fault", "stall=0.2"], "given twice"),
        (["--profile", "int3"], "neither a file nor one of int4, nvfp4, broken"),
        (["--port", "70000"], "70000"),
        (["--port", "x"], "not a valid integer"),
        (["--seed", "x"], "not a valid integer"),
        (["--speed", "-1"], "-1"),
        (["--ttft", "-1"], "-1"),
        (["--token-scale", "0"], "0"),
        (["--max-model-len", "0"], "0"),
        (["--max-concurrency", "0"], "0"),
        (["--tokens", "drift=much"], "drift takes a number"),
        (["--tokens-per-frame", "0"], "0"),
        (["--reasoning-field", "thoughts"], "thoughts"),
        (["--api-key-env", "QUANTCHECK_NO_SUCH_KEY"], "QUANTCHECK_NO_SUCH_KEY: the environment variable"),
        (["--answers", "/nonexistent.jsonl"], "does not exist"),
        (["surplus"], "unexpected extra argument"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_values_are_usage_errors(arguments, words):
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split()) and "Traceback" not in result.output


def test_a_bad_answer_book_is_a_usage_error(tmp_path):
    (tmp_path / "book.jsonl").write_text("{}")
    result = CliRunner().invoke(command, ["--answers", str(tmp_path / "book.jsonl")])
    assert result.exit_code == 2 and "line 1: task is None" in " ".join(result.stderr.split())


def test_a_taken_port_is_a_usage_error(start, answers):
    port = start().address.port
    result = CliRunner().invoke(command, ["--port", str(port), "--answers", answers])
    words = " ".join(result.stderr.split())
    assert result.exit_code == 2 and f"127.0.0.1:{port}: " in words and "choose another port" in words


def test_faults_are_listed_with_what_they_do():
    result = CliRunner().invoke(command, ["--list-faults"])
    assert result.exit_code == 0
    lines = dict(line.split(maxsplit=1) for line in result.stdout.splitlines())
    assert lines == {kind.value: kind.description for kind in FaultKind}


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_it_is_told_to_stop(answers, sign):
    settings = ["--answers", answers, "--model", "mine", "--api-key-env", "SIM_KEY"]
    server = subprocess.Popen(
        [*START, *settings],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "SIM_KEY": "k"},
    )
    line = json.loads(server.stdout.readline())
    assert (line["model"], line["simulated"]) == ("mine", True)
    assert line["base_url"].startswith("http://127.0.0.1:")
    with urllib.request.urlopen(line["base_url"].replace("/v1", "/simulation/truth")) as response:
        assert json.load(response)["tasks"]["t"]["n_items"] == 1
    server.send_signal(sign)
    rest, notice = server.communicate(timeout=10)
    assert (server.returncode, rest) == (0, "")
    assert notice.startswith("SIMULATED endpoint: no model runs here.") and "Traceback" not in notice
