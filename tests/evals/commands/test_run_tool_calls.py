"""The K2 tool-call task through the command line, against endpoints that keep the contract and that do not."""

import contextlib
import gc
import http.server
import json
import os
import threading
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

from evals.cli import run_command_line
from evals.simulator.config import SimulatorConfig
from evals.simulator.exams import book_of
from evals.simulator.faults import parse_faults
from evals.simulator.profile import Lengths, Profile, TaskProfile
from evals.simulator.server import serve_in_thread
from tasks.exam import load_exam
from tasks.k2_tool_calls import K2_TOOL_CALLS

# Inspect's own: a parameter of tenacity's that has a new name, and streams of anyio's left to be collected.
pytestmark = [
    pytest.mark.filterwarnings("ignore:The 'initial' parameter is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Unclosed <MemoryObject:ResourceWarning"),
]
REAL = Path(os.environ.get("QUANTCHECK_SHARED", Path(__file__).parents[4] / "shared")) / (
    "data/k2_tool_calls/samples_3rows.jsonl"
)
TOOL = {
    "function": {
        "name": "search",
        "description": None,
        "parameters": {"properties": {"q": {"type": "string"}}, "required": ["q"]},
    },
    "type": "function",
}
N_SAMPLES = 12


def sample(number):
    """Return a request of our own making with what real ones have: odd roles, nulls, unknown keys, tool ids."""
    call = {"id": "search:0", "type": "function", "function": {"name": "search", "arguments": '{"q": "é"}'}}
    return {
        "model": "theirs",
        "messages": [
            {"role": "system", "content": "Today is a made-up day."},
            {"role": "user", "content": f"Question {number}?", "name": None},
            {"content": "", "role": "assistant", "tool_calls": [call]},
            {"tool_call_id": "search:0", "role": "tool", "name": "search", "content": "nothing"},
            {"role": "_input", "name": "resource", "content": "Go on."},
        ],
        "zz_unknown": {"b": [1, None], "a": 2.5},
        "max_tokens": 16000,
        "temperature": 0.6,
        **({"stream": True} if number % 2 else {}),
        "user": None,
        "tools": [TOOL],
    }


@pytest.fixture
def samples(tmp_path):
    path = tmp_path / "samples.jsonl"
    path.write_text("".join(json.dumps(sample(n)) + "\n" for n in range(1, N_SAMPLES + 1)), encoding="utf-8")
    return path


@pytest.fixture
def play():
    """Return a function that starts an endpoint that decides rightly whether to call a tool."""
    with contextlib.ExitStack() as running:

        def start(path, *faults, **settings):
            items = load_exam(K2_TOOL_CALLS, path=path, accept_changes=True).items
            profile = Profile(
                name="tiny",
                tasks={"k2_tool_calls": TaskProfile(default=1.0, reasoning=Lengths(median=5))},
                answer=Lengths(median=5),
            )
            given = {"profile": profile, "model": "m", "book": book_of((K2_TOOL_CALLS, items)), **settings}
            config = SimulatorConfig(faults=parse_faults(faults), record_bodies=True, **given)
            return running.enter_context(serve_in_thread(config))

        yield start


@pytest.fixture
def run(capsys, tmp_path):
    """Return a function that runs the task and gives exit code, summary, stderr and the run's directory."""

    def run_task(base_url, path, *flags, label="m"):
        data = ["--dataset-path", str(path), "--accept-dataset", "--runs-dir", str(tmp_path / "runs")]
        command = ["run", "k2_tool_calls", "--base-url", base_url, "--label", label, "--json", *data, *flags]
        code = run_command_line(command)
        captured = capsys.readouterr()
        summary = json.loads(captured.out) if captured.out else None
        found = list((tmp_path / "runs" / label).glob("*/*/summary.json"))
        newest = max(found, key=lambda one: one.stat().st_mtime).parent if found else None
        return code, summary, captured.err, newest

    yield run_task
    gc.collect()  # what Inspect leaves must not be collected in another test


def expected_body(given, **merged):
    """Return what must arrive: the row in its own order, with ``_input`` as ``system`` and what a run merges."""
    text = json.dumps({**given, "model": "m", "max_tokens": 64000, "temperature": 1.0, **merged})
    return text.replace('"role": "_input"', '"role": "system"')


def arrived(running):
    return sorted(json.dumps(json.loads(body)) for body in running.ledger.bodies)


