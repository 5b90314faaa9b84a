"""Read the messages of a request: the text asked, the images sent, how many tokens that is."""

import base64
import binascii
import hashlib
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from PIL import Image, UnidentifiedImageError

from evals.simulator.answers import PromptKey, messages_digest, prompt_digest
from evals.simulator.refusals import RefusedError, bad_value
from evals.simulator.tokens import count_tokens

_ROLES = ("system", "developer", "user", "assistant", "tool")
_TOKENS_PER_MESSAGE = 4  # role and message marks of the chat template
_PIXELS_PER_TOKEN_SIDE = 28
# What Pillow raises on bytes that are no image, on half an image and on one too large to decode.
_NOT_AN_IMAGE = (
    binascii.Error,
    UnidentifiedImageError,
    OSError,
    SyntaxError,
    ValueError,
    Image.DecompressionBombError,
)


@dataclass(frozen=True, kw_only=True)
class SentImage:
    """One image of a request, decoded in full: its bytes are an image."""

    sha256: str
    width: int
    height: int
    mean_rgb: tuple[int, int, int]

    @property
    def n_tokens(self) -> int:
        """One token for every started square of 28 pixels."""
        return -(-self.width // _PIXELS_PER_TOKEN_SIDE) * -(-self.height // _PIXELS_PER_TOKEN_SIDE)


@dataclass(frozen=True, kw_only=True)
class Conversation:
    """The messages of one request.

    ``tool_results`` are those after the last user message; ``n_calls`` counts every earlier tool call.
    """

    user_text: str
    images: tuple[SentImage, ...]
    tool_results: tuple[str, ...]
    n_calls: int
    key: PromptKey
    n_tokens: int


def _decode_image(url: Any) -> SentImage:
    if not isinstance(url, str) or not url.startswith("data:"):
        raise RefusedError(
            400, f"image_url {str(url)[:60]!r} cannot be fetched here; send a data: URL", param="url"
        )
    head, _, payload = url.partition(",")
    try:
        content = base64.b64decode(payload, validate=True) if head.endswith(";base64") else b""
        image = Image.open(io.BytesIO(content))
        pixel = image.convert("RGB").resize((1, 1), Image.Resampling.BOX).getpixel((0, 0))
    except _NOT_AN_IMAGE as error:
        raise RefusedError(400, f"Failed to load image: {error}", param="image_url") from error
    red, green, blue = (int(channel) for channel in pixel) if isinstance(pixel, tuple) else (0, 0, 0)
    return SentImage(
        sha256=hashlib.sha256(content).hexdigest(),
        width=image.width,
        height=image.height,
        mean_rgb=(red, green, blue),
    )


def _parts(message: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    content = message.get("content")
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    elif isinstance(content, list):
        for part in content:
            if not isinstance(part, dict) or part.get("type") not in ("text", "image_url"):
                raise bad_value("Unknown part of message content.", "messages", str(part)[:80])
            yield part
    elif content is not None:
        raise bad_value("Message content must be a text or a list of parts.", "messages", str(content)[:80])


def _text(message: Mapping[str, Any]) -> str:
    return "\n".join(str(part.get("text", "")) for part in _parts(message) if part["type"] == "text")


def _images(message: Mapping[str, Any]) -> Iterator[SentImage]:
    for part in _parts(message):
        if part["type"] == "image_url":
            source = part.get("image_url")
            yield _decode_image(source.get("url") if isinstance(source, dict) else source)


def _check(messages: Any) -> list[dict[str, Any]]:
    if not isinstance(messages, list) or not messages:
        raise bad_value("messages must be a list with at least one message.", "messages", messages)
    for message in messages:
        if not isinstance(message, dict) or message.get("role") not in _ROLES:
            raise bad_value(f"Each message has a role of {', '.join(_ROLES)}.", "messages", str(message)[:80])
    return messages


def read_conversation(messages: Any) -> Conversation:
    """Read ``messages``; raise :class:`RefusedError` where they are malformed or an image is not one."""
    checked = _check(messages)
    last_user = max((place for place, message in enumerate(checked) if message["role"] == "user"), default=-1)
    user_text = _text(checked[last_user]) if last_user >= 0 else ""
    images = tuple(image for message in checked for image in _images(message))
    text_tokens = sum(count_tokens(_text(message)) + _TOKENS_PER_MESSAGE for message in checked)
    return Conversation(
        user_text=user_text,
        images=images,
        tool_results=tuple(
            _text(message) for message in checked[last_user + 1 :] if message["role"] == "tool"
        ),
        n_calls=sum(len(message.get("tool_calls") or ()) for message in checked),
        key=PromptKey(
            text_digest=prompt_digest(user_text),
            image_sha256=tuple(image.sha256 for image in images),
            messages_sha256=messages_digest(messages),
        ),
        n_tokens=text_tokens + sum(image.n_tokens for image in images),
    )
