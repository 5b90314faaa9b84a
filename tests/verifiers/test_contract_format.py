import pytest

from tests.verifiers.contract_replies import UNUSABLE, call, called, said, status_of
from verifiers.contract_evidence import ProbeReply, ProbeStatus
from verifiers.contract_format import json_content
from verifiers.contract_images import colour_called, colour_said

PASS, FAIL, ERROR = ProbeStatus.PASS, ProbeStatus.FAIL, ProbeStatus.ERROR
SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 12}},
    "required": ["name"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("content", "any_object", "schema"),
    [
        pytest.param('{\n  "name" : "nama"\n \n}', PASS, PASS, id="vLLM, constrained"),
        pytest.param('{"city": "Lisbon"}', PASS, FAIL, id="an object off the schema"),
        pytest.param('```json\n{"name": "a"}\n```', FAIL, FAIL, id="fenced"),
        pytest.param('Here it is: {"name": "a"}', FAIL, FAIL, id="text around it"),
        pytest.param('[{"name": "a"}]', FAIL, FAIL, id="a list"),
        pytest.param("", FAIL, FAIL, id="empty"),
        pytest.param('<think>hm</think>{"name": "a"}', PASS, PASS, id="behind a thinking block"),
    ],
)
def test_a_demanded_format_is_json_and_nothing_else(
    content: str, any_object: ProbeStatus, schema: ProbeStatus
) -> None:
    assert status_of(json_content("a"), a=said(content)) is any_object
    assert status_of(json_content("a", SCHEMA), a=said(content)) is schema


def test_json_that_the_budget_cut_shows_nothing() -> None:
    assert status_of(json_content("a"), a=said('{"name": "a', finish_reason="length")) is ERROR


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("red", PASS),
        ("The image is **Red**.", PASS),
        ("It is blue.", FAIL),
        ("It is red, or perhaps green.", FAIL),
        ("I cannot see an image.", FAIL),
        ("It is infrared.", FAIL),
    ],
)
def test_the_colour_sent_is_the_colour_told(text: str, status: ProbeStatus) -> None:
    assert status_of(colour_said("png", "red"), png=said(text)) is status


def test_a_call_names_the_colour() -> None:
    judge = colour_called("tool", "blue")
    assert status_of(judge, tool=called(call("report_colour", '{"colour": "blue"}'))) is PASS
    assert status_of(judge, tool=called(call("report_colour", '{"colour": "red"}'))) is FAIL
    assert status_of(judge, tool=said("blue")) is FAIL


@pytest.mark.parametrize("reply", UNUSABLE.values(), ids=UNUSABLE)
def test_nothing_unusable_keeps_a_format_or_shows_an_image(reply: ProbeReply) -> None:
    for judge in (json_content("a"), colour_said("a", "red"), colour_called("a", "red")):
        assert status_of(judge, a=reply) in (FAIL, ERROR)
