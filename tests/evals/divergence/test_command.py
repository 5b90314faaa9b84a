"""``quantcheck divergence`` from the outside, against endpoints whose divergence is known."""

import json
from dataclasses import dataclass
from typing import Any

import jsonschema
import numpy as np
import pytest

from evals.cli import run_command_line
from evals.simulator.token_model import TokenModel
from reports.divergence.schema import DIVERGENCE_SCHEMA

FIRST_CLASS = 3
CHATS = [
    {
        "id": k,
        "messages": [{"role": "user", "content": f"What is {k}{k} plus 1{k}?"}],
        "reasoning": f"Add {k}{k} and 1{k}, step by step" + ", and so on" * 10,
        "response": f"It is {11 * k + 10 + k}.",
    }
    for k in range(1, 8)
]


@dataclass(frozen=True, kw_only=True)
class Ended:
    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.out)
        jsonschema.validate(document, DIVERGENCE_SCHEMA)
        return document


@pytest.fixture
def ask(tmp_path, capsys):
    """Return a function that runs the command with JSON output into a directory of the test's own."""

    def run(*flags, out="out", as_json=True):
        given = ["divergence", "--out", str(tmp_path / out), "--outage", "5", *map(str, flags)]
        code = run_command_line([*given, "--json"] if as_json else given)
        printed = capsys.readouterr()
        return Ended(code=code, out=printed.out, err=printed.err)

    return run


@pytest.fixture
def chats(tmp_path):
    path = tmp_path / "chats.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in CHATS))
    return path


@pytest.mark.parametrize("engine", ["vllm", "sglang"])
def test_the_estimate_over_http_holds_the_exact_divergence(ask, play, drawn, engine):
    candidate = {"drift": 0.3}
    base, cand = play(engine=engine), play(engine=engine, **candidate)
    ended = ask("--baseline", base.base_url, "--candidate", cand.base_url, "--texts", drawn(n_texts=30))
    assert ended.code == 0
    found = ended.document
    exact = TokenModel().exact_divergence(TokenModel(**candidate), FIRST_CLASS, 80).mean()
    for name in ("kl", "kl_controlled"):
        assert found[name]["low"] <= exact <= found[name]["high"]
    assert found["kl_controlled"]["high"] - found["kl_controlled"]["low"] < 0.3 * exact
    assert (found["n_texts"], found["n_response_tokens"]) == (30, 30 * 79)
    assert found["floor"]["is_identical"] and found["beyond_floor"]["low"] > 0
    assert found["baseline"]["engine"] == engine and found["findings"] == []


def test_vllm_and_sglang_say_the_same_of_the_same_tokens(ask, play, drawn):
    texts = drawn()
    ended = ask(
        *("--baseline", play(engine="vllm").base_url, "--candidate", play(engine="sglang").base_url),
        *("--texts", texts, "--no-floor"),
    )
    assert ended.document["is_identical"] and ended.document["top1_agreement"]["value"] == 1


def test_a_late_drift_is_found_by_the_position_table(ask, play, drawn):
    base, cand = play(), play(late_drift=0.1)
    ended = ask(
        "--baseline", base.base_url, "--candidate", cand.base_url, "--texts", drawn(n_texts=10, n_tokens=600)
    )
    rows = ended.document["by_position"]
    means = [row["mean_absolute"] for row in rows]
    assert [row["from"] for row in rows] == [0, 64, 128, 256, 512]
    assert means[0] == 0 and means == sorted(means)
    assert [finding["kind"] for finding in ended.document["findings"]] == ["position"]


def test_the_noise_floor_is_what_an_endpoint_s_own_noise_makes(ask, play, drawn):
    base = play(jitter=0.02)
    ended = ask("--baseline", base.base_url, "--candidate", base.base_url, "--texts", drawn(n_texts=20))
    found = ended.document
    expected = 0.02 * 2**0.5 * (2 / np.pi) ** 0.5  # mean |difference| of two normal draws
    assert found["floor"]["mean_absolute"]["value"] == pytest.approx(expected, rel=0.15)
    assert [finding["kind"] for finding in found["findings"]] == ["within_floor"]


