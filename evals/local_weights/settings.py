"""How much the demonstration asks, and what loss it tolerates."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class DemoSettings:
    """What every checkpoint is asked alike. ``margin`` is a fraction; ``runs_dir`` keeps runs and reports;
    ``parallel`` checkpoints are run at the same time, a core each."""

    runs_dir: Path
    variants: tuple[str, ...]
    epochs: int
    limit: int | None
    max_tokens: int
    temperature: float
    margin: float
    parallel: int
