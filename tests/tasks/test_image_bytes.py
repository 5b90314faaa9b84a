import io
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw

from tasks.image_bytes import MAX_BYTES, ImageError, check_image, sendable, verify_image


def encoded(image: Image.Image, file_format: str = "PNG", **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, format=file_format, **options)
    return buffer.getvalue()


def decoded(content: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(content))
    image.load()
    return image


def black_on_clear(mode: str) -> Image.Image:
    """A black shape on a transparent ground that is black underneath."""
    image = Image.new("RGBA", (60, 20), (0, 0, 0, 0))
    ImageDraw.Draw(image).rectangle((2, 2, 20, 9), fill=(0, 0, 0, 255))
    if mode == "P":
        palette = Image.new("P", image.size, 0)
        palette.putpalette([0, 0, 0, 0, 0, 0])
        palette.paste(1, mask=image.getchannel("A").point(lambda alpha: 255 if alpha else 0))
        return palette
    return image.convert(mode)


@pytest.mark.parametrize(
    ("image", "file_format", "mime"),
    [
        pytest.param(Image.new("RGB", (9, 9), "red"), "PNG", "image/png", id="RGB PNG"),
        pytest.param(Image.new("L", (9, 9), 100), "PNG", "image/png", id="grey PNG"),
        pytest.param(Image.new("1", (9, 9), 1), "PNG", "image/png", id="black and white PNG"),
        pytest.param(Image.new("P", (9, 9), 1), "PNG", "image/png", id="palette PNG"),
        pytest.param(
            Image.new("RGBA", (9, 9), (9, 9, 9, 255)), "PNG", "image/png", id="alpha that is opaque"
        ),
        pytest.param(Image.new("RGB", (9, 9), "red"), "JPEG", "image/jpeg", id="JPEG"),
        pytest.param(Image.new("L", (9, 9), 50), "JPEG", "image/jpeg", id="grey JPEG"),
        pytest.param(Image.new("RGB", (9, 9), "red"), "WEBP", "image/webp", id="WebP"),
        pytest.param(Image.new("P", (9, 9), 0), "GIF", "image/gif", id="GIF"),
    ],
)
def test_what_servers_read_alike_is_sent_as_its_own_bytes(
    image: Image.Image, file_format: str, mime: str
) -> None:
    content = encoded(image, file_format)
    sent = sendable(content)
    assert (sent.content, sent.mime_type) == (content, mime)


@pytest.mark.parametrize(
    ("mode", "options"),
    [("RGBA", {}), ("LA", {}), ("P", {"transparency": 0})],
    ids=["RGBA", "grey with alpha", "palette with a transparent colour"],
)
def test_what_is_clear_becomes_white(mode: str, options: dict[str, Any]) -> None:
    sent = decoded(sendable(encoded(black_on_clear(mode), **options)).content)
    assert sent.mode == "RGB"
    assert sent.convert("L").getextrema() == (0, 255)
    assert sent.getpixel((59, 19)) == (255, 255, 255)


def test_half_clear_pixels_are_mixed_with_white() -> None:
    sent = decoded(sendable(encoded(Image.new("RGBA", (2, 2), (0, 0, 0, 128)))).content)
    assert sent.getpixel((0, 0)) == (127, 127, 127)


@pytest.mark.parametrize(
    ("image", "file_format"),
    [
        pytest.param(Image.new("RGB", (9, 9), (10, 200, 30)), "BMP", id="BMP"),
        pytest.param(Image.new("RGB", (9, 9), (10, 200, 30)), "TIFF", id="TIFF"),
        pytest.param(Image.new("RGB", (9, 9), (10, 200, 30)), "PPM", id="PPM"),
    ],
)
def test_other_formats_become_png_without_loss(image: Image.Image, file_format: str) -> None:
    sent = sendable(encoded(image, file_format))
    assert sent.mime_type == "image/png"
    assert decoded(sent.content).tobytes() == image.tobytes()


def test_cmyk_becomes_rgb() -> None:
    sent = decoded(sendable(encoded(Image.new("CMYK", (9, 9), (0, 0, 0, 0)), "JPEG")).content)
    assert (sent.mode, sent.getpixel((0, 0))) == ("RGB", (255, 255, 255))


def test_sixteen_bits_are_scaled_and_not_clipped() -> None:
    pixels = np.array([[0, 32_768, 65_535]], dtype=np.uint16)
    sent = decoded(sendable(encoded(Image.fromarray(pixels))).content)
    assert [sent.getpixel((x, 0))[0] for x in range(3)] == [0, 127, 255]  # type: ignore[index]


def test_an_animation_is_its_first_frame() -> None:
    frames = [Image.new("RGB", (9, 9), colour) for colour in ("red", "blue")]
    sent = sendable(encoded(frames[0], "GIF", save_all=True, append_images=frames[1:]))
    assert sent.mime_type == "image/png"
    assert decoded(sent.content).getpixel((0, 0)) == (255, 0, 0)  # type: ignore[comparison-overlap]


def test_pixels_are_scaled_only_where_asked() -> None:
    content = encoded(Image.new("RGB", (200, 100), "red"))
    assert sendable(content).content == content
    assert sendable(content, max_pixels=20_000).content == content
    small = decoded(sendable(content, max_pixels=5_000).content)
    assert small.size == (100, 50)


@pytest.mark.parametrize(
    "content",
    [b"", b"not an image", encoded(Image.new("RGB", (9, 9)))[:20]],
    ids=["empty", "text", "header only"],
)
def test_what_is_no_image_is_refused(content: bytes) -> None:
    for read in (check_image, sendable, verify_image):
        with pytest.raises(ImageError):
            read(content)


def test_an_image_cut_in_the_middle_is_found_by_decoding_it() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (50, 50, 3), dtype=np.uint8)
    content = encoded(Image.fromarray(noise))[:-2000]
    check_image(content)
    with pytest.raises(ImageError, match="cannot be decoded"):
        verify_image(content)


def test_limits_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ImageError, match="67,108,865 bytes; at most 67,108,864"):
        check_image(bytes(MAX_BYTES + 1))
    monkeypatch.setattr("tasks.image_bytes.MAX_PIXELS", 50)
    with pytest.raises(ImageError, match="9 x 9 pixels; at most 50"):
        check_image(encoded(Image.new("RGB", (9, 9))))
