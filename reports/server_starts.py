"""Which responses of a run were given by which start of its server: blocks that may share a shock."""

import math
from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd

from reports.drift import BlockTest, compare_blocks


def server_starts(value: Any) -> tuple[float, ...]:
    """Return the times (Unix) from which another start of the server may have answered, ascending.

    ``value`` is the manifest's list: ``at`` is when the run was started or resumed (ISO time),
    ``server_started`` when the server says it was itself (Unix time, null where it does not). A resumed run
    on a server that names the same time goes on with the same block.
    """
    entries = [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
    found: list[float] = []
    server: float | None = None
    for entry in entries:
        at, told = _time(entry.get("at")), _number(entry.get("server_started"))
        if at is None or (found and told is not None and told == server):
            continue
        found.append(at)
        server = told
    return tuple(sorted(found))


def compare_starts(frame: pd.DataFrame, starts: tuple[float, ...]) -> BlockTest | None:
    """Test whether the starts of one run's server score alike; ``None`` unless two or more answered.

    A response belongs to the start during which it came.
    """
    if len(starts) < 2 or frame["finished_at"].isna().all():
        return None
    finished = frame["finished_at"].to_numpy()
    block = np.searchsorted(np.asarray(starts[1:]), finished, side="right")
    names = pd.Index([f"start {number + 1}" for number in range(len(starts))])
    codes = np.where(np.isnan(finished), -1, block).astype(np.int64)
    return compare_blocks(frame.assign(start=pd.Categorical.from_codes(codes, names)), "start")


def _time(value: Any) -> float | None:
    try:
        return datetime.fromisoformat(value).timestamp() if isinstance(value, str) else None
    except ValueError:
        return None


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if is_number else None