def test_another_tokenizer_is_named_and_nothing_is_averaged(ask, play, chats):
    base, cand = play(), play(tokenizer="digits")
    ended = ask("--baseline", base.base_url, "--candidate", cand.base_url, "--texts", chats)
    assert ended.code == 4
    found = ended.document
    assert found["tokens"]["n_different"] == len(CHATS) and found["n_texts"] == 0
    assert list(found["tokens"]["kinds"]) == ["tokenizer: the same characters are split into other tokens"]
    example = found["tokens"]["examples"][0]
    assert "".join(example["baseline"])[:9] == "".join(example["candidate"])[:9]


def test_conversations_have_their_parts_and_markers(ask, play, chats):
    ended = ask(
        "--baseline", play().base_url, "--candidate", play(drift=0.1).base_url, "--texts", chats, as_json=True
    )
    parts = {row["name"]: row["n_tokens"] for row in ended.document["by_part"]}
    assert list(parts) == ["prompt", "reasoning", "answer", "near markers"]
    assert parts["answer"] == sum(parts_of(row["response"]) for row in CHATS)
    assert not ended.document["is_sampled_from_baseline"] and ended.document["kl"] is None


def parts_of(text):
    return len(text.replace(".", " .").split())


def test_one_side_can_be_recorded_before_the_other_is_up(ask, play, drawn, tmp_path):
    texts = drawn()
    first = ask("--baseline", play().base_url, "--texts", texts, as_json=False)
    assert first.code == 0 and first.out == ""
    assert f"--baseline {tmp_path / 'out' / 'baseline'} --candidate URL --texts {texts}" in first.err
    second = ask(
        *("--baseline", tmp_path / "out" / "baseline", "--candidate", play(drift=0.2).base_url),
        *("--texts", texts),
    )
    assert second.code == 0 and second.document["floor"]["is_identical"]
    offline = ask(
        "--baseline",
        tmp_path / "out" / "baseline",
        "--candidate",
        tmp_path / "out" / "candidate",
        out="again",
    )
    assert offline.document == second.document | {"notes": offline.document["notes"]}


def test_a_second_run_asks_for_nothing_that_is_recorded(ask, play, drawn, tmp_path):
    base, cand, texts = play(), play(drift=0.2), drawn(n_texts=5)
    flags = ("--baseline", base.base_url, "--candidate", cand.base_url, "--texts", texts)
    first = ask(*flags).document
    (lost,) = sorted((tmp_path / "out" / "candidate" / "records").iterdir())[:1]
    lost.unlink()
    again = ask(*flags)
    assert again.document == first
    assert "baseline: 0 texts" in again.err and "candidate: 1 texts, 80 tokens" in again.err


def test_texts_of_an_earlier_question_in_the_same_directory_are_in_no_figure(ask, play, drawn, chats):
    flags = ("--baseline", play().base_url, "--candidate", play(drift=0.2).base_url, "--texts")
    assert ask(*flags, drawn(n_texts=4)).document["n_texts"] == 4
    assert ask(*flags, chats).document["n_texts"] == len(CHATS)


def test_texts_that_a_recorded_side_lacks_are_left_out_and_said(ask, play, drawn, tmp_path):
    assert ask("--baseline", play().base_url, "--texts", drawn(n_texts=3)).code == 0
    flags = ("--baseline", tmp_path / "out" / "baseline", "--candidate", play().base_url, "--texts")
    document = ask(*flags, drawn(n_texts=5)).document
    assert document["n_texts"] == 3
    assert document["notes"] == ["2 texts left out: the recorded side lacks them"]
    none = ask(*flags, drawn(n_texts=5, seed=9))
    assert none.code == 2 and "none of them is among those of the recorded side" in none.err


def test_records_of_another_checkpoint_are_not_mixed_in(ask, play, drawn):
    texts = drawn(n_texts=2)
    assert ask("--baseline", play().base_url, "--texts", texts).code == 0
    other = ask("--baseline", play(engine="sglang").base_url, "--texts", texts)
    assert other.code == 4 and "holds records of engine 'vllm'" in other.err


def test_the_bound_keeps_the_cost_and_the_rest_is_noted(ask, play, drawn):
    base, cand = play(), play(drift=0.1)
    ended = ask(
        *("--baseline", base.base_url, "--candidate", cand.base_url, "--texts", drawn(n_texts=10)),
        *("--max-tokens-total", 3 * 80 * 4),
    )
    assert ended.document["n_texts"] == 4
    assert "6 texts left out to stay within the bound on tokens" in ended.document["notes"]
    assert "960 tokens to prefill in 12 requests" in ended.err


