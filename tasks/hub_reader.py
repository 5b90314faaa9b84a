"""Read a pinned dataset from the Hugging Face hub, or its local cache, without ever hanging a run."""

import logging
import os
import socket
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass
from urllib.parse import urlsplit

import datasets
from datasets.exceptions import DatasetNotFoundError
from huggingface_hub import HfApi, get_token
from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

from tasks.hub import HubCopy
from tasks.rows import DataError, Rows

PROBE_TIMEOUT_S = 4.0
HUB_ERRORS = (OSError, ValueError, DatasetNotFoundError, HfHubHTTPError, LocalEntryNotFoundError)


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
        if not _hub_answers():
            raise DataError(f"{copy.repo}: the hub does not answer within {PROBE_TIMEOUT_S:g} s")
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


def _hub_answers() -> bool:
    """Try one TCP connection; in a thread, since a resolver without a network may block for long."""
    host = urlsplit(os.environ.get("HF_ENDPOINT") or "https://huggingface.co")
    address = (host.hostname or "huggingface.co", host.port or (80 if host.scheme == "http" else 443))
    pool = ThreadPoolExecutor(1)
    try:
        pool.submit(lambda: socket.create_connection(address, PROBE_TIMEOUT_S).close()).result(
            PROBE_TIMEOUT_S
        )
    except (OSError, FutureTimeout):
        return False
    finally:
        pool.shutdown(wait=False)
    return True


def _why(copy: HubCopy, error: Exception) -> str:
    first_line = (str(error).strip().splitlines() or [type(error).__name__])[0]
    if is_offline():
        return f"not in the local cache and HF_HUB_OFFLINE is set ({first_line})"
    return f"gated, and not to be had with this token ({first_line})" if copy.gated else first_line
