"""A real engine: a tiny quantized model behind llama.cpp, asked by the preflight and by a run over real HTTP."""

import pytest

pytest.importorskip("gguf", reason="the extra `local` is not installed")
pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")

from evals.local_weights.gguf_variant import write_variant
from evals.local_weights.llama_server import served
from evals.local_weights.variants import VARIANTS
from reports.run_files import read_scores
from tests.evals.local_weights.tiny_model import CONTEXT_TOKENS, LAYERS, write_tiny_model

MATRICES_A_LAYER = 7
BUDGET = 16  # tokens of a response


@pytest.fixture(scope="module")
def base_url(tmp_path_factory):
    folder = tmp_path_factory.mktemp("weights")
    write_tiny_model(folder / "tiny.gguf")
    variant = folder / "tiny-q4_0.gguf"
    assert write_variant(folder / "tiny.gguf", variant, VARIANTS["q4_0"]) == LAYERS * MATRICES_A_LAYER
    with served(variant, "tiny-q4_0", folder / "server.log") as url:
        yield url


def test_the_preflight_reads_what_the_engine_tells(cli, base_url):
    ended = cli("check", "--base-url", base_url, "--task", "smoke", "--max-tokens", BUDGET, "--json")
    told = ended.document
    assert (told["engine"], told["quantization"], told["context_tokens"]) == (
        "llama.cpp",
        "Q4_0",
        CONTEXT_TOKENS,
    )
    assert told["models"] == ["tiny-q4_0"]
    found = {probe["name"]: probe["status"] for probe in told["probes"]}
    kept = (
        "served_names",
        "engine",
        "quantization",
        "reply",
        "stream",
        "usage",
        "max_tokens",
        "wire",
        "errors",
    )
    assert {name: found[name] for name in kept} == dict.fromkeys(kept, "ok")
    # llama.cpp's own sampling is on where nobody says otherwise, and this template knows no tools
    assert (found["sampling"], found["tools"]) == ("warn", "warn")


def test_a_run_gets_every_response_within_its_budget(cli, base_url, tmp_path):
    size = ("--limit", 3, "--epochs", 1, "--max-tokens", BUDGET)
    ended = cli(
        "run", "smoke", "--base-url", base_url, "--label", "q4_0", "--runs-dir", tmp_path, *size, "--json"
    )
    summary = ended.document
    assert (ended.code, summary["status"], summary["completed"], summary["outcomes"]["error"]) == (
        0,
        "complete",
        3,
        0,
    )
    table = read_scores(tmp_path / "q4_0")
    assert table.facts["smoke"].endpoint["engine"] == "llama.cpp"
    assert table.frame["output_tokens"].between(1, BUDGET).all()
    truncated = table.frame["outcome"] == "truncated"
    assert (table.frame.loc[truncated, "output_tokens"] == BUDGET).all()
    assert set(table.frame["stop_reason"]) <= {"stop", "length"}


def test_the_demonstration_runs_two_checkpoints_at_a_time_and_resumes(cli, tmp_path):
    write_tiny_model(tmp_path / "tiny.gguf")
    size = ("--limit", 3, "--epochs", 1, "--max-tokens", BUDGET, "--parallel", 2)
    runs = tmp_path / "runs"
    asked = ("demo-real", "--gguf", tmp_path / "tiny.gguf", "--variant", "q8_0", *size, "--runs-dir", runs)
    first, again = cli(*asked), cli(*asked)
    assert (first.code, again.code) == (0, 0), first.err + again.err
    for name in ("source", "q8_0"):
        assert f"{name}: 3/3 responses" in first.err, first.err
        assert len(read_scores(runs / name).frame) == 3
    assert (runs / "compare" / "q8_0" / "report.html").is_file()
    assert not list(runs.glob(".weights-*"))
