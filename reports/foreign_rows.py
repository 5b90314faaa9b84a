"""What one line of another harness's result file says, as a score row; a failure there is an error here.

Shapes as written by sgl-eval 0.1.3 (output-rs*.jsonl), lm-eval 0.4 (samples_*.jsonl), nemo-evaluator 0.3
(results.jsonl) and Moonshot's K2-Vendor-Verifier (results.jsonl).
"""

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

import orjson

Row = dict[str, Any]

_LM_EVAL_KEYS = {
    "doc_id",
    "doc",
    "target",
    "arguments",
    "resps",
    "filtered_resps",
    "filter",
    "metrics",
    "doc_hash",
    "prompt_hash",
    "target_hash",
}


@dataclass(frozen=True, kw_only=True)
class ForeignFormat:
    """One harness's file: how to know a line of it, and what rows it holds.

    ``rows`` yields (metric, filter) and the row: one line may hold several scores of a response. Its second
    argument is the epoch that the file's name tells.
    """

    name: str
    pattern: str
    matches: Callable[[Mapping[str, Any]], bool]
    rows: Callable[[Mapping[str, Any], int], Iterator[tuple[tuple[str, str], Row]]]


def as_score(value: Any) -> float | None:
    """Return a number or boolean as a score; ``None`` for anything else, NaN for nothing."""
    if value is None:
        return math.nan
    return float(value) if isinstance(value, bool | int | float) else None


def _sgl_eval(line: Mapping[str, Any], epoch: int) -> Iterator[tuple[tuple[str, str], Row]]:
    score = as_score(line.get("symbolic_correct", line.get("is_correct")))
    answer = line.get("predicted_answer")
    start, end = line.get("generation_start_time"), line.get("generation_end_time")
    row = {
        "sample_id": line.get("id"),
        "epoch": epoch,
        "score": score,
        "answer": answer,
        "stop_reason": line.get("finish_reason"),
        # It writes 0 for what the server did not tell.
        "output_tokens": line.get("num_generated_tokens") or None,
        "reasoning_tokens": line.get("num_reasoning_tokens") or None,
        "duration_s": end - start if _is_number(start) and _is_number(end) else None,
        "finished_at": end,
    }
    if line.get("finish_reason") == "error":
        row |= {"outcome": "error", "error": "server: the request failed (finish reason error)"}
    elif answer in (None, "") and score == 0 and line.get("finish_reason") == "stop":
        row["outcome"] = "no_answer"
    yield ("", ""), row


def _nemo_evaluator(line: Mapping[str, Any], _: int) -> Iterator[tuple[tuple[str, str], Row]]:
    details = line.get("scoring_details")
    details = details if isinstance(details, Mapping) else {}
    metadata = line.get("metadata")
    metadata = metadata if isinstance(metadata, Mapping) else {}
    repeat, latency = line.get("repeat", 0), line.get("latency_ms")
    row: Row = {
        "sample_id": line.get("problem_idx"),
        "epoch": repeat + 1 if isinstance(repeat, int) else repeat,
        "score": as_score(line.get("reward")),
        "answer": line.get("extracted_answer"),
        "duration_s": _seconds(latency),
        "category": metadata.get("category") or details.get("category"),
        "secondary": _numbers(line.get("scorer_rewards")),
    }
    if details.get("error_category") or details.get("method") in ("infra_error", "solve_failed"):
        row |= {"outcome": "error", "score": math.nan, "error": str(details.get("error"))}
    yield ("", ""), row


def _lm_eval(line: Mapping[str, Any], _: int) -> Iterator[tuple[tuple[str, str], Row]]:
    named = line.get("metrics")
    names = named if isinstance(named, list) else [name for name in line if name not in _LM_EVAL_KEYS]
    names = [name for name in names if isinstance(name, str)]
    row: Row = {"sample_id": line.get("doc_id"), "epoch": 1, "content_hash": line.get("doc_hash")}
    filtered = line.get("filtered_resps")
    if isinstance(filtered, list) and filtered and isinstance(filtered[0], str):
        row["answer"] = filtered[0]
    for name in names:
        yield (name, str(line.get("filter", ""))), row | {"score": as_score(line.get(name))}


