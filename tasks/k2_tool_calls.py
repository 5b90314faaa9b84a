"""K2 tool calls: 2,000 recorded requests with tools, and whether the endpoint calls them as it should.

Source: samples.jsonl of Moonshot's K2-Vendor-Verifier (in tool-calls.tar.gz), which users download; the
public half of 4,000. Metrics: schema accuracy (responses whose calls are all valid / responses that call)
and the F1 of calling at all against the official run (:mod:`reports.tool_call_metrics`). Departs from the
source: calls are read from the calls, not the finish reason; usage is always asked for; a tool without a
schema takes any object.

A request is sent as it stands. Merged into it are the model, the budget, the temperature, the switch for
thinking, ``--extra-body`` and the stream settings: ``stream`` is the request's own unless a flag says
otherwise, and a stream always asks for its usage. A seed is sent only where ``--seed`` is given.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tasks.benchmark import Benchmark, Item
from tasks.data import DataError, DatasetPin, Rows
from tasks.k2_samples import BROKEN, DATA_INDEX, REQUEST, read_samples, request_digest, sample_row
from tasks.reading import Reading
from tasks.rows import Row
from tasks.spec import Preset, Sampling
from tasks.stream_way import BOTH_WAYS, STREAM
from tasks.tool_call_grade import grade_tool_response

RAW_COMPLETIONS = (
    "raw_completions"  # option: the chat template is rendered here; its value names the template
)
N_NAMED = 5  # broken lines worth naming one by one

PIN = DatasetPin(
    name="K2-Vendor-Verifier/samples.jsonl",
    n_items=2000,
    file_sha256="0f9b50c9adce81880254840f7e98001f981ce6ea2b9cc4f6e6b51a07ddcd2144",
    file_name="samples.jsonl",
    read=read_samples,
    terms=": samples.jsonl or tool-calls.tar.gz of Moonshot's K2-Vendor-Verifier",
)

SAMPLING = Sampling(temperature=1.0, top_p=None)
PRESETS = (
    Preset(
        name="k2vv",
        max_tokens=64_000,
        epochs=1,
        thinking=SAMPLING,
        instant=SAMPLING,
        source="K2-Vendor-Verifier, 256 requests at a time",
    ),
)


def read_items(rows: Rows, reading: Reading) -> Sequence[Item]:
    """Return one item a request; its id is the number of its line, by which official results are joined.

    Broken lines are refused by number, or left out and noted where changes of the data are accepted.
    """
    samples = [_sample(index, row) for index, row in enumerate(rows, 1)]
    broken = [sample for sample in samples if BROKEN in sample]
    if broken:
        words = _broken_words(broken, len(samples))
        if not reading.accept_changes or len(broken) == len(samples):
            raise DataError(
                f"dataset {PIN.name}: {words}; mend them, or empty the lines and pass --accept-dataset"
                " (every other line must keep its number)"
            )
        reading.notes.append(f"left out: {words}")
    return [_item(sample) for sample in samples if BROKEN not in sample]


def _sample(index: int, row: Row) -> Row:
    return row if DATA_INDEX in row and (REQUEST in row or BROKEN in row) else sample_row(index, row)


def _broken_words(broken: Sequence[Row], n_samples: int) -> str:
    named = ", ".join(f"line {row[DATA_INDEX]}: {row[BROKEN]}" for row in broken[:N_NAMED])
    more = f" and {len(broken) - N_NAMED} more" if len(broken) > N_NAMED else ""
    return f"{len(broken)} of {n_samples:,} lines hold no request ({named}{more})"


def _item(sample: Row) -> Item:
    request = sample[REQUEST]
    return Item(
        sample_id=str(sample[DATA_INDEX]),
        prompt=last_user_text(request),
        target="",  # no single run is right: who should call is told by the official results
        content_hash=request_digest(request),
        grading={"tools": request.get("tools"), "tool_choice": request.get("tool_choice")},
        request=request,
    )


def last_user_text(request: Mapping[str, Any]) -> str:
    """Return the text of the last user message, its parts joined by line ends; empty where there is none."""
    asked = [
        message
        for message in request["messages"]
        if isinstance(message, Mapping) and message.get("role") == "user"
    ]
    content = asked[-1].get("content") if asked else None
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [
        part["text"] for part in parts if isinstance(part, Mapping) and isinstance(part.get("text"), str)
    ]
    return "\n".join(texts)


K2_TOOL_CALLS = Benchmark(
    name="k2_tool_calls",
    title="K2 tool calls",
    metric="schema accuracy, trigger F1",
    licence="none stated; downloaded from Moonshot by its users",
    departures="calls are read from the calls, not the finish reason; usage is always asked for",
    pins={None: PIN},
    presets=PRESETS,
    prompt="the sample's own request body, role _input as system",
    scorer="tool_calls/1",
    answer_kind="tool",
    read_items=read_items,
    grade=grade_tool_response,
    options=(STREAM, BOTH_WAYS, RAW_COMPLETIONS),
    max_connections=256,
)
