"""Was thinking switched off, and did the response think all the same?"""

import pytest

from verifiers.response import Response, Usage
from verifiers.thinking_switch import asks_no_thinking, thinking_asked, thinking_off_flags, thinks_aloud


@pytest.mark.parametrize(
    ("request_body", "asked"),
    [
        pytest.param({}, None, id="nothing said"),
        pytest.param({"chat_template_kwargs": {"thinking": False}}, False, id="template argument"),
        pytest.param({"chat_template_kwargs": {"enable_thinking": False}}, False, id="other templates' name"),
        pytest.param({"chat_template_kwargs": {"thinking": True}}, True, id="template argument on"),
        pytest.param({"thinking": {"type": "disabled"}}, False, id="hosted switch"),
        pytest.param({"thinking": {"type": "enabled"}}, True, id="hosted switch on"),
        pytest.param({"enable_thinking": False}, False, id="top level"),
        pytest.param({"reasoning": {"enabled": False}}, False, id="router's switch"),
        pytest.param({"reasoning_effort": "none"}, False, id="effort none"),
        pytest.param({"reasoning_effort": "high"}, None, id="effort alone is no switch"),
        pytest.param(
            {"thinking": {"type": "enabled"}, "chat_template_kwargs": {"thinking": False}},
            False,
            id="off wins",
        ),
        pytest.param({"chat_template_kwargs": None, "thinking": "yes"}, None, id="values of no meaning"),
    ],
)
def test_what_a_request_asks(request_body, asked):
    assert thinking_asked(request_body) is asked
    assert asks_no_thinking(request_body) is (asked is False)


NOT_DISABLED, SUSPECTED = "thinking_not_disabled", "cot_in_content_suspected"


@pytest.mark.parametrize(
    ("response", "flags"),
    [
        pytest.param(Response(content="21", finish_reason="stop"), (), id="an instant answer"),
        pytest.param(Response(reasoning="still thinks"), (NOT_DISABLED,), id="reasoning all the same"),
        pytest.param(Response(content="21", reasoning=" \n"), (), id="blank reasoning is none"),
        pytest.param(Response(content="<think>7+7+7</think>21"), (NOT_DISABLED,), id="tags in the content"),
        pytest.param(Response(content="<think>7+7+7"), (NOT_DISABLED,), id="unclosed tag"),
        pytest.param(Response(content="7+7+7</think>21"), (NOT_DISABLED,), id="bare closer"),
        pytest.param(Response(content="<think>\n\n</think>\n\n21"), (), id="empty pair is switched off"),
        pytest.param(Response(content="</think>21"), (), id="lone closer without thinking"),
        pytest.param(
            Response(content="21", usage=Usage(reasoning_tokens=40)), (NOT_DISABLED,), id="counted, not shown"
        ),
        pytest.param(Response(content="21", usage=Usage(reasoning_tokens=0)), (), id="counted as none"),
        pytest.param(
            Response(content="The user asks for 3x7. I compute... 21"), (SUSPECTED,), id="talks of the user"
        ),
        pytest.param(
            Response(content="The user wants 21.", reasoning="so"), (NOT_DISABLED, SUSPECTED), id="both"
        ),
    ],
)
def test_what_contradicts_switched_off_thinking(response, flags):
    assert thinking_off_flags(response) == flags


@pytest.mark.parametrize(
    ("text", "is_thinking"),
    [
        ("Okay, the user wants a short answer.", True),
        ("Okay, so 3 times 7 is", True),
        ("Hmm, 3 times 7", True),
        ("Let me think. 3 x 7", True),
        ("We are asked for a product. 3x7 = 21", True),
        ("I should answer briefly: 21", True),
        ("用户问的是3乘7", True),
        ("21", False),
        ("", False),
        (None, False),
        ("3 x 7 = 21", False),
        ("We need to find the product, which is 21.", False),
        ("Let me solve this step by step. 3 x 7 = 21", False),
        ("First, we bound every term.", False),
        ("Okay! The answer is 21.", False),
        ("The user interface asks for a password.", False),
        ("A dialog opens when the user clicks; the user asks for help there.", False),
        ("This endpoint is simulated and knows nothing about that.", False),
    ],
)
def test_thinking_aloud_is_told_from_answering(text, is_thinking):
    assert thinks_aloud(text) is is_thinking