def _k2_vendor_verifier(line: Mapping[str, Any], _: int) -> Iterator[tuple[tuple[str, str], Row]]:
    """Score a response 0 when it called a tool wrongly: the schema accuracy is among ``secondary``.

    Whether it called is read from its calls, as far as the response is there; its finish reason may lie.
    """
    finish, duration = line.get("finish_reason"), line.get("duration_ms")
    n_calls = n_recorded_calls(line)
    promised = finish == "tool_calls"
    triggered = promised if n_calls is None else n_calls > 0
    valid = line.get("tool_calls_valid")
    valid = (
        valid if triggered and isinstance(valid, bool) else None if not (triggered and promised) else False
    )
    request = line.get("request")
    row: Row = {
        "sample_id": line.get("data_index"),
        "epoch": 1,
        "score": 0.0 if valid is False or finish == "length" or (promised and not triggered) else 1.0,
        "stop_reason": finish,
        "duration_s": _seconds(duration),
        "content_hash": _request_hash(request),
        "secondary": {"triggered": float(triggered)} | ({} if valid is None else {"schema": float(valid)}),
        "details": {
            "triggered": triggered,
            "valid": valid,
            "n_calls": n_calls,
            "finish_agrees": None if finish == "length" else promised == triggered,
            "streamed": bool(request.get("stream")) if isinstance(request, Mapping) else None,
        },
    }
    if not has_succeeded(line):
        response = line.get("response")
        error = response.get("error") if isinstance(response, Mapping) else None
        failed = {"outcome": "error", "score": math.nan, "error": f"server: {error}"}
        row |= failed | {"secondary": None, "details": None}
    yield ("", ""), row


def has_succeeded(line: Mapping[str, Any]) -> bool:
    """Return whether a line of Moonshot's verifier holds a response; what failed says nothing of the model."""
    return line.get("status") == "success" and isinstance(line.get("finish_reason"), str)


def n_recorded_calls(line: Mapping[str, Any]) -> int | None:
    """Return how many calls the response of a line of Moonshot's verifier holds, ``None`` where it is not there."""
    response = line.get("response")
    choices = response.get("choices") if isinstance(response, Mapping) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, Mapping) else None
    if not isinstance(message, Mapping):
        return None
    calls = message.get("tool_calls")
    return len(calls) if isinstance(calls, list) else 0


def _request_hash(request: Any) -> str | None:
    """Return a digest of what is asked, without the model's name: the same for every vendor."""
    if not isinstance(request, Mapping):
        return None
    asked = {"messages": request.get("messages"), "tools": request.get("tools")}
    return hashlib.sha256(orjson.dumps(asked, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]


def _numbers(value: Any) -> dict[str, float] | None:
    if not isinstance(value, Mapping):
        return None
    return {str(name): float(found) for name, found in value.items() if _is_number(found)} or None


def _seconds(milliseconds: Any) -> float | None:
    """Return the time in seconds; ``None`` where it is not told (others write 0 for that)."""
    return milliseconds / 1000 if _is_number(milliseconds) and milliseconds > 0 else None


def _is_number(value: Any) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


FORMATS = (
    ForeignFormat(
        name="sgl-eval",
        pattern="output-rs*.jsonl",
        matches=lambda line: (
            "expected_answer" in line and ("symbolic_correct" in line or "is_correct" in line)
        ),
        rows=_sgl_eval,
    ),
    ForeignFormat(
        name="lm-eval",
        pattern="samples_*.jsonl",
        matches=lambda line: "doc_id" in line and "resps" in line,
        rows=_lm_eval,
    ),
    ForeignFormat(
        name="nemo-evaluator",
        pattern="results.jsonl",
        matches=lambda line: "problem_idx" in line and "reward" in line,
        rows=_nemo_evaluator,
    ),
    ForeignFormat(
        name="k2-vendor-verifier",
        pattern="results.jsonl",
        matches=lambda line: "data_index" in line and "tool_calls_valid" in line,
        rows=_k2_vendor_verifier,
    ),
)
