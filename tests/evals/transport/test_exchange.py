"""An exchange comes back from its JSON exactly as it was."""

import orjson
from hypothesis import given
from hypothesis import strategies as st

from evals.transport.exchange import Attempt, Exchange, Reply, exchange_from_dict
from verifiers.response import Response, ToolCall, Usage

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
MAYBE_TEXT = st.none() | TEXT
SECONDS = st.floats(0, 1e6)
COUNT = st.none() | st.integers(0, 2**53)
USAGES = st.builds(
    Usage, prompt_tokens=COUNT, completion_tokens=COUNT, reasoning_tokens=COUNT, total_tokens=COUNT
)
CALLS = st.builds(ToolCall, id=MAYBE_TEXT, name=MAYBE_TEXT, arguments=MAYBE_TEXT, is_text=st.booleans())
RESPONSES = st.builds(
    Response,
    content=MAYBE_TEXT,
    reasoning=MAYBE_TEXT,
    tool_calls=st.lists(CALLS, max_size=3).map(tuple),
    finish_reason=MAYBE_TEXT,
    usage=st.none() | USAGES,
    flags=st.lists(TEXT, max_size=3).map(tuple),
    refusal=MAYBE_TEXT,
)
REPLIES = st.builds(
    Reply, response=RESPONSES, ttft_s=st.none() | SECONDS, duration_s=SECONDS, n_chunks=st.integers(0, 10**6)
)
ATTEMPTS = st.builds(
    Attempt, failure=TEXT, status=st.none() | st.integers(100, 599), duration_s=SECONDS, waited_s=SECONDS
)
EXCHANGES = st.builds(
    Exchange,
    reply=REPLIES,
    attempts=st.lists(ATTEMPTS, max_size=3).map(tuple),
    replica=TEXT,
    finished_at=SECONDS,
)


@given(EXCHANGES)
def test_an_exchange_survives_its_json(exchange):
    assert exchange_from_dict(orjson.loads(orjson.dumps(exchange.as_dict()))) == exchange
