"""The JSON schema of the ``divergence`` block, alone in divergence.json and within report.json."""

from typing import Any

Schema = dict[str, Any]

_NUMBER: Schema = {"type": "number"}
_MAYBE_NUMBER: Schema = {"type": ["number", "null"]}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_TEXT: Schema = {"type": "string"}
_MAYBE_TEXT: Schema = {"type": ["string", "null"]}
_TRUTH: Schema = {"type": "boolean"}


def _object(properties: Schema, description: str = "") -> Schema:
    schema: Schema = {"type": "object", "properties": properties, "required": list(properties)}
    return schema | ({"description": description} if description else {})


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _maybe(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


# value, low, high, confidence and method, as everywhere in report.json; in short, for it stands here often
_ESTIMATE: Schema = {"type": ["object", "null"], "required": ["value", "low", "high"]}
_SIDE = _object(
    {"label": _TEXT}
    | dict.fromkeys(("model", "base_url", "engine", "version", "served_path", "quantization"), _MAYBE_TEXT)
    | {"started": _MAYBE_TEXT}
)
_FIGURES: Schema = {
    "n_response_tokens": _COUNT,
    "is_identical": _TRUTH,
    **dict.fromkeys(
        (
            *("cross_entropy_difference", "controlled", "mean_absolute", "mean_ratio", "perplexity_ratio"),
            *("top1_agreement", "left_top_k"),
        ),
        _ESTIMATE,
    ),
    "top_k": _COUNT,
    "ruled_out": _object({"baseline": _COUNT, "candidate": _COUNT}),
}
_ROW: Schema = {
    "name": _TEXT,
    "n_texts": _COUNT,
    "n_tokens": _COUNT,
    "mean_log_ratio": _MAYBE_NUMBER,
    "mean_absolute": _MAYBE_NUMBER,
    **dict.fromkeys(
        ("log_ratio_interval", "absolute_interval", "controlled", "top1_agreement", "left_top_k"), _ESTIMATE
    ),
}
_SINGLE = _object(
    {
        **dict.fromkeys(("text", "task", "part", "token", "before", "after"), _TEXT),
        **dict.fromkeys(("position", "baseline_rank", "candidate_rank"), _COUNT),
        **dict.fromkeys(("baseline", "candidate", "log_ratio"), _MAYBE_NUMBER),
    }
)
_DIFFERENCE = _object(
    {
        "text": _TEXT,
        "kind": _TEXT,
        "position": _COUNT,
        "n_baseline": _COUNT,
        "n_candidate": _COUNT,
        "baseline": _list(_TEXT),
        "candidate": _list(_TEXT),
    }
)
DIVERGENCE_SCHEMA: Schema = _object(
    {
        "schema": {"const": 1},
        "baseline": _SIDE,
        "candidate": _SIDE,
        "confidence": _NUMBER,
        "n_texts": _COUNT,
        "n_tokens": _COUNT,
        "is_sampled_from_baseline": _TRUTH,
        **_FIGURES,
        "kl": _ESTIMATE,
        "kl_controlled": _ESTIMATE,
        "floor": _maybe(_object(_FIGURES)),
        "beyond_floor": _ESTIMATE,
        "by_part": _list(_object(_ROW)),
        "by_position": _list(_object({"from": _COUNT, "to": _COUNT, **_ROW})),
        "position_trend": _maybe(_object({"per_doubling": _ESTIMATE, "relative": _MAYBE_NUMBER})),
        "by_task": _list(_object(_ROW)),
        "by_category": _list(_object(_ROW)),
        "largest": _list(_SINGLE),
        "tokens": _object(
            {
                "n_same": _COUNT,
                "n_different": _COUNT,
                "kinds": {"type": "object", "additionalProperties": _COUNT},
                "examples": _list(_DIFFERENCE),
            }
        ),
        "only_baseline": _COUNT,
        "only_candidate": _COUNT,
        "findings": _list(_object({"kind": _TEXT, "text": _TEXT})),
        "caveats": _list(_TEXT),
        "notes": _list(_TEXT),
    },
    "how far the candidate's token probabilities moved on the same texts; natural logarithms, nats a token",
)
