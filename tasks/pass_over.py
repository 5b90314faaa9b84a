"""Pass over responses that are not wanted: they are no samples of the log, neither answered nor failed."""

from collections.abc import Sequence, Set
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSpec
from inspect_ai.scorer import SampleScore
from inspect_ai.util import EarlyStop

from tasks.pairs import Pair

NAME = "quantcheck"


class PassOver:
    """Inspect's early stopping, which decides before a sample begins: all but the ``wanted`` are passed over."""

    def __init__(self, wanted: Set[Pair]) -> None:
        self._wanted = wanted

    async def start_task(self, task: EvalSpec, samples: Sequence[Sample], epochs: int) -> str:
        """Return the name under which the log lists what was passed over."""
        return NAME

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:
        """Return ``None`` for a response that is wanted."""
        if Pair(sample_id=str(id), epoch=epoch) in self._wanted:
            return None
        return EarlyStop(id=id, epoch=epoch, reason="the run was stopped before this was asked")

    async def complete_sample(self, id: str | int, epoch: int, scores: dict[str, SampleScore]) -> None:
        """Take note of nothing: no score decides what is wanted."""

    async def complete_task(self) -> dict[str, Any]:
        """Return nothing to add."""
        return {}