def test_a_dry_run_tells_the_cost_and_asks_for_nothing(ask, play, drawn, tmp_path):
    ended = ask("--baseline", play().base_url, "--texts", drawn(n_texts=3), "--dry-run")
    assert json.loads(ended.out)["tokens"] == 2 * 3 * 80 and not (tmp_path / "out").exists()


@pytest.mark.parametrize("fault", ["http_503=first:1", "http_429=first:2", "ok_error_body=first:1"])
def test_faults_that_pass_are_tried_again(ask, play, drawn, fault):
    base, cand = play(fault), play()
    ended = ask("--baseline", base.base_url, "--candidate", cand.base_url, "--texts", drawn(n_texts=3))
    assert ended.code == 0 and ended.document["is_identical"]


def test_an_endpoint_that_stays_down_ends_the_command_and_leaves_what_is_recorded(ask, play, drawn, tmp_path):
    ended = ask("--baseline", play("http_503=100%").base_url, "--texts", drawn(n_texts=2), "--outage", "0.1")
    assert ended.code == 5 and "HTTP 503" in ended.err and "run again to resume" in ended.err
    assert [path.name for path in (tmp_path / "out" / "baseline").iterdir()] == ["side.json"]


@pytest.mark.parametrize(
    ("model", "flags", "code", "words"),
    [
        pytest.param(
            {"engine": "llamacpp"}, (), 5, "gives log-probabilities of generated tokens only", id="llama"
        ),
        pytest.param({"prompt_logprobs": False}, (), 5, "of 0 of 80 tokens", id="null"),
        pytest.param(
            {"prompt_logprobs": False, "engine": "sglang"}, (), 5, "of 0 of 80 tokens", id="sglang null"
        ),
    ],
)
def test_an_engine_that_cannot_is_told_so_in_one_line(ask, play, drawn, model, flags, code, words):
    ended = ask("--baseline", play(**model).base_url, "--texts", drawn(n_texts=2), *flags)
    assert ended.code == code and words in ended.err
    assert ended.err.rstrip().splitlines()[-1].startswith("quantcheck: endpoint http://127.0.0.1")


def test_llama_cpp_takes_part_with_its_tokens_alone(ask, play, chats):
    llama = play(engine="llamacpp")
    flags = ("--candidate", llama.base_url, "--texts", chats, "--tokens-only", "--no-floor")
    same = ask("--baseline", play().base_url, *flags)
    assert same.code == 0 and same.document["tokens"]["n_same"] == len(CHATS)
    other = ask("--baseline", play(tokenizer="digits").base_url, *flags, out="other")
    assert other.code == 4
    assert list(other.document["tokens"]["kinds"]) == [
        "tokenizer: the same characters are split into other tokens"
    ]


def test_texts_beyond_the_context_are_left_out_and_said(ask, play, tmp_path):
    texts = tmp_path / "t.jsonl"
    rows = [{"id": n, "token_ids": list(range(n)), "n_prompt": 1} for n in (50, 60, 200)]
    texts.write_text("".join(json.dumps(row) + "\n" for row in rows))
    small = play(max_model_len=100).base_url
    ended = ask("--baseline", small, "--candidate", small, "--texts", texts)
    assert ended.document["n_texts"] == 2
    assert any(
        "1 texts refused by the baseline: texts longer than" in note for note in ended.document["notes"]
    )


@pytest.mark.parametrize(
    ("flags", "code", "words"),
    [
        pytest.param((), 2, "--baseline", id="no side"),
        pytest.param(("--baseline", "URL"), 2, "no texts: give --from RUN", id="no texts"),
        pytest.param(("--baseline", "here"), 4, "holds no recorded side", id="no record"),
        pytest.param(
            ("--baseline", "http://127.0.0.1:9", "--texts", "FILE"), 5, "cannot be reached", id="down"
        ),
        pytest.param(
            ("--baseline", "URL", "--texts", "FILE", "--from", "FILE"), 2, "give one of them", id="both"
        ),
        pytest.param(
            ("--baseline", "URL", "--texts", "FILE", "--confidence", "2"), 2, "confidence", id="confidence"
        ),
    ],
)
def test_what_cannot_be_done_is_one_line(ask, play, drawn, flags, code, words):
    names = {"URL": play().base_url, "FILE": drawn(n_texts=1)}
    ended = ask(*(names.get(flag, flag) for flag in flags))
    assert ended.code == code and words in ended.err and ended.err.count("\n") == 1
