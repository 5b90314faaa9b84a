"""How long each sample's responses will be, by what earlier runs of the task took."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from reports.eval_log import read_eval_log
from reports.log_members import LogError

MOST_LOGS = 4  # the newest ones say enough, and reading them must not delay the run


def expected_lengths(runs_dir: Path, task: str, sample_ids: Sequence[str]) -> dict[str, float]:
    """Return mean output tokens by sample id over the newest logs of ``task``; empty where there are none.

    Any label and any protocol serves: only the order matters, and no result depends on it.
    """
    paths = sorted(runs_dir.glob(f"*/{task}/*/*.eval"), key=lambda path: path.stat().st_mtime)[-MOST_LOGS:]
    frames = []
    for path in paths:
        try:
            frames.append(read_eval_log(path).frame[["sample_id", "output_tokens"]])
        except LogError:
            continue  # a log that is still being written, or is not ours
    if not frames:
        return {}
    rows = pd.concat(frames).dropna()
    means = rows.groupby(rows["sample_id"].astype(str))["output_tokens"].mean()
    wanted = set(sample_ids)
    return {str(name): float(mean) for name, mean in means.items() if name in wanted}
