"""Which dataset on the Hugging Face hub, pinned to a commit."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class HubCopy:
    """A dataset on the hub, pinned to a commit (``None``: no commit is known; the newest is taken and named).

    ``gated``: needs a token and accepted terms.
    """

    repo: str
    config: str
    split: str
    revision: str | None
    gated: bool = False
