"""Files in object storage (S3 and whatever else fsspec speaks), every refusal as one line."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import fsspec

from evals.transport.failure import one_line

Result = TypeVar("Result")

# What the clients of object stores raise besides OSError, by the package that does.
_STORE_PACKAGES = (
    "botocore",
    "aiobotocore",
    "aiohttp",
    "s3fs",
    "gcsfs",
    "adlfs",
    "azure",
    "google",
    "fsspec",
)
_TAGS = ("ETag", "etag", "md5Hash", "mtime", "LastModified", "created")
_SCHEMES = ("s3", "gs", "gcs", "abfs", "az", "memory")
_EXTRAS = {"s3": "pip install 'quantcheck[s3]'"}


class StoreError(RuntimeError):
    """Object storage that cannot be used: not there, not allowed, not reachable."""


@dataclass(frozen=True, kw_only=True)
class Stored:
    """One object: its size in bytes, and a text that changes whenever its content does."""

    size: int
    tag: str


def is_url(text: str) -> bool:
    """Return whether a path is one of object storage; raise :class:`StoreError` for a URL with a slash too few."""
    scheme, _, rest = text.partition(":/")
    if scheme in _SCHEMES and not rest.startswith("/"):
        raise StoreError(f"{text}: is no URL of object storage; write {scheme}://{rest}")
    return "://" in text


class ObjectStore:
    """Everything below one URL, by names relative to it. Every fault is a :class:`StoreError`."""

    def __init__(self, url: str) -> None:
        self.url = _checked(url)
        self._fs, root = self._try(
            "cannot be used", lambda: fsspec.url_to_fs(self.url, use_listings_cache=False)
        )
        self._root = str(root).rstrip("/")

    def find(self, below: str = "") -> dict[str, Stored]:
        """Return every object below a name, or the one of that very name."""
        place = self._place(below)
        found: dict[str, dict[str, Any]] = self._try(
            "cannot be listed", lambda: self._fs.find(place, detail=True)
        )
        return {self._name(path): _stored(info) for path, info in sorted(found.items())}

    def info(self, name: str) -> Stored:
        """Return what is known of one object."""
        return _stored(self._try(f"{name} cannot be read", lambda: self._fs.info(self._place(name))))

    def read(self, name: str) -> bytes:
        """Return an object's bytes."""
        content: bytes = self._try(f"{name} cannot be read", lambda: self._fs.cat_file(self._place(name)))
        return content

    def write(self, name: str, content: bytes) -> None:
        """Put an object's bytes, whole or not at all."""
        self._try(f"{name} cannot be written", lambda: self._fs.pipe_file(self._place(name), content))

    def get(self, name: str, path: Path) -> None:
        """Fetch an object into a local file, whole or not at all."""
        partial = path.with_name(f".{path.name}.part")
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._try(f"{name} cannot be read", lambda: self._fs.get_file(self._place(name), str(partial)))
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)

    def put(self, path: Path, name: str) -> None:
        """Put a local file under a name."""
        self._try(f"{name} cannot be written", lambda: self._fs.put_file(str(path), self._place(name)))

    def delete(self, name: str) -> None:
        """Remove an object."""
        self._try(f"{name} cannot be removed", lambda: self._fs.rm_file(self._place(name)))

    def _place(self, name: str) -> str:
        return f"{self._root}/{name}" if name else self._root

    def _name(self, path: str) -> str:
        return path.removeprefix(self._root).lstrip("/")

    def _try(self, what: str, act: Callable[[], Result]) -> Result:
        try:
            return act()
        except Exception as error:  # each store's client has errors of its own; others are bugs and raised
            if not _is_of_store(error):
                raise
            raise StoreError(
                f"object storage {self.url}: {what} ({_words(error)}){_way_out(error, self.url)}"
            ) from error


def _checked(url: str) -> str:
    parts = urlsplit(url)
    if parts.password is not None or "@" in parts.netloc:
        raise StoreError(
            f"object storage {parts.scheme}://...: holds a key; leave it out and set it in the environment"
        )
    if not parts.netloc and parts.scheme not in ("file", "memory"):
        raise StoreError(f"object storage {url}: names no bucket; give for example s3://bucket/prefix")
    return url.rstrip("/")


def _stored(info: dict[str, Any]) -> Stored:
    tag = next((str(info[name]) for name in _TAGS if info.get(name) is not None), "")
    return Stored(size=int(info.get("size") or 0), tag=f"{info.get('size')} {tag}")


def _is_of_store(error: Exception) -> bool:
    package = type(error).__module__.partition(".")[0]
    is_unknown_scheme = isinstance(error, ValueError) and "Protocol not known" in str(error)
    return isinstance(error, OSError | ImportError) or package in _STORE_PACKAGES or is_unknown_scheme


def _words(error: Exception) -> str:
    return one_line(str(error) or type(error).__name__)


def _way_out(error: Exception, url: str) -> str:
    scheme = url.partition("://")[0]
    return (
        f"; {_EXTRAS.get(scheme, 'install the fsspec client of ' + scheme)}"
        if isinstance(error, ImportError)
        else ""
    )
