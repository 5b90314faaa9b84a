"""Which dataset on the Hugging Face hub, pinned to a commit."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class HubCopy:
    """A dataset on the hub, pinned to a commit. ``gated``: needs a token and accepted terms."""

    repo: str
    config: str
    split: str
    revision: str
    gated: bool = False