def test_requests_arrive_as_they_stand_and_the_log_has_them(run, play, samples):
    running = play(samples)
    code, summary, _, directory = run(running.base_url, samples)
    assert code == 0 and summary["status"] == "complete" and summary["completed"] == N_SAMPLES
    usage = {"stream_options": {"include_usage": True}}
    rows = [sample(n) for n in range(1, N_SAMPLES + 1)]
    assert arrived(running) == sorted(
        expected_body(row, **(usage if row.get("stream") else {})) for row in rows
    )
    log = read_eval_log(str(directory / summary["log"]), resolve_attachments="full")
    sent = {
        one.id: next(event for event in one.events if event.event == "model").call.request
        for one in log.samples
    }
    assert [json.loads(expected_body(row)) | sent[str(n)] for n, row in enumerate(rows, 1)] == [
        sent[str(n)] for n in range(1, N_SAMPLES + 1)
    ]
    assert json.loads((directory / "manifest.json").read_text())["max_connections"] == 256
    again = run(running.base_url, samples)[1]
    assert again["requests_sent"] == 0 and again["tool_calls"] == summary["tool_calls"]


def test_the_summary_has_the_figures(run, play, samples):
    running = play(samples)
    _, summary, words, _ = run(running.base_url, samples, "--seed", "3")
    due = sum(entry.target == ("tool_calls",) for entry in load_book(samples))
    block = summary["tool_calls"]
    assert (block["triggered"], block["schema_accuracy"]["value"]) == (due, 1.0)
    assert block["lenient"]["value"] == block["finish_reason_agreement"]["value"] == 1.0
    assert (block["leak_rate"]["value"], block["reasons"], block["stream_gap"]) == (0.0, {}, None)
    assert set(block["by_delivery"]) == {"streamed", "plain"}
    assert f"tools called in {due} of 12 responses; schema accuracy 100.00%" in words
    assert all("seed" in json.loads(body) for body in running.ledger.bodies)


def load_book(path):
    return book_of((K2_TOOL_CALLS, load_exam(K2_TOOL_CALLS, path=path, accept_changes=True).items)).entries


def test_calls_that_are_lost_only_when_streaming_are_told_by_both_ways(run, play, samples):
    running = play(samples, "tool_empty_deltas=1.0@stream")
    _, summary, words, directory = run(running.base_url, samples, "--both-ways")
    assert "first replies: streams are asked for" not in words, "half of them were asked for plain"
    due = sum(entry.target == ("tool_calls",) for entry in load_book(samples))
    assert (summary["epochs"], summary["expected"]) == (2, 2 * N_SAMPLES)
    ways = [json.loads(body)["stream"] for body in running.ledger.bodies]
    assert (ways.count(True), ways.count(False)) == (N_SAMPLES, N_SAMPLES)
    block = summary["tool_calls"]
    assert (
        block["by_delivery"]["streamed"]["triggered"] == 0
        and block["by_delivery"]["plain"]["triggered"] == due
    )
    assert (block["stream_gap"]["lost"], block["stream_gap"]["gained"]) == (due, 0)
    assert f"{due} call less streamed" in words and summary["flags"]["tool_calls_empty"] >= due
    assert json.loads((directory / "manifest.json").read_text())["spec"]["options"] == {"both_ways": True}


FAULTS = [
    pytest.param("tool_args_invalid", {"reasons": "schema"}, id="wrong types"),
    pytest.param("tool_name_unknown", {"reasons": "unknown_tool"}, id="undeclared names"),
    pytest.param("tool_leak_content", {"leaked": "all"}, id="calls left in the text"),
    pytest.param("ignore_stream", {"flag": "stream_ignored"}, id="streams that are none"),
]


