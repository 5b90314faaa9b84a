"""The JSON schema of the ``divergence`` block, alone in divergence.json and within report.json."""

from reports.schema_values import (
    COUNT,
    MAYBE_NUMBER,
    MAYBE_TEXT,
    NUMBER,
    TEXT,
    Schema,
    list_of,
    maybe,
    object_of,
)

_TRUTH: Schema = {"type": "boolean"}
# value, low, high, confidence and method, as everywhere in report.json; in short, for it stands here often
_ESTIMATE: Schema = {"type": ["object", "null"], "required": ["value", "low", "high"]}
_SIDE = object_of(
    {"label": TEXT}
    | dict.fromkeys(("model", "base_url", "engine", "version", "served_path", "quantization"), MAYBE_TEXT)
    | {"started": MAYBE_TEXT}
)
_FIGURES: Schema = {
    "n_response_tokens": COUNT,
    "is_identical": _TRUTH,
    **dict.fromkeys(
        (
            *("cross_entropy_difference", "controlled", "mean_absolute", "mean_ratio", "perplexity_ratio"),
            *("top1_agreement", "left_top_k"),
        ),
        _ESTIMATE,
    ),
    "top_k": COUNT,
    "ruled_out": object_of({"baseline": COUNT, "candidate": COUNT}),
}
_ROW: Schema = {
    "name": TEXT,
    "n_texts": COUNT,
    "n_tokens": COUNT,
    "mean_log_ratio": MAYBE_NUMBER,
    "mean_absolute": MAYBE_NUMBER,
    **dict.fromkeys(
        ("log_ratio_interval", "absolute_interval", "controlled", "top1_agreement", "left_top_k"), _ESTIMATE
    ),
}
_SINGLE = object_of(
    {
        **dict.fromkeys(("text", "task", "part", "token", "before", "after"), TEXT),
        **dict.fromkeys(("position", "baseline_rank", "candidate_rank"), COUNT),
        **dict.fromkeys(("baseline", "candidate", "log_ratio"), MAYBE_NUMBER),
    }
)
_DIFFERENCE = object_of(
    {
        "text": TEXT,
        "kind": TEXT,
        "position": COUNT,
        "n_baseline": COUNT,
        "n_candidate": COUNT,
        "baseline": list_of(TEXT),
        "candidate": list_of(TEXT),
    }
)
DIVERGENCE_SCHEMA: Schema = object_of(
    {
        "schema": {"const": 1},
        "baseline": _SIDE,
        "candidate": _SIDE,
        "confidence": NUMBER,
        "n_texts": COUNT,
        "n_tokens": COUNT,
        "is_sampled_from_baseline": _TRUTH,
        **_FIGURES,
        "kl": _ESTIMATE,
        "kl_controlled": _ESTIMATE,
        "floor": maybe(object_of(_FIGURES)),
        "beyond_floor": _ESTIMATE,
        "by_part": list_of(object_of(_ROW)),
        "by_position": list_of(object_of({"from": COUNT, "to": COUNT, **_ROW})),
        "position_trend": maybe(object_of({"per_doubling": _ESTIMATE, "relative": MAYBE_NUMBER})),
        "by_task": list_of(object_of(_ROW)),
        "by_category": list_of(object_of(_ROW)),
        "largest": list_of(_SINGLE),
        "tokens": object_of(
            {
                "n_same": COUNT,
                "n_different": COUNT,
                "kinds": {"type": "object", "additionalProperties": COUNT},
                "examples": list_of(_DIFFERENCE),
            }
        ),
        "only_baseline": COUNT,
        "only_candidate": COUNT,
        "findings": list_of(object_of({"kind": TEXT, "text": TEXT})),
        "caveats": list_of(TEXT),
        "notes": list_of(TEXT),
    },
    description="how far the candidate's token probabilities moved on the same texts; natural logarithms, nats a token",
)
