"""What a failure says of itself: whose fault, one line, and whether trying again can help."""

import pytest

from evals.transport.failure import (
    Failure,
    FailureKind,
    frame_failure,
    http_failure,
    network_words,
    one_line,
    server_failure,
)


def test_a_failure_reads_as_kind_and_words():
    assert str(server_failure("connection: reset")) == "server: connection: reset"
    assert str(http_failure(400, "too long", None)) == "configuration: HTTP 400: too long"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a\n b\r\n\tc", "a b c"), ("  a  ", "a"), ("", ""), ("x" * 1000, "x" * 400)],
    ids=["white space", "ends", "nothing", "long"],
)
def test_words_are_one_line(text, expected):
    assert one_line(text) == expected
    assert server_failure(text).message == expected


@pytest.mark.parametrize(
    ("status", "retry_after_s", "is_rate_limit"),
    [
        (429, None, True),
        (429, 5.0, True),
        (503, 5.0, True),
        (503, None, False),
        (500, 5.0, False),
        (529, None, False),
    ],
)
def test_what_counts_as_being_asked_to_slow_down(status, retry_after_s, is_rate_limit):
    failure = http_failure(status, "w", retry_after_s)
    assert (failure.is_rate_limit, failure.retry_after_s) == (is_rate_limit, retry_after_s)


@pytest.mark.parametrize(
    ("code", "kind", "expected"),
    [
        pytest.param(500, None, FailureKind.SERVER, id="a status that may pass"),
        pytest.param("503", None, FailureKind.SERVER, id="a status as text"),
        pytest.param(400, None, FailureKind.CONFIGURATION, id="a status that refuses"),
        pytest.param("404", "NotFoundError", FailureKind.CONFIGURATION, id="a refusing status as text"),
        pytest.param("context_length_exceeded", None, FailureKind.CONFIGURATION, id="a word that refuses"),
        pytest.param(None, "BadRequestError", FailureKind.CONFIGURATION, id="a type that refuses"),
        pytest.param(None, "Bad Request", FailureKind.CONFIGURATION, id="a type of two words"),
        pytest.param("engine_dead", "server_error", FailureKind.SERVER, id="a word nobody knows may pass"),
        pytest.param(None, None, FailureKind.SERVER, id="no word may pass"),
        pytest.param(0, None, FailureKind.SERVER, id="zero is no status"),
        pytest.param(40003, None, FailureKind.SERVER, id="a vendor's own number"),
        pytest.param(True, None, FailureKind.SERVER, id="a truth value is no status"),
        pytest.param({"a": 1}, ["b"], FailureKind.SERVER, id="no word at all"),
    ],
)
def test_an_error_object_within_a_good_reply(code, kind, expected):
    failure = frame_failure("the words", code, kind)
    assert failure.kind is expected
    assert failure.is_retryable == (expected is FailureKind.SERVER)
    assert "the words" in failure.message


@pytest.mark.parametrize("code", [429, "429", "rate_limit_exceeded", "RateLimitError"])
def test_a_rate_limit_within_a_good_reply(code):
    assert frame_failure("slow down", code).is_rate_limit


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        pytest.param(
            ConnectionRefusedError(111, "Connection refused"), "Connection refused", id="an OS error"
        ),
        pytest.param(ValueError("odd"), "odd", id="words"),
        pytest.param(ValueError(), "ValueError", id="no words"),
    ],
)
def test_network_words(error, expected):
    assert network_words(error) == expected


def test_failures_are_exceptions_that_python_can_raise_again():
    failure = server_failure("x")
    with pytest.raises(Failure):
        try:
            raise failure
        except Failure as caught:
            raise caught from None
