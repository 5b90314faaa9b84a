"""What is sent for an image: its own bytes wherever every server reads them alike, else a lossless PNG."""

import io
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from PIL import Image, UnidentifiedImageError

MAX_BYTES = 64 * 1024 * 1024
MAX_PIXELS = 89_000_000  # just below where Pillow warns of a decompression bomb

# Formats that OpenAI-compatible servers take, and the pixel modes of them that mean the same everywhere.
MIME_TYPES: Mapping[str, str] = {
    "PNG": "image/png",
    "JPEG": "image/jpeg",
    "WEBP": "image/webp",
    "GIF": "image/gif",
}
PLAIN_MODES = frozenset({"1", "L", "P", "RGB"})
ALPHA_MODES = frozenset({"RGBA", "LA", "PA", "RGBa", "La"})

# What Pillow raises on bytes that are no image, on half an image and on one too large to decode.
NOT_AN_IMAGE = (UnidentifiedImageError, OSError, SyntaxError, ValueError, Image.DecompressionBombError)


class ImageError(ValueError):
    """An image that cannot be sent: says why."""


@dataclass(frozen=True, kw_only=True)
class SentImage:
    """The bytes of an image as they go over the wire."""

    mime_type: str
    content: bytes


def check_image(content: bytes) -> None:
    """Raise :class:`ImageError` for bytes that are no image or beyond the limits; the pixels stay undecoded."""
    if len(content) > MAX_BYTES:
        raise ImageError(f"{len(content):,} bytes; at most {MAX_BYTES:,} are sent: make the image smaller")
    with _open(content) as image:
        n_pixels = image.width * image.height
        if n_pixels > MAX_PIXELS:
            raise ImageError(
                f"{image.width} x {image.height} pixels; at most {MAX_PIXELS:,} are sent: make the image smaller"
            )


def verify_image(content: bytes) -> None:
    """Raise :class:`ImageError` where the pixels of an image cannot be decoded to the end."""
    with _open(content) as image:
        try:
            image.load()
        except NOT_AN_IMAGE as error:
            raise ImageError(f"cannot be decoded ({error}); restore the file") from error


def sendable(content: bytes, *, max_pixels: int | None = None) -> SentImage:
    """Return what to send for an image file.

    Its own bytes where the format is taken by servers, the pixels are 8-bit grey, palette or RGB, and
    nothing is transparent; else a PNG of the same pixels: alpha composed on white (dropping it would turn
    black text on a clear ground into black on black), CMYK and other spaces as RGB, deeper pixels as 8-bit,
    the first frame of an animation. More pixels than ``max_pixels`` are scaled down to it.
    Raises :class:`ImageError`.
    """
    with _open(content) as image:
        is_small = max_pixels is None or image.width * image.height <= max_pixels
        try:
            if is_small and _is_plain(image):
                return SentImage(mime_type=MIME_TYPES[image.format or ""], content=content)
            picture = _as_rgb(image)
        except NOT_AN_IMAGE as error:
            raise ImageError(f"cannot be decoded ({error}); restore the file") from error
    if max_pixels is not None and not is_small:
        picture = _scaled(picture, max_pixels)
    buffer = io.BytesIO()
    picture.save(buffer, format="PNG", compress_level=1)
    return SentImage(mime_type="image/png", content=buffer.getvalue())


def _open(content: bytes) -> Image.Image:
    try:
        return Image.open(io.BytesIO(content))
    except NOT_AN_IMAGE as error:
        raise ImageError(
            f"{len(content):,} bytes beginning {content[:8]!r} are not an image that can be read; restore the file"
        ) from error


def _is_plain(image: Image.Image) -> bool:
    if image.format not in MIME_TYPES or getattr(image, "is_animated", False):
        return False
    if image.mode in ALPHA_MODES or "transparency" in image.info:
        return _is_opaque(image)
    return image.mode in PLAIN_MODES


def _is_opaque(image: Image.Image) -> bool:
    lowest, _ = image.convert("RGBA").getchannel("A").getextrema()
    return lowest == 255


def _as_rgb(image: Image.Image) -> Image.Image:
    if image.mode in ALPHA_MODES or "transparency" in image.info:
        layer = image.convert("RGBA")
        ground = Image.new("RGBA", layer.size, "white")
        return Image.alpha_composite(ground, layer).convert("RGB")
    if image.mode.startswith("I") or image.mode == "F":
        return _eight_bit(image)
    return image.convert("RGB")


def _eight_bit(image: Image.Image) -> Image.Image:
    """Return deep grey pixels scaled to 8 bits; Pillow's own conversion clips all above 255 to white."""
    pixels = np.asarray(image).astype(np.float64)
    highest = float(pixels.max(initial=0.0))
    scale = 1.0 if highest <= 255 else 255 / (65_535 if highest <= 65_535 else highest)
    return Image.fromarray(np.clip(pixels * scale, 0, 255).astype(np.uint8)).convert("RGB")


def _scaled(image: Image.Image, max_pixels: int) -> Image.Image:
    factor = (max_pixels / (image.width * image.height)) ** 0.5
    size = (max(1, int(image.width * factor)), max(1, int(image.height * factor)))
    return image.resize(size, Image.Resampling.LANCZOS)
