"""Images in request bodies: references until the moment of sending."""

import json

import pytest
from inspect_ai.model import ChatMessageUser, GenerateConfig

from evals.endpoint import Endpoint
from evals.transport.wire import build_request, encode_request, has_images
from tasks.response_record import REQUEST_IMAGES


def request(images, first):
    metadata = {REQUEST_IMAGES: {"references": images, "first": first}}
    messages = [ChatMessageUser(content="text", metadata=metadata)]
    endpoint = Endpoint(base_url="http://h/v1", model="m", label="l")
    return build_request(messages, [], "auto", GenerateConfig(), endpoint, salt="", stream=False)


def parts(body):
    content = body["messages"][0]["content"]
    return [part["text"] if part["type"] == "text" else part["image_url"]["url"] for part in content]


@pytest.mark.parametrize(
    ("first", "order"), [(False, ["text", "ref:1", "ref:2"]), (True, ["ref:1", "ref:2", "text"])]
)
def test_references_stand_before_or_after_the_text(first, order):
    asked = request(["ref:1", "ref:2"], first)
    assert has_images(asked.body)
    assert parts(asked.body) == order


def test_bytes_take_the_place_of_references_only_in_what_is_sent():
    asked = request(["ref:1"], False)
    sent = json.loads(encode_request(asked, lambda reference: f"data:{reference}"))
    assert parts(sent) == ["text", "data:ref:1"]
    assert parts(asked.body) == ["text", "ref:1"]


def test_other_images_are_other_requests():
    assert request(["ref:1"], False).key != request(["ref:2"], False).key
