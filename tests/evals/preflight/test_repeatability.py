"""Streams, seeds and what their replies say of an endpoint, on scripted replies."""

import asyncio

import pytest

from evals.preflight.finding import Status
from evals.preflight.opening import Opening
from evals.preflight.repeatability import repeatability_findings
from verifiers.response import Response

TEMPERATURE = {"temperature": 1.0}


class Scripted:
    """Answers by (seed, streamed, greedy), each time with the next text of its list, the last for ever."""

    def __init__(self, make_asked, **texts):
        self._make_asked = make_asked
        self._texts = {name: list(given) for name, given in texts.items()}
        self.asked = []

    async def ask(self, _content, *, max_tokens, stream, seed, temperature=None, **_fields):
        name = f"{'stream' if stream else 'plain'}{seed}" + ("_greedy" if temperature == 0 else "")
        texts = self._texts.get(name) or self._texts["others"]
        text = texts.pop(0) if len(texts) > 1 else texts[0]
        self.asked.append(name)
        response = None if text is None else Response(content=text, finish_reason="length")
        return self._make_asked(response, stream=stream, seed=seed)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        pytest.param({"plain7": ["a"]}, ("ok", "ok", "ok"), id="all agree"),
        pytest.param({"plain7": ["b"], "stream7": ["b"]}, ("ok", "warn", "ok"), id="only the first differs"),
        pytest.param({"plain7": ["b"], "stream7": ["a"]}, ("warn", "ok", "ok"), id="streams differ"),
        pytest.param(
            {"plain7": ["b", "c"], "stream7_greedy": ["g"], "plain7_greedy": ["g"]},
            ("ok", "warn", "ok"),
            id="seeds do not repeat, greedy replies agree",
        ),
        pytest.param(
            {"plain7": ["b", "c"], "stream7_greedy": ["g"], "plain7_greedy": ["h"]},
            ("warn", "warn", "ok"),
            id="seeds do not repeat, greedy replies differ",
        ),
        pytest.param(
            {"plain7": ["b", "c"], "stream7_greedy": ["g"], "plain7_greedy": ["h", "i"]},
            ("skip", "warn", "ok"),
            id="nothing repeats",
        ),
        pytest.param(
            {"plain7": ["b", "c"], "stream7_greedy": [None]},
            ("skip", "warn", "ok"),
            id="temperature 0 is refused",
        ),
        pytest.param({"plain7": [None], "stream7": ["a"]}, ("warn", "ok", "ok"), id="plain replies fail"),
        pytest.param({"plain7": ["a"], "others": ["a"]}, ("ok", "ok", "fail"), id="seeds change nothing"),
        pytest.param({"plain7": ["a"], "plain8": ["a"]}, ("ok", "ok", "ok"), id="the third seed differs"),
    ],
)
def test_what_replies_say_of_streams_and_seeds(make_plan, make_asked, texts, expected):
    asker = Scripted(make_asked, **{"others": ["z"], "plain7_greedy": ["g"], **texts})
    first = make_asked(Response(content="a", finish_reason="length"), stream=True)
    opening = Opening(asked=first, sampling=dict(TEMPERATURE), streams=True, findings=())
    findings = asyncio.run(repeatability_findings(asker, make_plan(), opening))
    assert [finding.name for finding in findings] == ["stream", "same_seed", "other_seeds"]
    assert tuple(str(finding.status) for finding in findings) == expected


def test_reasoning_in_another_field_is_no_agreement(make_plan, make_asked):
    asker = Scripted(make_asked, plain7=["thought answer"], others=["z"])
    first = make_asked(Response(reasoning="thought ", content="answer", finish_reason="stop"), stream=True)
    opening = Opening(asked=first, sampling=dict(TEMPERATURE), streams=True, findings=())
    stream, same, _ = asyncio.run(repeatability_findings(asker, make_plan(), opening))
    assert (stream.status, same.status) == (Status.WARN, Status.OK)
    assert "reasoning" in stream.evidence


def test_equal_replies_under_the_servers_own_sampling_are_no_failure(make_plan, make_asked):
    asker = Scripted(make_asked, others=["a"])
    first = make_asked(Response(content="a", finish_reason="length"), stream=True)
    opening = Opening(asked=first, sampling={}, streams=True, findings=())
    findings = asyncio.run(repeatability_findings(asker, make_plan(), opening))
    assert findings[-1].status is Status.WARN
