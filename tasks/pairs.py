"""The responses of a run one by one: which sample in which epoch, and a sample of Inspect's that is just one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

PAIR = "quantcheck_pair"  # key of a sample's metadata: the response that it stands for


@dataclass(frozen=True, kw_only=True, order=True)
class Pair:
    """One response asked for; ``epoch`` counts from 1."""

    sample_id: str
    epoch: int

    @property
    def text(self) -> str:
        """One word for both, unique within a run."""
        return f"{self.sample_id}/{self.epoch}"


def pair_metadata(pair: Pair) -> dict[str, Any]:
    """Return the metadata of an Inspect sample that stands for one response alone."""
    return {PAIR: {"sample_id": pair.sample_id, "epoch": pair.epoch}}


def pair_of(sample_id: object, epoch: int, metadata: Mapping[str, Any]) -> Pair:
    """Return which response an Inspect sample is: its own id and epoch, or those it stands for."""
    stands_for = metadata.get(PAIR)
    if isinstance(stands_for, dict):
        return Pair(sample_id=str(stands_for["sample_id"]), epoch=int(stands_for["epoch"]))
    return Pair(sample_id=str(sample_id), epoch=epoch)


def asked_pair(identity: Mapping[str, Any]) -> Pair:
    """Return which response a request's identity names, as the solver noted it."""
    return Pair(sample_id=str(identity.get("sample_id", "")), epoch=int(identity.get("epoch", 1)))
