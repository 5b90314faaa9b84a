"""Usage, budget, degenerate text, images, speed: judged on replies whose facts are known."""

import pytest

from evals.preflight.degenerate import degenerate_finding
from evals.preflight.finding import Status
from evals.preflight.images import judge_image
from evals.preflight.limits import max_tokens_finding
from evals.preflight.plan import PlannedRun
from evals.preflight.speed import estimate_run, speed_finding, tokens_per_s
from evals.preflight.usage import usage_finding
from evals.transport.failure import http_failure
from verifiers.response import Response, Usage


def usage(prompt=35, completion=48, total=None, reasoning=None):
    return Usage(
        prompt_tokens=prompt,
        completion_tokens=completion,
        total_tokens=total,
        reasoning_tokens=reasoning,
    )


@pytest.mark.parametrize(
    ("replies", "status", "words"),
    [
        pytest.param([(usage(total=83), 0)], Status.OK, "plausible", id="sums up"),
        pytest.param([(usage(total=90), 0)], Status.WARN, "total 90", id="does not sum up"),
        pytest.param([(None, 48)], Status.WARN, "no usage in any reply", id="missing"),
        pytest.param([(usage(), 0), (None, 48)], Status.WARN, "streamed replies", id="missing in streams"),
        pytest.param([(usage(completion=None), 0)], Status.WARN, "missing or 0", id="half missing"),
        pytest.param([(usage(completion=10), 48)], Status.WARN, "48 streamed chunks", id="fewer than chunks"),
        pytest.param([(usage(completion=45), 48)], Status.OK, "plausible", id="a character in two chunks"),
        pytest.param(
            [(usage(reasoning=60), 0)], Status.WARN, "60 reasoning", id="more reasoning than output"
        ),
    ],
)
def test_usage(make_asked, replies, status, words):
    asked = [
        make_asked(
            Response(content="x", finish_reason="stop", usage=told), stream=bool(chunks), n_chunks=chunks
        )
        for told, chunks in replies
    ]
    finding = usage_finding(asked)
    assert finding.status is status and words in finding.evidence


def test_reasoning_that_is_not_counted_is_told(make_asked):
    response = Response(content="21", reasoning="7+7+7", finish_reason="stop", usage=usage())
    assert "estimated" in usage_finding([make_asked(response)]).evidence


@pytest.mark.parametrize(
    ("finish_reason", "n_tokens", "status"),
    [
        pytest.param("length", 16, Status.OK, id="ended by the budget"),
        pytest.param("length", 18, Status.OK, id="marks counted beside it"),
        pytest.param("max_tokens", 16, Status.OK, id="another word for length"),
        pytest.param("stop", 40, Status.FAIL, id="went beyond"),
        pytest.param("length", 400, Status.FAIL, id="far beyond, whatever the reason says"),
        pytest.param("stop", 16, Status.FAIL, id="cut but called whole"),
        pytest.param("stop", 9, Status.SKIP, id="ended by itself"),
    ],
)
@pytest.mark.parametrize("is_counted", [True, False], ids=["usage", "chunks"])
def test_max_tokens(make_asked, finish_reason, n_tokens, status, is_counted):
    told = usage(completion=n_tokens) if is_counted else None
    response = Response(content="x", finish_reason=finish_reason, usage=told)
    asked = make_asked(response, stream=True, n_chunks=n_tokens, max_tokens=16)
    assert max_tokens_finding([asked]).status is status


def test_tokens_of_several_choices_are_not_held_against_the_budget_of_one(make_asked):
    response = Response(
        content="x", finish_reason="length", usage=usage(completion=32), flags=("several_choices",)
    )
    assert max_tokens_finding([make_asked(response, max_tokens=16)]).status is Status.OK


LOOP = "and then we look at the very same case again, as before. " * 12


@pytest.mark.parametrize(
    ("texts", "status"),
    [
        pytest.param(["a story", "another one"], Status.OK, id="clean"),
        pytest.param(["!" * 48, "a story", "another"], Status.FAIL, id="a flood in one"),
        pytest.param(["?" * 48], Status.FAIL, id="a flood of question marks"),
        pytest.param([LOOP, "a story", "another"], Status.WARN, id="one loops"),
        pytest.param([LOOP, LOOP, "a story"], Status.FAIL, id="most loop"),
        pytest.param([""], Status.SKIP, id="nothing to look at"),
    ],
)
def test_degenerate_output(make_asked, texts, status):
    asked = [make_asked(Response(content=text, finish_reason="length")) for text in texts]
    assert degenerate_finding(asked).status is status


@pytest.mark.parametrize(
    ("text", "n_with", "n_without", "status"),
    [
        pytest.param("Purple", 60, 20, Status.OK, id="seen"),
        pytest.param("It is violet.", 60, 20, Status.OK, id="another word for it"),
        pytest.param("A red square", 60, 20, Status.FAIL, id="not seen"),
        pytest.param("Purple", 20, 20, Status.FAIL, id="no tokens for it: dropped"),
        pytest.param("", 60, 20, Status.WARN, id="no answer"),
        pytest.param("purple", None, None, Status.OK, id="tokens not told"),
    ],
)
def test_images(make_plan, make_asked, text, n_with, n_without, status):
    with_image = make_asked(Response(content=text, finish_reason="stop", usage=Usage(prompt_tokens=n_with)))
    without = make_asked(Response(content="", finish_reason="length", usage=Usage(prompt_tokens=n_without)))
    assert judge_image(with_image, without, make_plan()).status is status


@pytest.mark.parametrize(
    "words", ["smollm2 is not a multimodal model", "image input is not supported - hint: mmproj"]
)
def test_refused_images(make_plan, make_asked, words):
    refused = make_asked(failure=http_failure(400, words, None))
    finding = judge_image(refused, refused, make_plan())
    assert finding.status is Status.FAIL and words in finding.evidence


RUN = PlannedRun(task="aime25", n_requests=960, max_tokens=131_072, mean_tokens=30_000, max_connections=64)


def test_speed_is_that_after_the_first_token(make_asked):
    response = Response(content="x", finish_reason="length", usage=usage(completion=41))
    asked = make_asked(response, stream=True, n_chunks=41, ttft_s=1.0, duration_s=3.0)
    assert tokens_per_s(asked) == pytest.approx(20.0)
    plain = make_asked(response, duration_s=4.1)
    assert tokens_per_s(plain) == pytest.approx(10.0)
    assert tokens_per_s(make_asked(Response(content="x", finish_reason="stop"))) is None
    assert tokens_per_s(None) is None
    assert "20 tokens/s" in speed_finding(asked, None).evidence
    assert "960 requests x 30,000 tokens" in speed_finding(asked, RUN).evidence


def test_the_estimate_is_requests_times_tokens_over_streams():
    estimate = estimate_run(RUN, 50.0)
    assert estimate is not None
    assert estimate.hours == pytest.approx(960 * 30_000 / (50 * 64) / 3600)
    assert estimate_run(None, 50.0) is None and estimate_run(RUN, None) is None
