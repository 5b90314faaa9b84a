"""``quantcheck verify`` on the command line, against embedded endpoints that play vendors."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from evals.cli import run_command_line
from evals.simulator.config import SimulatorConfig
from evals.simulator.faults import parse_faults
from evals.simulator.profile import Lengths, Profile
from evals.simulator.server import Running, serve_in_thread

SHORT = Profile(name="short", answer=Lengths(median=10), chat=Lengths(median=60, sigma=0.3))
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}},
                "required": ["city"],
            },
        },
    }
]

Serve = Callable[..., Running]


@pytest.fixture
def serve() -> Iterator[Serve]:
    with ExitStack() as stack:

        def start(*faults: str, **settings: Any) -> Running:
            given = {"profile": SHORT, "max_model_len": 4096, **settings}
            return stack.enter_context(serve_in_thread(SimulatorConfig(faults=parse_faults(faults), **given)))

        yield start


def verify(out: Path, *arguments: object) -> int:
    return run_command_line(["verify", "--out", str(out), *map(str, arguments)])


def read(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


def test_a_good_vendor_is_qualified(serve: Serve, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = serve(immutable_sampling=True).base_url
    code = verify(tmp_path, "--base-url", url, "--profile", "kimi-k2.6-official", "--label", "good", "--json")
    document = json.loads(capsys.readouterr().out)
    assert (code, document["verdict"]) == (0, "qualified")
    assert document == read(tmp_path / "vendor_report.json")
    assert document["counts"]["fail"] == document["counts"]["error"] == 0
    page = (tmp_path / "vendor_report.md").read_text(encoding="utf-8")
    assert page.startswith("# QUALIFIED - good as kimi-k2.6-official")


def test_every_verdict_can_be_checked_by_hand_and_no_key_is_kept(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VENDOR_KEY", "sk-very-secret-key")
    url = serve(api_key="sk-very-secret-key").base_url
    code = verify(tmp_path, "--base-url", url, "--profile", "generic", "--api-key-env", "VENDOR_KEY")
    assert code == 0
    rows = [json.loads(line) for line in (tmp_path / "evidence.jsonl").read_text("utf-8").splitlines()]
    refused = next(row for row in rows if row["request"] == "temperature -1")
    assert (refused["status"], refused["sent"]["temperature"]) == (400, -1)
    assert "temperature must be in" in refused["received"]
    assert all("sk-very-secret-key" not in path.read_text("utf-8") for path in tmp_path.rglob("*.*"))


def test_a_broken_vendor_is_not_qualified_and_the_fault_is_named(
    serve: Serve, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = serve("tool_id_openai=1").base_url
    assert verify(tmp_path, "--base-url", url, "--profile", "kimi-k2.6-open") == 1
    out = capsys.readouterr().out
    assert out.startswith("NOT QUALIFIED")
    assert "FAIL tool_ids" in out
    failed = [c["name"] for c in read(tmp_path / "vendor_report.json")["criteria"] if c["verdict"] == "fail"]
    assert failed == ["tool_ids"]


@pytest.mark.parametrize(
    "fault",
    ["http_500=1", "ok_html=1", "http_401=1", "stall=1", "endless=1"],
    ids=["500", "html", "key", "falls silent", "never ends"],
)
def test_an_endpoint_that_answers_nothing_is_exit_5_and_passes_nothing(
    serve: Serve, tmp_path: Path, capsys: pytest.CaptureFixture[str], fault: str
) -> None:
    url = serve(fault).base_url
    code = verify(tmp_path, "--base-url", url, "--profile", "generic", "--timeout", "0.5", "--json")
    document = json.loads(capsys.readouterr().out)
    assert (code, document["verdict"], document["counts"]["pass"]) == (5, "incomplete", 0)


def test_a_dead_server_is_exit_5_and_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = verify(tmp_path, "--base-url", "http://127.0.0.1:9", "--profile", "generic", "--json")
    printed = capsys.readouterr()
    assert (code, json.loads(printed.out)["verdict"]) == (5, "incomplete")
    assert "cannot be reached" in printed.err


def test_several_vendors_go_into_one_table_a_dead_one_included(
    serve: Serve, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    urls = (serve().base_url, serve("usage_missing=1").base_url, "http://127.0.0.1:9/v1")
    flags = [flag for url in urls for flag in ("--base-url", url)]
    labels = [flag for label in ("good", "mute", "dead") for flag in ("--label", label)]
    assert verify(tmp_path, *flags, *labels, "--profile", "generic") == 1
    table = (tmp_path / "vendors.md").read_text(encoding="utf-8")
    rows = [line.split(" | ")[0] for line in table.splitlines() if line.startswith("| ")]
    assert rows == ["| vendor", "| good", "| mute", "| dead"]
    assert "not qualified" in capsys.readouterr().out
    assert verify(tmp_path / "again", "--combine", tmp_path / "good", tmp_path / "dead") == 4
    page = (tmp_path / "again" / "vendors.html").read_text(encoding="utf-8")
    assert 'href="../good/report.html"' in page and "1 OF 2 QUALIFIED" in page
    again = read(tmp_path / "again" / "vendors.json")
    assert [one["label"] for one in again["vendors"]] == ["good", "dead"]


def compared(tmp_path: Path, *, candidate: int = 45) -> Path:
    """What compare wrote of two made runs of 50 items and 8 epochs."""
    paths = []
    for name, n_right in (("int4.csv", 45), ("vendor.csv", candidate)):
        rows = [
            f"aime25,a{item},{epoch},{int(item < n_right)}" for item in range(50) for epoch in range(1, 9)
        ]
        (tmp_path / name).write_text("\n".join(["task,sample_id,epoch,score", *rows]) + "\n")
        paths.append(str(tmp_path / name))
    run_command_line(["compare", *paths, "--out", str(tmp_path / "compared")])
    return tmp_path / "compared"


@pytest.mark.parametrize(("candidate", "code"), [(45, 0), (20, 1)], ids=["as good", "far worse"])
def test_benchmarks_of_a_comparison_are_criteria(
    serve: Serve, tmp_path: Path, candidate: int, code: int
) -> None:
    flags = ("--base-url", serve().base_url, "--profile", "generic", "--label", "v")
    comparison = compared(tmp_path, candidate=candidate)
    assert verify(tmp_path / "out", *flags, "--comparison", comparison) == code
    document = read(tmp_path / "out" / "vendor_report.json")
    (found,) = [criterion for criterion in document["criteria"] if criterion["part"] == "benchmarks"]
    assert (found["name"], found["figure"]["value"]) == ("aime25", candidate / 50)
    assert verify(tmp_path / "table", "--combine", tmp_path / "out") == code
    table = (tmp_path / "table" / "vendors.md").read_text(encoding="utf-8")
    assert "| aime25 |" in table.splitlines()[2] and f"{candidate * 2:.2f} %" in table


def test_every_output_is_made_again_as_it_was(serve: Serve, tmp_path: Path) -> None:
    url = serve("tool_id_openai=1", "stop_ignored=1").base_url
    verify(tmp_path, "--base-url", url, "--profile", "kimi-k2.6-open")
    for file_format, name in (("html", "report.html"), ("md", "vendor_report.md"), ("junit", "junit.xml")):
        before = (tmp_path / name).read_text("utf-8")
        assert "tool_ids" in before.replace("\\", "")
        (tmp_path / name).unlink()
        assert run_command_line(["report", str(tmp_path), "--format", file_format]) == 0
        assert (tmp_path / name).read_text("utf-8") == before
    assert run_command_line(["report", str(tmp_path / "vendor_report.json"), "--out", "-"]) == 0
    (tmp_path / "vendor_report.json").write_text("{}")
    assert run_command_line(["report", str(tmp_path)]) == 4


def samples_file(tmp_path: Path, *, broken: bool = False) -> Path:
    bodies = [
        {"messages": [{"role": "user", "content": f"Weather in City{n}?"}], "tools": TOOLS, "stream": True}
        for n in range(4)
    ]
    lines = [json.dumps(body) for body in bodies] + (["{nope"] if broken else [])
    path = tmp_path / "samples.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def reference_file(
    tmp_path: Path, n_rows: int, *, name: str = "official.jsonl", model: str = "kimi-k2-0905-preview"
) -> Path:
    call = {"id": "functions.get_weather:0", "type": "function"}
    row = {
        "request": {"model": model},
        "response": {"choices": [{"message": {"tool_calls": [call]}}]},
        "finish_reason": "tool_calls",
        "status": "success",
    }
    path = tmp_path / name
    path.write_text("\n".join(json.dumps({**row, "data_index": n}) for n in range(1, n_rows + 1)))
    return path


@pytest.mark.parametrize(
    ("n_reference", "broken", "code", "standings"),
    [
        pytest.param(4, False, 0, ("pass", "pass"), id="whole"),
        pytest.param(6, False, 4, ("pass", "error"), id="a reference with other rows"),
        pytest.param(4, True, 4, ("error", "pass"), id="samples with a broken line"),
    ],
)
def test_samples_are_run_and_judged(
    serve: Serve, tmp_path: Path, n_reference: int, broken: bool, code: int, standings: tuple[str, str]
) -> None:
    samples, official = samples_file(tmp_path, broken=broken), reference_file(tmp_path, n_reference)
    flags = ("--base-url", serve().base_url, "--profile", "generic", "--samples", samples)
    assert verify(tmp_path / "out", *flags, "--reference", official) == code
    document = read(tmp_path / "out" / "vendor_report.json")
    found = {criterion["name"]: criterion["verdict"] for criterion in document["criteria"]}
    assert (found["samples_answered"], found["trigger_f1"]) == standings
    assert document["tool_calls"]["trigger_f1"]["value"] == 1.0


def test_several_official_runs_show_the_noise_among_them(serve: Serve, tmp_path: Path) -> None:
    samples, first = samples_file(tmp_path), reference_file(tmp_path, 4)
    second = reference_file(tmp_path, 4, name="second.jsonl")
    flags = ("--base-url", serve().base_url, "--profile", "generic", "--samples", samples)
    assert verify(tmp_path / "out", *flags, "--reference", first, "--reference", second) == 0
    document = read(tmp_path / "out" / "vendor_report.json")
    (noise,) = document["tool_calls"]["reference_noise"]
    assert noise["value"] == 1.0 and noise["low"] < 1.0
    found = {criterion["name"]: criterion for criterion in document["criteria"]}
    assert "official.jsonl against second.jsonl: 100.00 %" in found["reference_noise"]["evidence"]
    other = reference_file(tmp_path, 4, name="other.jsonl", model="kimi-k2-thinking")
    assert verify(tmp_path / "out", *flags, "--reference", first, "--reference", other) == 2


USAGE = {
    "no endpoint": ["--profile", "generic"],
    "no profile": ["--base-url", "http://127.0.0.1:9"],
    "unknown profile": ["--base-url", "http://127.0.0.1:9", "--profile", "kimi-k9"],
    "no url": ["--base-url", "nowhere", "--profile", "generic"],
    "directories without combine": ["some", "--profile", "generic"],
    "combine without directories": ["--combine"],
    "combine with an endpoint": ["--combine", "some", "--base-url", "http://127.0.0.1:9"],
    "combine of no report": ["--combine", "."],
    "reference without samples": ["--base-url", "http://127.0.0.1:9", "--profile", "generic", "--limit", "3"],
    "schemas that are none": ["--base-url", "http://127.0.0.1:9", "--profile", "generic", "--schemas", "."],
    "labels that do not fit": [
        *("--base-url", "http://127.0.0.1:9", "--base-url", "http://127.0.0.2:9"),
        *("--profile", "generic", "--label", "one"),
    ],
    "a comparison for several": [
        *("--base-url", "http://127.0.0.1:9", "--base-url", "http://127.0.0.2:9"),
        *("--profile", "generic", "--comparison", "."),
    ],
    "one host twice": [
        *("--base-url", "http://127.0.0.1:9/v1", "--base-url", "http://127.0.0.1:9/v2"),
        *("--profile", "generic"),
    ],
}


@pytest.mark.parametrize("arguments", USAGE.values(), ids=USAGE)
def test_what_cannot_be_meant_is_usage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert run_command_line(["verify", *arguments]) == 2


def test_a_reference_that_holds_no_result_is_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "official.jsonl").write_text("{nope\n[]\n")
    flags = ("--base-url", "http://127.0.0.1:9", "--profile", "generic", "--samples", samples_file(tmp_path))
    assert verify(tmp_path, *flags, "--reference", tmp_path / "official.jsonl") == 5
    assert "holds no result" in capsys.readouterr().err


def test_token_counts_that_cannot_be_read_are_data(tmp_path: Path) -> None:
    path = tmp_path / "counts.json"
    path.write_text("[]")
    flags = ("--base-url", "http://127.0.0.1:9", "--profile", "generic", "--token-counts", path)
    assert verify(tmp_path, *flags) == 5
