"""Read a pinned dataset from the Hugging Face hub, or its local cache, without ever hanging a run."""

import logging
import os
import threading
from dataclasses import dataclass
from queue import Empty, Queue

import datasets
import httpx2
from datasets.exceptions import DatasetNotFoundError
from huggingface_hub import HfApi, constants, get_session, get_token
from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

from tasks.hub import HubCopy
from tasks.rows import DataError, Rows

PROBE_TIMEOUT_S = 4.0
HUB_ERRORS = (
    *(OSError, ValueError, httpx2.HTTPError, httpx2.InvalidURL),
    *(DatasetNotFoundError, HfHubHTTPError, LocalEntryNotFoundError),
)


@dataclass(frozen=True, kw_only=True)
class HubRows:
    """Rows of a dataset, images undecoded, and the commit they are of (``None``: unknown, from the cache)."""

    rows: Rows
    revision: str | None


def read_hub_rows(copy: HubCopy) -> HubRows:
    """Return the rows of the pinned revision.

    Raises :class:`DataError`: at once for a gated dataset without a token, in about ``PROBE_TIMEOUT_S`` where
    the hub cannot be reached. With ``HF_HUB_OFFLINE`` set only the local cache is read.
    """
    token = os.environ.get("HF_TOKEN") or get_token()
    if not is_offline():
        if copy.gated and not token:
            raise DataError(f"{copy.repo}: gated, and no token is set")
        if (reason := _why_not(copy)) is not None:
            raise DataError(f"{copy.repo}: {reason}")
    logging.getLogger("datasets").setLevel(logging.ERROR)
    datasets.disable_progress_bars()
    try:
        revision = copy.revision or _newest(copy, token)
        table = datasets.load_dataset(
            copy.repo, copy.config, split=copy.split, revision=revision, token=token
        )
    except HUB_ERRORS as error:
        raise DataError(f"{copy.repo}@{(copy.revision or 'newest')[:8]}: {_why(copy, error)}") from error
    for name, feature in table.features.items():
        if isinstance(feature, datasets.Image):
            table = table.cast_column(name, datasets.Image(decode=False))
    rows: Rows = table  # a Dataset is a sequence of rows, each read from disk when asked for
    return HubRows(rows=rows, revision=revision)


def is_offline() -> bool:
    """Return whether the environment forbids network access to the hub."""
    return os.environ.get("HF_HUB_OFFLINE", "").lower() in {"1", "true", "yes", "on"}


def _newest(copy: HubCopy, token: str | None) -> str | None:
    if is_offline():
        return None
    sha = HfApi(token=token).dataset_info(copy.repo).sha
    return str(sha) if sha else None


def _why_not(copy: HubCopy) -> str | None:
    """Return why the hub is no use now, ``None`` where it answers.

    One small request with the hub library's own settings. In a thread, since a resolver without a network
    may block for long; a daemon, since the end of the program would wait for any other.
    """
    found: Queue[str | None] = Queue()
    threading.Thread(target=lambda: found.put(_ask(copy)), name="hub probe", daemon=True).start()
    try:
        return found.get(timeout=PROBE_TIMEOUT_S)
    except Empty:
        return f"the hub does not answer within {PROBE_TIMEOUT_S:g} s"


def _ask(copy: HubCopy) -> str | None:
    try:
        answer = get_session().head(
            f"{constants.ENDPOINT}/api/datasets/{copy.repo}", timeout=PROBE_TIMEOUT_S, follow_redirects=False
        )
    except HUB_ERRORS as error:
        return f"the hub cannot be reached ({_first_line(error)})"
    is_broken = answer.status_code >= 500 or answer.status_code == 429
    return f"the hub answers HTTP {answer.status_code}" if is_broken else None


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _why(copy: HubCopy, error: Exception) -> str:
    first_line = _first_line(error)
    if is_offline():
        return f"not in the local cache and HF_HUB_OFFLINE is set ({first_line})"
    return f"gated, and not to be had with this token ({first_line})" if copy.gated else first_line
