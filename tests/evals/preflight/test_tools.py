"""What replies to a request with a tool say of chat template and parser."""

import pytest

from evals.preflight.finding import Status
from evals.preflight.tools import ToolReplies, judge_tools
from evals.transport.failure import http_failure
from verifiers.response import Response, ToolCall, Usage

CALL = ToolCall(id="functions.get_weather:0", name="get_weather", arguments='{"city": "Paris"}')
BAD_CALL = ToolCall(id="functions.get_weather:0", name="get_weather", arguments='{"town": "Paris"}')
NATIVE = (
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>"
    '{"city": "Paris"}<|tool_call_end|><|tool_calls_section_end|>'
)
PROMPT = Usage(prompt_tokens=200, completion_tokens=9)
CALLED = Response(tool_calls=(CALL,), finish_reason="tool_calls", usage=PROMPT)
TEXT = Response(content="Paris is sunny.", finish_reason="stop", usage=PROMPT)
CUT = Response(content=None, reasoning="Paris, the city", finish_reason="length", usage=PROMPT)
LEAKED = Response(content=NATIVE, finish_reason="stop", usage=PROMPT)
PROMISED = Response(content="", finish_reason="tool_calls", usage=PROMPT)  # as vLLM answers `required`


@pytest.mark.parametrize(
    ("plain", "streamed", "required", "n_bare", "status", "words"),
    [
        pytest.param(CALLED, CALLED, None, 40, "ok", "plain and streamed", id="called"),
        pytest.param(CALLED, TEXT, None, 40, "warn", "no streamed one", id="lost in the stream"),
        pytest.param(LEAKED, LEAKED, None, 40, "warn", "stays in the content", id="left in the content"),
        pytest.param(TEXT, TEXT, TEXT, 40, "warn", "not enforced", id="text, even where demanded"),
        pytest.param(TEXT, TEXT, CALLED, 40, "warn", "a structured call came", id="text unless demanded"),
        pytest.param(TEXT, TEXT, TEXT, 200, "warn", "never reach the model", id="template drops tools"),
        pytest.param(CUT, CUT, TEXT, 40, "warn", "short budget", id="cut while thinking"),
        pytest.param(PROMISED, PROMISED, TEXT, 40, "warn", "promised", id="promised, none there"),
        pytest.param(
            Response(tool_calls=(BAD_CALL,), finish_reason="tool_calls", usage=PROMPT),
            CALLED,
            None,
            40,
            "warn",
            "not valid: schema",
            id="off the schema",
        ),
    ],
)
@pytest.mark.parametrize("is_tool_task", [False, True], ids=["any task", "tool task"])
def test_tools(make_plan, make_asked, plain, streamed, required, n_bare, status, words, is_tool_task):
    replies = ToolReplies(
        bare=make_asked(Response(content="x", finish_reason="length", usage=Usage(prompt_tokens=n_bare))),
        plain=make_asked(plain),
        streamed=make_asked(streamed, stream=True),
        required=None if required is None else make_asked(required),
    )
    finding = judge_tools(replies, make_plan(is_tool_task=is_tool_task))
    assert words in finding.evidence
    blames_the_server = any(sign in words for sign in ("stays", "never reach", "promised", "not valid"))
    assert finding.status == ("fail" if is_tool_task and blames_the_server else status)


def test_a_refusal_names_the_flags_that_mend_it(make_plan, make_asked):
    words = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
    refused = make_asked(failure=http_failure(400, words, None))
    replies = ToolReplies(bare=refused, plain=refused, streamed=refused)
    finding = judge_tools(replies, make_plan())
    assert finding.status is Status.WARN
    assert finding.advice == "--enable-auto-tool-choice --tool-call-parser kimi_k2"
