"""Texts from files and logs: what is read, what is left out and why, how a response is written out."""

import json

import pytest

from evals.divergence.cost import Cost, Pass, within_bound
from evals.divergence.file_texts import read_file_texts
from evals.divergence.text import Text, TextError, response_text
from tasks.rows import DataError
from verifiers.response import ToolCall

CALL = ToolCall(id="functions.get_weather:0", name="get_weather", arguments='{"city": "Bonn"}')
NATIVE = (
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>"
    '{"city": "Bonn"}<|tool_call_end|><|tool_calls_section_end|>'
)


@pytest.mark.parametrize(
    ("said", "is_thinking", "written"),
    [
        pytest.param({"content": "7"}, False, "7", id="answer alone"),
        pytest.param({"reasoning": "r", "content": "7"}, False, "<think>r</think>7", id="tags put back"),
        pytest.param({"reasoning": "r", "content": "7"}, True, "r</think>7", id="the prompt opened the tag"),
        pytest.param({"reasoning": "r"}, True, "r", id="ended while thinking"),
        pytest.param({"content": "Look:", "calls": (CALL,)}, False, f"Look:{NATIVE}", id="a call"),
        pytest.param(
            {"reasoning": "r", "calls": (CALL,)}, True, f"r</think>{NATIVE}", id="thought, then call"
        ),
    ],
)
def test_a_response_is_written_as_the_model_wrote_it(said, is_thinking, written):
    assert response_text(Text(sample_id="1", **said), is_thinking=is_thinking) == written


def test_a_call_of_another_models_form_is_not_guessed():
    call = ToolCall(id="call_abc", name="get_weather", arguments="{}")
    with pytest.raises(TextError, match="native form"):
        response_text(Text(sample_id="1", calls=(call,)), is_thinking=False)


def write(tmp_path, *rows):
    path = tmp_path / "texts.jsonl"
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return path


CHAT = {"messages": [{"role": "user", "content": "What is 3x7?"}], "response": "21"}


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        pytest.param(CHAT, {"content": "21", "messages": CHAT["messages"]}, id="messages and response"),
        pytest.param(
            {**CHAT, "reasoning": "3x7", "temperature": 1, "top_p": 1.0},
            {"reasoning": "3x7", "temperature": 1.0, "top_p": 1.0},
            id="with reasoning and sampling",
        ),
        pytest.param(
            {"prompt": "a", "response": "b"}, {"prompt": "a", "content": "b"}, id="prompt and response"
        ),
        pytest.param({"text": "abc"}, {"prompt": "", "content": "abc"}, id="text"),
        pytest.param({"token_ids": [1, 2, 3], "n_prompt": 2}, {"n_prompt_ids": 2}, id="token ids"),
        pytest.param({"id": 7, "text": "x", "epoch": 2}, {"sample_id": "7", "epoch": 2}, id="id and epoch"),
    ],
)
def test_each_shape_is_read(tmp_path, row, expected):
    (planned,) = read_file_texts(write(tmp_path, "", row)).planned
    text = planned.load()
    assert planned.key == text.key and {name: getattr(text, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("row", "words"),
    [
        pytest.param("{", "line 1 is no JSON", id="no JSON"),
        pytest.param([1], "line 1 is no object", id="no object"),
        pytest.param({"question": "x"}, "response is empty or missing", id="no response"),
        pytest.param({"response": "x"}, "line 1: has response; messages and response", id="no prompt"),
        pytest.param({"token_ids": [1]}, "two or more", id="one token"),
        pytest.param({"text": 5}, "text is '5'; a str", id="a number for text"),
        pytest.param({"text": "x", "temperature": "hot"}, "temperature is 'hot'", id="a word for a number"),
        pytest.param({"text": "x", "epoch": True}, "epoch is 'True'", id="true for a number"),
    ],
)
def test_a_row_that_is_none_is_named_with_its_line(tmp_path, row, words):
    with pytest.raises(DataError, match=words):
        read_file_texts(write(tmp_path, row))


def test_an_empty_file_and_a_missing_one_are_named(tmp_path):
    with pytest.raises(DataError, match="holds no text"):
        read_file_texts(write(tmp_path))
    with pytest.raises(DataError, match="cannot be read"):
        read_file_texts(tmp_path / "none.jsonl")


def test_the_same_text_twice_is_scored_once_and_said(tmp_path):
    found = read_file_texts(
        write(tmp_path, {"id": 1, "text": "x"}, {"id": 1, "text": "x"}, {"id": 2, "text": "x"})
    )
    assert len(found.planned) == 2 and found.left_out == {"the same text twice": 1}


def planned_of(tmp_path, *lengths):
    return read_file_texts(
        write(tmp_path, *({"id": k, "token_ids": [*range(n)]} for k, n in enumerate(lengths)))
    ).planned


def test_the_bound_holds_over_all_passes_and_takes_the_same_texts_each_time(tmp_path):
    planned = planned_of(tmp_path, *[100] * 20)
    kept = within_bound(planned, 3, 1_700)
    assert len(kept) == 5 and within_bound([*reversed(planned)], 3, 1_700) == kept
    assert within_bound(planned, 3, 5) == [] and len(within_bound(planned, 3, None)) == 20


def test_a_text_beyond_the_bound_gives_way_to_smaller_ones(tmp_path):
    kept = within_bound(planned_of(tmp_path, 5_000, 40, 40), 1, 100)
    assert [text.n_tokens for text in kept] == [40, 40]


def test_the_cost_is_told_in_tokens_and_requests(tmp_path):
    planned = planned_of(tmp_path, 100, 50)
    cost = Cost(passes=[Pass(name="baseline", texts=planned), Pass(name="candidate", texts=planned)])
    assert (cost.n_tokens, cost.n_prefills, cost.is_counted) == (300, 4, True)
    assert "300 tokens to prefill in 4 requests" in cost.lines()[0]
    (estimated,) = read_file_texts(write(tmp_path, {"text": "a few words"})).planned
    assert "at most about" in Cost(passes=[Pass(name="b", texts=[estimated])]).lines()[0]