@pytest.mark.parametrize(("fault", "shows"), FAULTS)
def test_a_fault_is_named_and_no_other(run, play, samples, fault, shows):
    code, summary, _, _ = run(play(samples, f"{fault}=1.0").base_url, samples)
    due = sum(entry.target == ("tool_calls",) for entry in load_book(samples))
    block = summary["tool_calls"]
    assert code == 0 and summary["outcomes"]["error"] == 0
    assert block["reasons"] == ({shows["reasons"]: due} if "reasons" in shows else {})
    assert block["leaked"] == block["recoverable_calls"] == (due if "leaked" in shows else 0)
    assert summary["flags"].get("stream_ignored", 0) == (N_SAMPLES // 2 if "flag" in shows else 0)


@pytest.mark.parametrize(
    ("fault", "words"),
    [("http_500", "HTTP 500"), ("ok_html", "HTML"), ("endless", "never ends")],
    ids=["500 to everything", "HTML to everything", "text without end to everything"],
)
def test_a_vendor_that_answers_nothing_never_passes(run, play, samples, fault, words):
    running = play(samples, f"{fault}=1.0")
    code, summary, told, _ = run(running.base_url, samples, "--outage", "0.4", "--max-tokens", "200")
    assert words in summary["first_error"] and words in told
    assert (code, summary["status"], summary["outcomes"]["error"]) == (4, "invalid", N_SAMPLES)
    assert (
        summary["tool_calls"]["errors"] == N_SAMPLES
        and summary["tool_calls"]["schema_accuracy"]["value"] is None
    )
    assert summary["accuracy"]["value"] is None
    failures = summary["tool_calls"]["failures"]
    assert all(words in said for said in failures) and sum(failures.values()) == N_SAMPLES


def test_broken_lines_end_the_command_with_their_numbers(run, play, samples):
    text = samples.read_text().splitlines()
    samples.write_text("\n".join([text[0], "{cut", *text[2:]]))
    running = play(samples)
    assert (
        run_command_line(
            ["run", "k2_tool_calls", "--base-url", running.base_url, "--dataset-path", str(samples)]
        )
        == 5
    )
    code, summary, words, _ = run(running.base_url, samples, "--limit", "2")
    assert code == 0 and "note: left out: 1 of 12 lines hold no request (line 2: not JSON" in words
    assert summary["n_items"] == 2


def test_options_of_this_task_are_refused_by_others(play, samples, capsys):
    url = play(samples).base_url
    for flag in ("--both-ways", "--raw-completions"):
        assert run_command_line(["run", "aime25", "--base-url", url, flag]) == 2
        assert f"{flag}: aime25 has no such setting" in capsys.readouterr().err
    assert run_command_line(["run", "k2_tool_calls", "--base-url", url, "--raw-completions"]) == 2
    assert "--tokenizer" in capsys.readouterr().err


class CompletionsServer(http.server.ThreadingHTTPServer):
    """Answers prompts with raw text: a call of the first tool in the model's own tokens."""

    text = (
        "<think>So.</think>I search.<|tool_calls_section_begin|><|tool_call_begin|>functions.search:1"
        '<|tool_call_argument_begin|>{"q": "x"}<|tool_call_end|><|tool_calls_section_end|>'
    )

    def __init__(self):
        self.bodies = []
        super().__init__(("127.0.0.1", 0), _Completions)


class _Completions(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self._send(200 if self.path == "/v1/models" else 404, {"data": [{"id": "m"}]})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.bodies.append((self.path, body))
        self._send(200, {"choices": [{"index": 0, "text": self.server.text, "finish_reason": "stop"}]})

    def _send(self, status, value):
        content = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def test_raw_completions_read_the_models_own_tokens(run, samples, tmp_path):
    (tmp_path / "tokenizer").mkdir()
    template = (
        "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}{{ tools | length }}[assistant]"
    )
    (tmp_path / "tokenizer" / "chat_template.jinja").write_text(template)
    with CompletionsServer() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        flags = (
            "--raw-completions",
            "--tokenizer",
            str(tmp_path / "tokenizer"),
            "--no-stream",
            "--limit",
            "3",
        )
        code, summary, _, directory = run(url, samples, *flags)
        server.shutdown()
    assert code == 0
    assert {path for path, _ in server.bodies} == {"/v1/completions"}
    prompts = sorted(body["prompt"] for _, body in server.bodies)
    assert prompts[0] == (
        "[system]Today is a made-up day.[user]Question 1?[assistant][tool]nothing[system]Go on.1[assistant]"
    )
    assert all(body["max_tokens"] == 64000 and "tools" not in body for _, body in server.bodies)
    assert (
        summary["tool_calls"]["triggered"] == 3 and summary["tool_calls"]["schema_accuracy"]["value"] == 1.0
    )
    assert summary["accuracy"]["value"] == 1.0 and summary["tool_calls"]["leaked"] == 0
    assert (
        len(json.loads((directory / "manifest.json").read_text())["spec"]["options"]["raw_completions"]) == 16
    )


@pytest.mark.skipif(not REAL.exists(), reason="the public sample rows are not here")
def test_the_real_rows_arrive_as_they_stand(run, play):
    running = play(REAL)
    assert run(running.base_url, REAL)[0] == 0
    rows = [json.loads(line) for line in REAL.read_text(encoding="utf-8").splitlines()]
    assert arrived(running) == sorted(
        expected_body(row, stream_options={"include_usage": True}) for row in rows
    )
