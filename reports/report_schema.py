"""The JSON schema of report.json: what pipelines may rely on (docs/report.schema.json is written from it)."""

from typing import Any

from reports.divergence.schema import DIVERGENCE_SCHEMA
from reports.json_report import SCHEMA_VERSION, to_json

Schema = dict[str, Any]

_NUMBER: Schema = {"type": "number"}
_MAYBE_NUMBER: Schema = {"type": ["number", "null"]}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_TEXT: Schema = {"type": "string"}
_MAYBE_TEXT: Schema = {"type": ["string", "null"]}
_VERDICT: Schema = {"enum": ["pass", "regression", "inconclusive", "invalid"]}
_RATE: Schema = {"type": ["number", "null"], "minimum": 0, "maximum": 1}


def _object(properties: Schema, *, required: bool = True, description: str = "") -> Schema:
    """Return an object whose listed keys are all there; more may be added without a new version."""
    schema: Schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = list(properties)
    return schema | ({"description": description} if description else {})


def _maybe(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _sides(schema: Schema, description: str = "") -> Schema:
    return _object({"baseline": schema, "candidate": schema}, description=description)


_LIMITS = _object({"value": _MAYBE_NUMBER, "low": _MAYBE_NUMBER, "high": _MAYBE_NUMBER})
_ESTIMATE = _object(_LIMITS["properties"] | {"confidence": _NUMBER, "method": _TEXT})
_BOUNDS = _object({"low": _MAYBE_NUMBER, "high": _MAYBE_NUMBER, "method": _TEXT})
_SIDE_BY_SIDE = _object({"baseline": _LIMITS, "candidate": _LIMITS, "delta": _ESTIMATE})
_OUTCOMES = ("expected", "scored", "missing", "correct", "incorrect", "no_answer", "truncated", "error")
_EPOCH = _object({"epoch": _COUNT, "correct": _COUNT, "n": _COUNT, "mean": _NUMBER})
_FLIPS = _object(
    {"worse": _COUNT, "better": _COUNT, "rate": _NUMBER, "corrected_rate": _MAYBE_NUMBER},
    description="items that got worse and better; corrected_rate is what sampling noise does not explain",
)
_ITEM = _object(
    {"sample_id": _TEXT, "baseline": _NUMBER, "candidate": _NUMBER, "p_value": _NUMBER, "q_value": _NUMBER}
)
_MISMATCH = _object({"field": _TEXT, "baseline": {}, "candidate": {}, "allowed": {"type": "boolean"}})
_RUN = _object(
    {
        "label": _TEXT,
        "source": _TEXT,
        "status": _TEXT,
        "fingerprint": _MAYBE_TEXT,
        "spec": {"type": "object"},
        "endpoint": {"type": "object"},
        "versions": {"type": "object"},
        "git_revision": _MAYBE_TEXT,
        "started": _MAYBE_TEXT,
        "finished": _MAYBE_TEXT,
    }
)
_QUANTILES = _maybe(_object({"n": _COUNT} | dict.fromkeys(("mean", "median", "p90", "p99"), _NUMBER)))
_SPEED = _object(
    {"n_responses": _COUNT, "n_retried": _COUNT, "tokens_estimated": {"type": "boolean"}}
    | dict.fromkeys(("ttft", "tpot", "e2e"), _QUANTILES)
    | dict.fromkeys(("duration_s", "paused_s", "output_tokens", "itl_mean_s"), _MAYBE_NUMBER)
    | dict.fromkeys(("output_throughput", "request_throughput", "concurrency"), _MAYBE_NUMBER)
    | dict.fromkeys(("max_concurrency", "tokens_per_solved"), _MAYBE_NUMBER)
    | {"client_bound": {"type": ["boolean", "null"]}},
    description="serving speed: times in seconds, throughput in output tokens or requests a second",
)
_STAGE = _object(
    {
        "side": _TEXT,
        "look": _COUNT,
        "looks": _list(_COUNT),
        "epochs": _COUNT,
        "critical_value": _NUMBER,
        "margin": _NUMBER,
        "declared": _TEXT,
        "is_early": {"type": "boolean"},
    },
    description="a run that may stop early: the last look it reached of those declared before the first",
)
_NOISE_FLOOR = _object(
    {
        "expected_error": _NUMBER,
        "expected_spread": _NUMBER,
        "flip_rate": _NUMBER,
        "flip_rate_within": _MAYBE_NUMBER,
    },
    description="two runs of one checkpoint: how far sampling alone lets them differ",
)
_TASK = _object(
    {
        "task": _TEXT,
        "verdict": _VERDICT,
        "reason": _TEXT,
        "margin": _MAYBE_NUMBER,
        "margin_source": _TEXT,
        "n_items": _COUNT,
        "epochs": _sides(_COUNT),
        "baseline": _maybe(_LIMITS),
        "candidate": _maybe(_LIMITS),
        "delta": _maybe(_ESTIMATE),
        "population": _maybe(_BOUNDS),
        "p_value": _MAYBE_NUMBER,
        "recovery": _maybe(_LIMITS),
        "flips": _maybe(_FLIPS),
        "regressed": _list(_ITEM),
        "truncated": _sides(_RATE, "share of the scored responses that the token budget ended"),
        "errors": _sides(_RATE, "share of the responses that failed; they have no score"),
        "missing": _sides(_RATE, "share of the expected responses without a score, failed ones included"),
        "coverage": _sides(_RATE, "share of the expected responses that have a score"),
        "counts": _sides(_object(dict.fromkeys(_OUTCOMES, _COUNT))),
        "per_epoch": _sides(_list(_EPOCH)),
        "speed": _sides(_maybe(_SPEED)),
        "reasoning_tokens_ratio": _maybe(_LIMITS),
        "accuracy_completed": _maybe(_SIDE_BY_SIDE),
        "accuracy_escalated": _maybe(_SIDE_BY_SIDE),
        "secondary": {"type": "object", "additionalProperties": _SIDE_BY_SIDE},
        "mismatch": _list(_MISMATCH),
        "early_stopping": _maybe(_STAGE),
        "noise_floor": _maybe(_NOISE_FLOOR),
        "notes": _list(_TEXT),
    }
)
_SLICE = _object(
    {
        "name": _TEXT,
        "n_items": _COUNT,
        "baseline": _NUMBER,
        "candidate": _NUMBER,
        "delta": _ESTIMATE,
        "p_value": _NUMBER,
        "q_value": _NUMBER,
    }
)
_SIGNAL = _object({name: found for name, found in _SLICE["properties"].items() if name != "n_items"})
_BLOCKS = _object({"effects": {"type": "object", "additionalProperties": _NUMBER}, "p_value": _NUMBER})
_DIAGNOSIS = _object(
    {
        "kinds": _list(_TEXT),
        "signals": _list(_SIGNAL),
        "by_category": _list(_SLICE),
        "by_length": _maybe(_object({"slices": _list(_SLICE), "slope": _maybe(_ESTIMATE)})),
        "position": _maybe(_BLOCKS),
        "output_tokens_ratio": _maybe(_LIMITS),
    },
    description="what kind of loss it is: signs, output length, categories, place in the run, tokens",
)
_POWER = _object(
    {
        "pass_chance": _RATE,
        "regression_chance": _RATE,
        "smallest_visible_loss": _NUMBER,
        "smallest_margin": _NUMBER,
        "underpowered": {"type": "boolean"},
        "epochs_needed": _object(dict.fromkeys(("both", "candidate", "baseline"), _maybe(_COUNT))),
        "advice": _TEXT,
    },
    description="what this budget can decide of equal checkpoints, and what would be needed",
)
_DRIFT = _object(
    {
        "has_drift": {"type": "boolean"},
        "ratio": _NUMBER,
        "p_value": _NUMBER,
        "epoch_interval": _maybe(_BOUNDS),
    },
    description="whether epochs vary more than sampling explains; the delta's interval is widened where so",
)
_SENSITIVITY = _object({"if_candidate_missing_wrong": _VERDICT, "if_baseline_missing_wrong": _VERDICT})
# Not required, whatever version 1 wrote them: a document may lack what was added since, and its readers must
# not lean on what an older one cannot have.
_TASK["properties"] |= {
    "worse_p_value": {"description": "one-sided p that the candidate is worse"} | _MAYBE_NUMBER,
    "worse_p_holm": {"description": "the same, allowing for the other tasks"} | _MAYBE_NUMBER,
    "is_significantly_lower": {"type": ["boolean", "null"], "description": "a pass below 0 all the same"},
    "sensitivity": {"description": "the verdict had a side's missing responses been wrong"}
    | _maybe(_SENSITIVITY),
    "items_only": _sides(_list(_TEXT), "items that one side alone has"),
    "joined_by": {"enum": ["content_hash", "sample_id"]},
    "pass_at": _sides({"type": "object", "additionalProperties": _RATE}, "by k; intervals: secondary"),
    "majority": _sides(_RATE, "share of items whose most frequent answer is right; interval: secondary"),
    "replicas": _sides(_maybe(_BLOCKS), "the servers of a side compared on the same items"),
    "server_starts": _sides(_maybe(_BLOCKS), "the starts of a side's server compared on the same items"),
    "drift": _maybe(_DRIFT),
    "diagnosis": _maybe(_DIAGNOSIS),
    "power": _maybe(_POWER),
    "judged": {"description": "what the delta alone says: the task's verdict unless its run is invalid"}
    | _maybe(_object({"verdict": _VERDICT, "reason": _TEXT})),
    "n_items_by_side": _sides(_COUNT),
    "by_response_length": {"description": "accuracy by output tokens of the response, shortest first"}
    | _list(_object({"low": _NUMBER, "high": _NUMBER, "middle": _NUMBER})),
    "items": {
        "type": "object",
        "description": "every item as columns: position i of sample_id, category, baseline.* and candidate.*"
        " is item i; null where a side has no response to it",
    },
}
_CRITERION = _object(
    {
        "task": _TEXT,
        "name": _TEXT,
        "status": {"enum": ["met", "failed", "invalid", "undecided", "warned"]},
        "text": _TEXT,
    }
)
_SIDE_PROVENANCE = _object({"label": _TEXT, "tasks": {"type": "object", "additionalProperties": _RUN}})

REPORT_SCHEMA: Schema = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "quantcheck report.json",
    "description": "Fractions lie in [0, 1]; null is unknown, never 0. Keys may be added within a version.",
    "type": "object",
    "required": ["schema", "verdict", "tasks"],
    "properties": {
        "schema": {"const": SCHEMA_VERSION},
        "verdict": _VERDICT,
        "reason": _TEXT | {"description": "why nothing could be compared at all"},
        "confidence": _NUMBER,
        "tasks": _list(_TASK),
        "only_baseline": _list(_TEXT),
        "only_candidate": _list(_TEXT),
        "pooled": _maybe(_ESTIMATE),
        "notes": _list(_TEXT),
        "provenance": _sides(_SIDE_PROVENANCE),
        "comparison_verdict": _maybe(_VERDICT),
        "divergence": _maybe(DIVERGENCE_SCHEMA),
        "gate": _object({"policy": _TEXT, "inconclusive": _TEXT, "criteria": _list(_CRITERION)}),
    },
}


if __name__ == "__main__":
    print(to_json(REPORT_SCHEMA), end="")
