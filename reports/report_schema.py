"""The JSON schema of report.json: what pipelines may rely on (docs/report.schema.json is written from it)."""

from reports.divergence.schema import DIVERGENCE_SCHEMA
from reports.item_schema import ITEMS, LENGTHS
from reports.json_report import SCHEMA_VERSION, to_json
from reports.schema_values import (
    COUNT,
    LIMITS,
    MAYBE_NUMBER,
    MAYBE_TEXT,
    NUMBER,
    RATE,
    TEXT,
    VERDICT,
    Schema,
    list_of,
    maybe,
    object_of,
    sides_of,
)

_ESTIMATE = object_of(LIMITS["properties"] | {"confidence": NUMBER, "method": TEXT})
_BOUNDS = object_of({"low": MAYBE_NUMBER, "high": MAYBE_NUMBER, "method": TEXT})
_SIDE_BY_SIDE = object_of({"baseline": LIMITS, "candidate": LIMITS, "delta": _ESTIMATE})
# n_items and geometric were added since
_RATIO = LIMITS | {"properties": LIMITS["properties"] | {"n_items": COUNT, "geometric": LIMITS}}
_OUTCOMES = ("expected", "scored", "missing", "correct", "incorrect", "no_answer", "truncated", "error")
_EPOCH = object_of({"epoch": COUNT, "correct": COUNT, "n": COUNT, "mean": NUMBER})
_FLIPS = object_of(
    {"worse": COUNT, "better": COUNT, "rate": NUMBER, "corrected_rate": MAYBE_NUMBER},
    description="items that got worse and better; corrected_rate is what sampling noise does not explain",
)
_ITEM = object_of(
    {"sample_id": TEXT, "baseline": NUMBER, "candidate": NUMBER, "p_value": NUMBER, "q_value": NUMBER}
)
_MISMATCH = object_of({"field": TEXT, "baseline": {}, "candidate": {}, "allowed": {"type": "boolean"}})
_RUN = object_of(
    {
        "label": TEXT,
        "source": TEXT,
        "status": TEXT,
        "fingerprint": MAYBE_TEXT,
        "spec": {"type": "object"},
        "endpoint": {"type": "object"},
        "versions": {"type": "object"},
        "git_revision": MAYBE_TEXT,
        "started": MAYBE_TEXT,
        "finished": MAYBE_TEXT,
    }
)
_QUANTILES = maybe(object_of({"n": COUNT} | dict.fromkeys(("mean", "median", "p90", "p99"), NUMBER)))
_SPEED = object_of(
    {"n_responses": COUNT, "n_retried": COUNT, "tokens_estimated": {"type": "boolean"}}
    | dict.fromkeys(("ttft", "tpot", "e2e"), _QUANTILES)
    | dict.fromkeys(("duration_s", "paused_s", "output_tokens", "itl_mean_s"), MAYBE_NUMBER)
    | dict.fromkeys(("output_throughput", "request_throughput", "concurrency"), MAYBE_NUMBER)
    | dict.fromkeys(("max_concurrency", "tokens_per_solved"), MAYBE_NUMBER)
    | {"client_bound": {"type": ["boolean", "null"]}},
    description="serving speed: times in seconds, throughput in output tokens or requests a second",
)
_STAGE = object_of(
    {
        "side": TEXT,
        "look": COUNT,
        "looks": list_of(COUNT),
        "epochs": COUNT,
        "critical_value": NUMBER,
        "margin": NUMBER,
        "declared": TEXT,
        "is_early": {"type": "boolean"},
    },
    description="a run that may stop early: the last look it reached of those declared before the first",
)
_NOISE_FLOOR = object_of(
    {
        "expected_error": NUMBER,
        "expected_spread": NUMBER,
        "flip_rate": NUMBER,
        "flip_rate_within": MAYBE_NUMBER,
    },
    description="two runs of one checkpoint: how far sampling alone lets them differ",
)
_TASK = object_of(
    {
        "task": TEXT,
        "verdict": VERDICT,
        "reason": TEXT,
        "margin": MAYBE_NUMBER,
        "margin_source": TEXT,
        "n_items": COUNT,
        "epochs": sides_of(COUNT),
        "baseline": maybe(LIMITS),
        "candidate": maybe(LIMITS),
        "delta": maybe(_ESTIMATE),
        "population": maybe(_BOUNDS),
        "p_value": MAYBE_NUMBER,
        "recovery": maybe(LIMITS),
        "flips": maybe(_FLIPS),
        "regressed": list_of(_ITEM),
        "truncated": sides_of(RATE, "share of the scored responses that the token budget ended"),
        "errors": sides_of(RATE, "share of the responses that failed; they have no score"),
        "missing": sides_of(RATE, "share of the expected responses without a score, failed ones included"),
        "coverage": sides_of(RATE, "share of the expected responses that have a score"),
        "counts": sides_of(object_of(dict.fromkeys(_OUTCOMES, COUNT))),
        "per_epoch": sides_of(list_of(_EPOCH)),
        "speed": sides_of(maybe(_SPEED)),
        "reasoning_tokens_ratio": maybe(_RATIO),
        "accuracy_completed": maybe(_SIDE_BY_SIDE),
        "accuracy_escalated": maybe(_SIDE_BY_SIDE),
        "secondary": {"type": "object", "additionalProperties": _SIDE_BY_SIDE},
        "mismatch": list_of(_MISMATCH),
        "early_stopping": maybe(_STAGE),
        "noise_floor": maybe(_NOISE_FLOOR),
        "notes": list_of(TEXT),
    }
)
_SLICE = object_of(
    {
        "name": TEXT,
        "n_items": COUNT,
        "baseline": NUMBER,
        "candidate": NUMBER,
        "delta": _ESTIMATE,
        "p_value": NUMBER,
        "q_value": NUMBER,
    }
)
_SIGNAL = object_of({name: found for name, found in _SLICE["properties"].items() if name != "n_items"})
_BLOCKS = object_of({"effects": {"type": "object", "additionalProperties": NUMBER}, "p_value": NUMBER})
_BLOCKS["properties"]["within"] = TEXT  # what was compared; documents from before this key have none
_DIAGNOSIS = object_of(
    {
        "kinds": list_of(TEXT),
        "signals": list_of(_SIGNAL),
        "by_category": list_of(_SLICE),
        "by_length": maybe(object_of({"slices": list_of(_SLICE), "slope": maybe(_ESTIMATE)})),
        "position": maybe(_BLOCKS),
        "output_tokens_ratio": maybe(_RATIO),
    },
    description="what kind of loss it is: signs, output length, categories, place in the run, tokens",
)
_DIAGNOSIS["properties"]["by_tool"] = list_of(_SLICE)  # added since
_POWER = object_of(
    {
        "pass_chance": RATE,
        "regression_chance": RATE,
        "smallest_visible_loss": NUMBER,
        "smallest_margin": NUMBER,
        "underpowered": {"type": "boolean"},
        "epochs_needed": object_of(dict.fromkeys(("both", "candidate", "baseline"), maybe(COUNT))),
        "advice": TEXT,
    },
    description="what this budget can decide of equal checkpoints, and what would be needed",
)
_DRIFT = object_of(
    {
        "has_drift": {"type": "boolean"},
        "ratio": NUMBER,
        "p_value": NUMBER,
        "epoch_interval": maybe(_BOUNDS),
    },
    description="whether epochs vary more than sampling explains; the delta's interval is widened where so",
)
_SENSITIVITY = object_of({"if_candidate_missing_wrong": VERDICT, "if_baseline_missing_wrong": VERDICT})
# Not required, whatever version 1 wrote them: a document may lack what was added since, and its readers must
# not lean on what an older one cannot have.
_TASK["properties"] |= {
    "worse_p_value": {"description": "one-sided p that the candidate is worse"} | MAYBE_NUMBER,
    "worse_p_holm": {"description": "the same, allowing for the other tasks"} | MAYBE_NUMBER,
    "is_significantly_lower": {"type": ["boolean", "null"], "description": "a pass below 0 all the same"},
    "sensitivity": {"description": "the verdict had a side's missing responses been wrong"}
    | maybe(_SENSITIVITY),
    "items_only": sides_of(list_of(TEXT), "items that one side alone has"),
    "joined_by": {"enum": ["content_hash", "sample_id"]},
    "pass_at": sides_of({"type": "object", "additionalProperties": RATE}, "by k; intervals: secondary"),
    "majority": sides_of(RATE, "share of items whose most frequent answer is right; interval: secondary"),
    "replicas": sides_of(maybe(_BLOCKS), "the servers of a side compared on the same items"),
    "server_starts": sides_of(maybe(_BLOCKS), "the starts of a side's server compared on the same items"),
    "drift": maybe(_DRIFT),
    "diagnosis": maybe(_DIAGNOSIS),
    "power": maybe(_POWER),
    "judged": {"description": "what the delta alone says: the task's verdict unless its run is invalid"}
    | maybe(object_of({"verdict": VERDICT, "reason": TEXT})),
    "n_items_by_side": sides_of(COUNT),
    "by_response_length": LENGTHS,
    "items": ITEMS,
}
_CRITERION = object_of(
    {
        "task": TEXT,
        "name": TEXT,
        "status": {"enum": ["met", "failed", "invalid", "undecided", "warned"]},
        "text": TEXT,
    }
)
_SIDE_PROVENANCE = object_of({"label": TEXT, "tasks": {"type": "object", "additionalProperties": _RUN}})

REPORT_SCHEMA: Schema = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "quantcheck report.json",
    "description": "Fractions lie in [0, 1]; null is unknown, never 0. Keys may be added within a version.",
    "type": "object",
    "required": ["schema", "verdict", "tasks"],
    "properties": {
        "schema": {"const": SCHEMA_VERSION},
        "verdict": VERDICT,
        "reason": TEXT | {"description": "why nothing could be compared at all"},
        "confidence": NUMBER,
        "tasks": list_of(_TASK),
        "only_baseline": list_of(TEXT),
        "only_candidate": list_of(TEXT),
        "pooled": maybe(_ESTIMATE),
        "notes": list_of(TEXT),
        "provenance": sides_of(_SIDE_PROVENANCE),
        "comparison_verdict": maybe(VERDICT),
        "divergence": maybe(DIVERGENCE_SCHEMA),
        "gate": object_of({"policy": TEXT, "inconclusive": TEXT, "criteria": list_of(_CRITERION)}),
    },
}


if __name__ == "__main__":
    print(to_json(REPORT_SCHEMA), end="")
