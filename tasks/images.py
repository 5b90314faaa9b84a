"""Keep images out of memory and out of logs: tasks hold references, a request gets the bytes when it is sent.

A reference is ``quantcheck-image:`` and the SHA-256 of the image file, with ``?max_pixels=N`` where it is to
be scaled down: it says all that decides what is sent, so that one store serves every task of a process.
"""

import base64
import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tasks.cache import cache_directory
from tasks.image_bytes import ImageError, SentImage, check_image, sendable, verify_image

SCHEME = "quantcheck-image:"
_SCALED = "?max_pixels="


@dataclass(frozen=True, kw_only=True)
class Extent:
    """Where in the spill file the bytes of an image lie."""

    start: int
    n_bytes: int


class ImageStore:
    """Image files by digest: those of datasets in one spill file on disk, those of users where they lie.

    The spill file has no name, so that nothing is left behind, however the process ends. Loading is safe
    from several threads at once.
    """

    def __init__(self) -> None:
        self._places: dict[str, Extent | Path] = {}
        self._spill: IO[bytes] | None = None
        self._n_spilled = 0

    def keep(self, content: bytes, *, file: Path | None = None, max_pixels: int | None = None) -> str:
        """Check an image and return its reference; its bytes are read again from ``file`` where given.

        Raises :class:`ImageError` for what is no image, is beyond the limits, or does not fit on the disk.
        """
        digest = hashlib.sha256(content).hexdigest()
        if digest not in self._places:
            check_image(content)
            self._places[digest] = file if file is not None else self._append(content)
        return f"{SCHEME}{digest}" + (f"{_SCALED}{max_pixels}" if max_pixels is not None else "")

    def sent(self, reference: str) -> SentImage:
        """Return what to send for a reference; raise :class:`ImageError` where it cannot be had any more."""
        digest, _, limit = reference.removeprefix(SCHEME).partition(_SCALED)
        if not reference.startswith(SCHEME) or digest not in self._places:
            raise ImageError(f"image {reference!r}: not kept by this process; load its dataset first")
        return sendable(self._read(digest), max_pixels=int(limit) if limit else None)

    def verify(self, reference: str) -> None:
        """Decode a kept image in full; raise :class:`ImageError` where its data is damaged."""
        verify_image(self._read(reference.removeprefix(SCHEME).partition(_SCALED)[0]))

    def close(self) -> None:
        """Give the disk space back; references into the spill file are void from now on."""
        if self._spill is not None:
            self._spill.close()
            self._spill = None

    def _append(self, content: bytes) -> Extent:
        try:
            if self._spill is None:
                self._spill = _open_spill()
            self._spill.write(content)
            self._spill.flush()
        except OSError as error:
            raise ImageError(
                f"cannot be kept in {str(cache_directory())!r} ({error.strerror}); "
                "set QUANTCHECK_CACHE to a disk with room"
            ) from error
        extent = Extent(start=self._n_spilled, n_bytes=len(content))
        self._n_spilled += len(content)
        return extent

    def _read(self, digest: str) -> bytes:
        place = self._places[digest]
        if isinstance(place, Extent):
            if self._spill is None:
                raise ImageError("the spill file is closed")
            return os.pread(self._spill.fileno(), place.n_bytes, place.start)
        try:
            content = place.read_bytes()
        except OSError as error:
            raise ImageError(f"image {str(place)!r}: cannot be read any more ({error.strerror})") from error
        if hashlib.sha256(content).hexdigest() != digest:
            raise ImageError(f"image {str(place)!r}: has changed since it was loaded; start the run again")
        return content


def _open_spill() -> IO[bytes]:
    """Return a new file without a name in the cache directory, or in the system's where that is not writable."""
    folder = cache_directory()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return tempfile.TemporaryFile(dir=folder)
    except OSError:
        return tempfile.TemporaryFile()


STORE = ImageStore()  # one a process: digests cannot disagree, and tasks that share images share them here


def load_image(reference: str) -> str:
    """Return the data URI to send for a reference of :data:`STORE`; raise :class:`ImageError`."""
    image = STORE.sent(reference)
    return f"data:{image.mime_type};base64,{base64.b64encode(image.content).decode('ascii')}"
