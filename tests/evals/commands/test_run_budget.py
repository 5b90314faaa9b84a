"""What a run refuses, cuts or warns about before it sends anything, and truncated samples asked again."""

import gc
import json

import pytest

from evals.cli import run_command_line

# Inspect's own: a parameter of tenacity's that has a new name, and streams of anyio's left to be collected.
pytestmark = [
    pytest.mark.filterwarnings("ignore:The 'initial' parameter is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Unclosed <MemoryObject:ResourceWarning"),
]


@pytest.fixture
def run(capsys, tmp_path, exam_path):
    """Return a function that runs the small exam and gives exit code, summary, stderr and manifest."""

    def run_exam(base_url, *flags):
        runs = tmp_path / "runs"
        data = ["--dataset-path", str(exam_path), "--accept-dataset", "--runs-dir", str(runs)]
        code = run_command_line(
            ["run", "aime25", "--base-url", base_url, "--epochs", "1", *data, "--json", *flags]
        )
        captured = capsys.readouterr()
        manifests = sorted(runs.glob("*/*/*/manifest.json"), key=lambda path: path.stat().st_mtime)
        manifest = json.loads(manifests[-1].read_text()) if manifests else None
        return code, json.loads(captured.out) if captured.out else None, captured.err, manifest

    yield run_exam
    gc.collect()  # what Inspect leaves must not be collected in another test


def test_a_budget_beyond_the_context_is_refused_before_anything_is_sent(run, play):
    running = play(max_model_len=2048)
    code, summary, words, manifest = run(running.base_url)
    assert (code, summary, manifest, running.ledger.n_requests) == (2, None, None, 0)
    assert "131,072" in words and "2,048" in words and "--max-model-len" in words


def test_a_cut_budget_is_part_of_the_fingerprint(run, play):
    running = play(max_model_len=2048)
    code, summary, words, manifest = run(running.base_url, "--clamp-budget")
    assert code == 0 and "cut from 131,072" in words
    sent = manifest["spec"]["max_tokens"]
    assert 1500 < sent < 2048
    _, again, _, _ = run(running.base_url, "--max-tokens", str(sent))
    assert again["fingerprint"] == summary["fingerprint"] and again["requests_sent"] == 0


def test_a_cut_budget_does_not_depend_on_the_limit(run, play):
    running = play(max_model_len=2048)
    _, one, _, _ = run(running.base_url, "--clamp-budget", "--limit", "1")
    _, four, _, _ = run(running.base_url, "--clamp-budget")
    assert one["fingerprint"] == four["fingerprint"] and four["requests_sent"] == 3


def test_a_small_budget_is_warned_about(run, play):
    _, _, words, _ = run(play().base_url, "--max-tokens", "4000")
    assert "warning: budget: 4,000 tokens include the reasoning" in words
    _, _, words, _ = run(play().base_url, "--max-tokens", "4000", "--think-mode", "kimi", "--no-thinking")
    assert "include the reasoning" not in words


def test_escalation_reports_both_and_leaves_the_score_as_served(run, play):
    running = play(reasoning=200)
    code, summary, _, manifest = run(running.base_url, "--max-tokens", "60", "--on-truncation", "escalate")
    assert code == 0 and manifest["on_truncation"] == "escalate"
    assert summary["outcomes"]["truncated"] == 4 and summary["accuracy"]["value"] == 0.0
    assert summary["accuracy_escalated"]["value"] == 1.0
    assert summary["escalated"]["n"] == 4 and summary["escalated"]["max_tokens"] == 240
    assert summary["requests_sent"] == 4 * 3  # 60, 120, 240
    _, counted, _, manifest = run(running.base_url, "--max-tokens", "60")
    assert manifest["on_truncation"] == "count"
    assert counted["fingerprint"] == summary["fingerprint"] and counted["requests_sent"] == 0
    assert counted["accuracy"] == summary["accuracy"] and counted["accuracy_escalated"] is None


def test_escalation_ends_at_the_context(run, play):
    running = play(reasoning=2000, max_model_len=700)
    code, summary, _, manifest = run(running.base_url, "--max-tokens", "300", "--on-truncation", "escalate")
    assert code == 0
    assert summary["escalated"]["outcomes"]["truncated"] == 4
    assert 300 < summary["escalated"]["max_tokens"] == manifest["escalate_to"] < 700


def test_whole_answers_are_not_asked_again(run, play):
    _, summary, _, _ = run(play().base_url, "--on-truncation", "escalate")
    assert summary["requests_sent"] == 4 and summary["accuracy_escalated"] is None


def test_thinking_that_was_switched_off_and_comes_all_the_same_is_flagged(run, play):
    off = ("--think-mode", "opensource", "--no-thinking")
    _, summary, words, _ = run(play("thinking_ignored=1").base_url, *off)
    assert summary["flags"]["thinking_not_disabled"] == 4
    assert "thinking is switched off, yet reasoning arrives" in words
    _, summary, words, _ = run(play().base_url, *off, "--label", "other")
    assert "thinking_not_disabled" not in summary["flags"] and "first replies" not in words
