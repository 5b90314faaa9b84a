"""Read runs from object storage: their logs and manifests, fetched once into a local mirror."""

from pathlib import Path

from evals.storage.object_store import ObjectStore, StoreError, is_url
from evals.storage.run_directory import read_notes, safe_label, write_json
from reports.manifest import MANIFEST
from reports.run_files import LOG_SUFFIX
from reports.score_loading import SCORE_SUFFIXES
from tasks.cache import cache_directory
from tasks.spec import digest

_TAGS = ".mirror.json"
_READ = (LOG_SUFFIX, *SCORE_SUFFIXES)


def run_path(text: str) -> Path:
    """Return the local path of a run: as given, or the mirror of what lies below a URL.

    Raises :class:`StoreError` where the store refuses or holds nothing to read there.
    """
    return mirrored(text) if is_url(text) else Path(text)


def mirrored(url: str) -> Path:
    """Return the mirror of a URL: everything readable below it, or the one file that it names."""
    store = ObjectStore(url)
    found = {name: info for name, info in store.find().items() if _is_read(name or url)}
    if not found:
        raise StoreError(
            f"object storage {store.url}: holds no log ({LOG_SUFFIX}) and no score file; check the URL"
        )
    path = store.url.partition("://")[2]
    parts = "/".join(map(safe_label, path.strip("/").split("/")))
    mirror = cache_directory() / "mirror" / digest(store.url)[:8] / parts
    if "" in found:
        store.get("", mirror)
        return mirror
    tags = read_notes(mirror / _TAGS)
    for name, info in found.items():
        if tags.get(name) != info.tag or not (mirror / name).exists():
            store.get(name, mirror / name)
    for name in tags.keys() - found.keys():  # superseded there: it must not be read here
        (mirror / name).unlink(missing_ok=True)
    write_json(mirror / _TAGS, {name: info.tag for name, info in found.items()})
    return mirror


def _is_read(name: str) -> bool:
    file = name.rpartition("/")[2]
    return file == MANIFEST or (file.endswith(_READ) and not file.startswith("."))
