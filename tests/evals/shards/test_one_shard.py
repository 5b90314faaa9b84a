"""Parts of a run asked one by one, as a scheduler starts them, and the run that takes them over."""

import json

import pytest

from evals.shards.places import settled_lengths
from reports.run_files import read_scores

N_RESPONSES = 12  # of the run that the fixture asks


def run_directory(tmp_path, label="x"):
    (directory,) = (tmp_path / "runs" / label / "aime25").iterdir()
    return directory


def test_parts_together_are_the_run_of_one_process(ask, serve, scores, tmp_path):
    running = serve(model="m")
    whole = ask(running.base_url, "--label", "whole", "--json")
    for number in (2, 1):
        ended = ask(running.base_url, "--shard", f"{number}/2")
        assert ended.code == 0, ended.err
        assert f"shard {number}-of-2: 6 responses in" in ended.out and "without --shard" in ended.out
    assert len(list(run_directory(tmp_path).glob(".shards/*/*.eval"))) == 2  # a log each, for the viewer
    merged = ask(running.base_url, "--json")
    assert (merged.document["status"], merged.document["requests_sent"]) == ("complete", 0)
    assert merged.document["accuracy"] == whole.document["accuracy"]
    assert scores(tmp_path / "runs" / "x").equals(scores(tmp_path / "runs" / "whole"))
    assert running.ledger.n_requests == 2 * N_RESPONSES
    assert not (run_directory(tmp_path) / ".shards").exists()


def test_a_part_that_never_ran_is_asked_by_the_run_itself(ask, serve, tmp_path):
    running = serve(model="m")
    assert ask(running.base_url, "--shard", "1/3").code == 0
    ended = ask(running.base_url, "--json")
    assert (ended.document["status"], ended.document["requests_sent"]) == ("complete", 8)


def test_a_part_asked_again_sends_nothing(ask, serve):
    running = serve(model="m")
    for _ in range(2):
        assert ask(running.base_url, "--shard", "1/2").code == 0
    assert running.ledger.n_requests == N_RESPONSES // 2


def test_a_part_of_a_resumed_run_does_not_ask_what_the_run_has(ask, serve):
    running = serve(model="m")
    assert ask(running.base_url, epochs=1).code == 0
    assert ask(running.base_url, "--shard", "1/1").code == 0
    assert running.ledger.n_requests == N_RESPONSES


def test_more_parts_than_responses_ask_nothing(ask, serve):
    running = serve(model="m")
    ended = ask(running.base_url, "--shard", "20/20")
    assert ended.code == 0 and "nothing to ask" in ended.out and running.ledger.n_requests == 0


def test_the_endpoint_that_refuses_stops_a_part(ask, serve):
    ended = ask(serve("http_401=1.0", model="m").base_url, "--shard", "1/2")
    assert ended.code == 5 and "401" in ended.line


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--shard", "0/2"], "'0/2' is no K/N"),
        (["--shard", "3/2"], "'3/2' is no K/N"),
        (["--shard", "2"], "'2' is no K/N"),
        (["--shard", "1/2", "--workers", 2], "--shard: is asked by one process"),
        (["--shard", "1/2", "--json"], "--shard: one part has no summary"),
        (
            ["--shard", "1/2", "--until-decided", "--baseline", ".", "--margin", 0.1],
            "--shard: one part decides nothing",
        ),
        (["--workers", 0], "--workers"),
    ],
)
def test_what_cannot_be_together_is_refused(ask, flags, words):
    ended = ask("http://127.0.0.1:9/v1", *flags)
    assert ended.code == 2 and words in ended.line


def test_the_first_to_come_settles_the_expected_lengths(tmp_path):
    assert settled_lengths(tmp_path, {"a": 5.0}) == {"a": 5.0}
    assert settled_lengths(tmp_path, {"a": 7.0, "b": 1.0}) == {"a": 5.0}
    (file,) = (tmp_path / ".shards").iterdir()
    assert json.loads(file.read_text()) == {"a": 5.0}


def test_the_longest_of_an_earlier_run_is_asked_first(ask, serve, tmp_path):
    running = serve(model="m")
    assert ask(running.base_url, "--label", "before").code == 0
    rows = read_scores(tmp_path / "runs" / "before").frame
    longest = rows.groupby("sample_id")["output_tokens"].mean().astype(float).idxmax()
    assert ask(running.base_url, "--label", "after", "--shard", "1/1").code == 0
    lengths = json.loads((run_directory(tmp_path, "after") / ".shards" / "lengths.json").read_text())
    assert max(lengths, key=lengths.get) == longest
