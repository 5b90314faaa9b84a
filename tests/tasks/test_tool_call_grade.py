"""Which responses to a request with tools keep the contract, and what is counted of each."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.tool_call_grade import grade_tool_response, read_raw_text
from verifiers.outcome import Outcome
from verifiers.response import Response, ToolCall

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "look",
            "parameters": {
                "type": "object",
                "properties": {"at": {"type": "string"}},
                "required": ["at"],
            },
        },
    },
    {"type": "function", "function": {"name": "odd", "parameters": {"type": "nothing known"}}},
]
GOOD = ToolCall(id="functions.look:0", name="look", arguments='{"at": "x"}')
BAD = ToolCall(id="functions.look:1", name="look", arguments='{"at": 3}')
ODD = ToolCall(id="functions.odd:0", name="odd", arguments="{}")
NATIVE = (
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.look:0<|tool_call_argument_begin|>"
    '{"at": "x"}<|tool_call_end|><|tool_calls_section_end|>'
)


def grade(*calls, target="", finish="tool_calls", tools=TOOLS, **more):
    response = Response(tool_calls=calls, finish_reason=finish, **more)
    return grade_tool_response(response, target, {"tools": tools, "tool_choice": None})


@pytest.mark.parametrize(
    ("graded", "outcome", "score"),
    [
        pytest.param(grade(GOOD), Outcome.CORRECT, 1.0, id="a valid call"),
        pytest.param(grade(GOOD, content="I look."), Outcome.CORRECT, 1.0, id="a valid call beside text"),
        pytest.param(
            grade(GOOD, finish="stop"), Outcome.CORRECT, 1.0, id="a finish reason is another matter"
        ),
        pytest.param(grade(GOOD, BAD), Outcome.INCORRECT, 0.0, id="one of two is invalid"),
        pytest.param(grade(finish="stop", content="No."), Outcome.CORRECT, 1.0, id="no call"),
        pytest.param(grade(finish="stop", content="No.", tools=None), Outcome.CORRECT, 1.0, id="no tools"),
        pytest.param(grade(finish="stop", content=""), Outcome.NO_ANSWER, 0.0, id="neither text nor call"),
        pytest.param(grade(finish="stop", reasoning="hm"), Outcome.NO_ANSWER, 0.0, id="reasoning alone"),
        pytest.param(grade(finish="length", content="cut"), Outcome.TRUNCATED, 0.0, id="cut without a call"),
        pytest.param(grade(GOOD, finish="length"), Outcome.TRUNCATED, 0.0, id="cut behind a call"),
        pytest.param(grade(finish="content_filter", content="x"), Outcome.NO_ANSWER, 0.0, id="withheld"),
        pytest.param(grade(finish="stop", content=NATIVE), Outcome.INCORRECT, 0.0, id="lost in the content"),
        pytest.param(
            grade(finish="stop", reasoning=NATIVE), Outcome.INCORRECT, 0.0, id="lost in the reasoning"
        ),
        pytest.param(grade(GOOD, content=NATIVE), Outcome.INCORRECT, 0.0, id="one made, one lost"),
        pytest.param(
            grade(GOOD, content="<|tool_calls_section_end|>"), Outcome.CORRECT, 1.0, id="a token left over"
        ),
        pytest.param(grade(content=""), Outcome.INCORRECT, 0.0, id="promised and not there"),
        pytest.param(grade(ODD), Outcome.CORRECT, 1.0, id="a schema at fault is held against nobody"),
        pytest.param(grade(ODD, BAD), Outcome.INCORRECT, 0.0, id="a schema at fault excuses nothing else"),
        pytest.param(grade(GOOD, finish=None), Outcome.ERROR, None, id="never finished"),
        pytest.param(grade(GOOD, finish="abort"), Outcome.ERROR, None, id="given up"),
    ],
)
def test_outcome_and_score(graded, outcome, score):
    assert (graded.outcome, graded.score) == (outcome, score)
    assert bool(graded.details) == (outcome is not Outcome.ERROR)


@pytest.mark.parametrize(
    ("graded", "expected"),
    [
        pytest.param(
            grade(GOOD),
            {"triggered": 1, "leaked": 0, "finish_agrees": 1, "schema": 1, "schema_lenient": 1},
            id="a call",
        ),
        pytest.param(
            grade(finish="stop", content="No."), {"triggered": 0, "leaked": 0, "finish_agrees": 1}, id="none"
        ),
        pytest.param(
            grade(GOOD, finish="length"),
            {"triggered": 1, "leaked": 0, "schema": 1, "schema_lenient": 1},
            id="a budget that ran out promises nothing",
        ),
        pytest.param(
            grade(ODD), {"triggered": 1, "leaked": 0, "finish_agrees": 1}, id="not judged: in no accuracy"
        ),
        pytest.param(
            grade(finish="stop", content=NATIVE),
            {"triggered": 0, "leaked": 1, "finish_agrees": 1},
            id="leaked",
        ),
        pytest.param(
            grade(GOOD, target="stop"),
            {
                "triggered": 1,
                "leaked": 0,
                "finish_agrees": 1,
                "schema": 1,
                "schema_lenient": 1,
                "trigger_agrees": 0,
            },
            id="a run to agree with did not call",
        ),
    ],
)
def test_secondary_scores(graded, expected):
    assert graded.secondary == expected


def test_details_name_every_faulty_call():
    quoted = ToolCall(id="functions.look:2", name="look", arguments='"{\\"at\\": \\"x\\"}"')
    details = grade(BAD, quoted, ODD, content=NATIVE).details
    assert details["reasons"] == ["schema", "args_double_encoded", "data_fault"]
    assert (details["n_calls"], details["valid"], details["recoverable_calls"]) == (3, False, 1)
    assert len(details["data_faults"]) == 1 and "odd" in details["data_faults"][0]


def test_an_answer_says_whether_it_calls():
    assert grade(GOOD).answer == "tool_calls"
    assert grade(finish="stop", content="No.").answer == "stop"


def test_a_call_needs_no_text():
    assert "empty_response" not in grade(GOOD, content="").flags
    assert "empty_response" in grade(finish="stop", content="").flags


RAW = [
    pytest.param(
        f"<think>Where?</think>I look.{NATIVE}", "I look.", "<think>Where?", id="thinking and text before it"
    ),
    pytest.param(f"Where?</think>{NATIVE}", "", "Where?", id="thinking that the prompt opened"),
    pytest.param(f"I look.{NATIVE}<|im_end|>", "I look.", None, id="no thinking, a token at the end"),
    pytest.param(
        f"<think>Where? {NATIVE}", "", "<think>Where? ", id="a call out of thinking that never ends"
    ),
    pytest.param(f"{NATIVE}\n{NATIVE.replace(':0', ':1')}", "", None, id="two sections"),
    pytest.param(
        NATIVE.replace("<|tool_call_end|><|tool_calls_section_end|>", ""), "", None, id="end tokens missing"
    ),
]


@pytest.mark.parametrize(("text", "content", "reasoning"), RAW)
def test_raw_text_is_read_as_a_working_server_reads_it(text, content, reasoning):
    read = read_raw_text(Response(content=text, finish_reason="stop"), TOOLS)
    assert {call.name for call in read.tool_calls} == {"look"}
    assert read.finish_reason == "tool_calls"
    assert (read.content or "").strip() == content and (read.reasoning or None) == reasoning
    raw = {"tools": TOOLS, "raw_completions": True}
    graded = grade_tool_response(Response(content=text, finish_reason="stop"), "", raw)
    assert graded.outcome is Outcome.CORRECT and graded.secondary["leaked"] == 0.0


@pytest.mark.parametrize("name", ["a.b.c", "mcp-srv-read", "look"])
def test_dotted_and_hyphenated_names_are_whole(name):
    text = NATIVE.replace("look", name)
    (call,) = read_raw_text(Response(content=text, finish_reason="stop"), None).tool_calls
    assert (call.name, call.id) == (name, f"functions.{name}:0")


@given(
    st.text(max_size=60), st.sampled_from(["stop", "length", "tool_calls", "eos", None, "?"]), st.booleans()
)
def test_nothing_a_model_says_raises(text, finish, raw):
    response = Response(content=text, finish_reason=finish)
    graded = grade_tool_response(response, "stop", {"tools": TOOLS, "raw_completions": raw})
    assert (graded.score is None) == (graded.outcome is Outcome.ERROR)
    assert all(0.0 <= value <= 1.0 for value in graded.secondary.values())
