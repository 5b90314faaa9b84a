"""Which tool each item of a tool-call task is about: the one that the baseline called most, for slices."""

from collections import Counter
from collections.abc import Iterator, Mapping

import pandas as pd

from reports.json_text import json_object

NONE = "no tool called"
FEW_ITEMS = 5  # a tool of fewer items says nothing by itself
_OTHERS = "other tools"


def tool_labels(baseline: pd.DataFrame) -> dict[str, str]:
    """Return the tool of every item whose responses tell of their calls; empty for tasks without calls.

    Tools of fewer than five items are put together.
    """
    called: dict[str, Counter[str]] = {}
    for sample, tools in _tools(baseline):
        called.setdefault(sample, Counter()).update(tools or (NONE,))
    labels = {
        sample: min(counts, key=lambda tool: (-counts[tool], tool)) for sample, counts in called.items()
    }
    sizes = Counter(labels.values())
    return {sample: tool if sizes[tool] >= FEW_ITEMS else _OTHERS for sample, tool in labels.items()}


def _tools(rows: pd.DataFrame) -> Iterator[tuple[str, list[str]]]:
    """Yield sample and tools of every response that tells which it called."""
    if "details" not in rows.columns or rows["details"].isna().all():
        return
    for sample, text in zip(rows["sample_id"].astype(str), rows["details"].to_list(), strict=True):
        details: Mapping[str, object] = json_object(text)
        tools = details.get("tools")
        if isinstance(tools, list) and isinstance(details.get("triggered"), bool):
            yield sample, [tool for tool in tools if isinstance(tool, str)]
