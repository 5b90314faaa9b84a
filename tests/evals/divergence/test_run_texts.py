"""Texts from the logs of a run: every response once, with its parts and its sampling; and what is left out."""

import json
import zipfile

import pytest

from evals.cli import run_command_line
from evals.divergence.run_texts import read_run_texts
from reports.log_members import LogError


@pytest.fixture
def run_directory(serve, aime_file, tmp_path):
    flags = [
        "--limit",
        "3",
        "--epochs",
        "2",
        "--dataset-path",
        aime_file,
        "--accept-dataset",
        "--label",
        "int4",
    ]
    sampling = ["--temperature", "1", "--top-p", "1", "--runs-dir", tmp_path / "runs"]
    thinking = ["--think-mode", "opensource", "--thinking"]
    given = ["run", "aime25", "--base-url", serve().base_url, *flags, *sampling, *thinking]
    assert run_command_line([str(flag) for flag in given]) == 0
    return tmp_path / "runs" / "int4"


def test_every_response_of_a_run_is_a_text(run_directory):
    found = read_run_texts(run_directory)
    texts = [planned.load() for planned in found.planned]
    assert sorted((text.sample_id, text.epoch) for text in texts) == [
        (f"aime25-{k}", epoch) for k in range(3) for epoch in (1, 2)
    ]
    first = texts[0]
    assert first.task == "aime25" and first.reasoning and first.content
    assert [message["role"] for message in first.messages] == ["user"]
    assert (first.temperature, first.top_p) == (1.0, 1.0)
    assert first.template == {"thinking": True}
    assert all(planned.is_counted for planned in found.planned)
    assert [planned.key for planned in found.planned] == [text.key for text in texts]


def test_the_whole_way_from_a_run_to_the_figures(run_directory, play, tmp_path, capsys):
    sides = ["--baseline", play().base_url, "--candidate", play(drift=0.1).base_url]
    given = ["divergence", *sides, "--from", run_directory, "--out", tmp_path / "out", "--json"]
    capsys.readouterr()
    assert run_command_line([str(flag) for flag in given]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["n_texts"] == 6
    assert [row["name"] for row in document["by_part"]][:3] == ["prompt", "reasoning", "answer"]


def sample(**more):
    return {
        "id": "1",
        "epoch": 1,
        "messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}],
        **more,
    }


def conversation(*messages):
    return {"messages": [*messages, {"role": "assistant", "content": "a"}]}


@pytest.fixture
def log_of(tmp_path, serve, run_directory):
    """Return a function that writes the run's log anew with one sample in place of its own."""

    def write(changed):
        (path,) = run_directory.rglob("*.eval")
        target = tmp_path / "one.eval"
        with zipfile.ZipFile(path) as old, zipfile.ZipFile(target, "w") as new:
            for name in old.namelist():
                if not name.startswith("samples/"):
                    new.writestr(name, old.read(name))
            new.writestr("samples/1_epoch_1.json", json.dumps(changed))
        return target

    return write


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        pytest.param(sample(error={"message": "HTTP 500"}), "failed responses", id="failed"),
        pytest.param({"id": "1", "epoch": 1, "messages": []}, "samples without a response", id="no messages"),
        pytest.param(
            sample(messages=[{"role": "user", "content": "q"}, {"role": "assistant", "content": ""}]),
            "empty responses",
            id="empty",
        ),
        pytest.param(
            sample(**conversation({"role": "user", "content": [{"type": "image", "image": "x"}]})),
            "prompts with images",
            id="image",
        ),
        pytest.param(
            sample(**conversation({"role": "tool", "content": "21 degrees"})),
            "prompts with tool calls",
            id="tool result",
        ),
    ],
)
def test_what_cannot_be_scored_is_counted_by_reason(log_of, changed, reason):
    with pytest.raises(LogError, match=f"1 x {reason}"):
        read_run_texts(log_of(changed))


def test_a_directory_without_logs_is_named(tmp_path):
    with pytest.raises(LogError, match="holds no log"):
        read_run_texts(tmp_path)
