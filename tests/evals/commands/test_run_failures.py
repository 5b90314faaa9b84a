"""``quantcheck run`` where requests fail in mid-run: never a score, and how the run ends."""

import math
from types import SimpleNamespace


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
