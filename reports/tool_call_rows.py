"""What the rows of a score table say of tool calls: one row a response, whatever file it came from."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from reports.json_text import json_object
from reports.signals import is_truncated

# Columns of the frame: what could not be judged or was not told is NaN.
FLAGS = ("valid", "lenient_valid", "finish_agrees", "streamed", "leaked")


def has_tool_calls(rows: pd.DataFrame) -> bool:
    """Return whether any of the rows tells of tool calls: only tasks about them do."""
    return any(_details(text) is not None for text in rows["details"].to_list())


def tool_call_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the answered responses that tell of their calls; failed ones and those that do not tell are left out.

    Columns: ``sample_id`` (text), ``epoch``, ``triggered`` and ``truncated`` (boolean), :data:`FLAGS` (1, 0
    or NaN), ``recoverable_calls`` (calls that lie in the text as native tokens), ``reasons`` (a word for
    each faulty call) and ``has_data_fault``.
    """
    told = [_details(text) for text in rows["details"].to_list()]
    answered = np.array([details is not None for details in told], dtype=bool)
    answered &= (rows["outcome"] != "error").to_numpy()
    kept = rows[answered]
    facts = [details for details, keep in zip(told, answered, strict=True) if keep and details is not None]
    columns: dict[str, Any] = {
        "sample_id": kept["sample_id"].astype(str).to_numpy(object),
        "epoch": kept["epoch"].to_numpy(),
        "triggered": np.array([details["triggered"] for details in facts], dtype=bool),
        "truncated": is_truncated(kept).to_numpy(),
        "recoverable_calls": np.array([_count(details.get("recoverable_calls")) for details in facts], int),
        "reasons": [_words(details.get("reasons")) for details in facts],
        "has_data_fault": np.array([bool(details.get("data_faults")) for details in facts], dtype=bool),
    }
    columns |= {
        name: np.array([_flag(details.get(name)) for details in facts], dtype=np.float64) for name in FLAGS
    }
    return pd.DataFrame(columns)


def _details(text: Any) -> Mapping[str, Any] | None:
    """Return what a row says of its calls, ``None`` where it says nothing of them."""
    value = json_object(text)
    return value if isinstance(value.get("triggered"), bool) else None


def _flag(value: Any) -> float:
    return float(value) if isinstance(value, bool) else np.nan


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _words(value: Any) -> list[str]:
    return [word for word in value if isinstance(word, str)] if isinstance(value, list) else []
