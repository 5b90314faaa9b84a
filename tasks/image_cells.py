"""From what a dataset row holds of an image (bytes, a path, a data URI, base64) to a kept image."""

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tasks.image_bytes import ImageError
from tasks.images import STORE
from tasks.rows import DataError

_DATA_URI = re.compile(r"data:[\w/+.-]*;base64,")
_MIN_BASE64 = 256  # characters; paths are shorter, images longer


def keep_image(value: Any, where: str, *, folders: Sequence[Path] = (), max_pixels: int | None = None) -> str:
    """Return the reference of the image in a cell, which ``where`` names in errors.

    ``value`` is bytes, a path inside one of ``folders``, a data URI, base64 text, or the hub's mapping of
    ``bytes`` and ``path``. Raises :class:`DataError` for anything that is no image.
    """
    if isinstance(value, Mapping):
        value = value.get("bytes") or value.get("path")
    try:
        if isinstance(value, bytes | bytearray | memoryview):
            return STORE.keep(bytes(value), max_pixels=max_pixels)
        if isinstance(value, str) and value.strip():
            return _keep_text(value.strip(), folders, max_pixels)
    except (ImageError, binascii.Error, OSError) as error:
        raise DataError(f"{where}: {error}") from error
    raise DataError(f"{where}: no image, found {type(value).__name__}; check that the copy has its images")


def _keep_text(text: str, folders: Sequence[Path], max_pixels: int | None) -> str:
    head = _DATA_URI.match(text)
    if head is not None:
        return STORE.keep(base64.b64decode(text[head.end() :], validate=True), max_pixels=max_pixels)
    if len(text) >= _MIN_BASE64 and "." not in text:
        return STORE.keep(base64.b64decode("".join(text.split()), validate=True), max_pixels=max_pixels)
    file = _find(text, folders)
    return STORE.keep(file.read_bytes(), file=file, max_pixels=max_pixels)


def _find(name: str, folders: Sequence[Path]) -> Path:
    """Return the file called ``name`` inside one of the folders; files elsewhere are never read nor sent."""
    for folder in folders:
        root = folder.resolve()
        file = (root / name).resolve()
        if file.is_relative_to(root) and file.is_file():
            return file
    looked = ", ".join(repr(str(folder)) for folder in folders) or "no folder"
    raise ImageError(
        f"image file {name!r} is not inside {looked}; give the folder that holds it with --image-root"
    )
