"""Score tables with times for tests: one tuple a response."""

from typing import Any

import pandas as pd

from reports.score_table import build_frame


def timed_frame(*rows: dict[str, Any]) -> pd.DataFrame:
    """Return a score table; each row gives what differs from a plain right answer of 11 tokens in 2 s."""
    plain = {
        "task": "aime25",
        "epoch": 1,
        "outcome": "correct",
        "score": 1.0,
        "output_tokens": 11.0,
        "ttft_s": 1.0,
        "duration_s": 2.0,
        "finished_at": 1000.0,
        "attempts": 1.0,
    }
    filled = [plain | {"sample_id": f"a{number}"} | row for number, row in enumerate(rows)]
    names = [*plain, "sample_id", *{name for row in rows for name in row if name not in plain}]
    columns = {name: [row.get(name) for row in filled] for name in dict.fromkeys(names)}
    return build_frame(columns, len(rows))
