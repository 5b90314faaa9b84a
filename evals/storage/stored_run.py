"""Keep a run in object storage while it is made: taken over before, put at intervals, put whole at the end."""

import sys
import threading
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evals.storage.journal import JournalError
from evals.storage.object_store import ObjectStore, StoreError, is_url
from evals.storage.run_directory import safe_label
from evals.storage.spool import Spool
from tasks.cache import cache_directory
from tasks.spec import digest

UPLOAD_EVERY_S = 60.0


class RunStore:
    """The store of ``--runs-dir`` and the directory in which its runs are made."""

    def __init__(self, url: str, root: Path) -> None:
        self.root = root
        self._store = ObjectStore(url)

    @contextmanager
    def keep(self, directory: Path) -> Iterator[None]:
        """Keep the run in ``directory``; raises :class:`StoreError` before it where the store refuses.

        After it as well, unless the run itself has failed: then the store's words are printed beside.
        """
        spool = Spool(self._store, self.root, directory)
        spool.fetch()
        uploads = _Uploads(spool)
        try:
            yield
        except BaseException:
            try:
                uploads.finish()
            except StoreError as error:
                print(f"quantcheck: {error}", file=sys.stderr)
            raise
        uploads.finish()
        print(f"stored in {spool.url}", file=sys.stderr)


@contextmanager
def kept(store: RunStore | None, directory: Path) -> Iterator[None]:
    """Keep a run in its store, or nothing where it has none."""
    if store is None:
        yield
        return
    with store.keep(directory):
        yield


def settle_store(options: MutableMapping[str, Any]) -> RunStore | None:
    """Return the store that ``--runs-dir`` names and let the run be made in its spool; ``None`` for a directory."""
    url = str(options["runs_dir"])
    if not is_url(url):
        return None
    given = options["spool_dir"]
    root = Path(given) if given else cache_directory() / "spool"
    root = root / f"{safe_label(url.partition('://')[2])}-{digest(url)[:8]}"
    options["runs_dir"] = str(root)
    return RunStore(url, root)


class _Uploads:
    """Puts what is new every so often, in a thread; a refusal is told once and tried again."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._is_over = threading.Event()
        self._told = ""
        self._thread = threading.Thread(target=self._upload, daemon=True, name="uploads")
        self._thread.start()

    def finish(self) -> None:
        """Put everything; raise :class:`StoreError` where the store refuses: the run is kept here."""
        self._is_over.set()
        self._thread.join()
        try:
            self._spool.push(with_logs=True)
        except StoreError as error:
            raise StoreError(
                f"{error}; nothing is lost: the run is in {self._spool.directory}, and the same command uploads it"
            ) from error

    def _upload(self) -> None:
        while not self._is_over.wait(UPLOAD_EVERY_S):
            try:
                self._spool.push(with_logs=False)
            except FileNotFoundError:
                continue  # journals of shards are being taken over
            except (StoreError, JournalError, OSError) as error:
                if str(error) != self._told:
                    print(f"warning: {error}; tried again every {UPLOAD_EVERY_S:g} s", file=sys.stderr)
                self._told = str(error)
