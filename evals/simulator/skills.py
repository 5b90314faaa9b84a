"""The little that the simulator can do without an answer book: arithmetic, counting, repeating, colours."""

import re
from collections.abc import Callable

import numpy as np

from evals.simulator.filler import prose_tokens
from evals.simulator.messages import Conversation

_ARITHMETIC = re.compile(
    r"(-?\d{1,9})\s*(\+|-|\u2212|\*|x|X|\u00d7|\\times|times|plus|minus|multiplied by)\s*(-?\d{1,9})"
)
_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "+": int.__add__,
    "plus": int.__add__,
    "-": int.__sub__,
    "\u2212": int.__sub__,
    "minus": int.__sub__,
}
_COUNT = re.compile(
    r"\bcount(?:ing)?\b.*?\bfrom\s+(\d{1,5})\s+(?:up\s+)?to\s+(\d{1,5})", re.IGNORECASE | re.DOTALL
)
_REPEAT = re.compile(
    r"\b(?:say|repeat|reply|respond|answer|write|output|print)\b[^\"'`\u201c]{0,60}[\"'`\u201c]([^\"'`\u201d]+)",
    re.IGNORECASE,
)
_COLOUR = re.compile(r"\bcolou?rs?\b", re.IGNORECASE)
_COLOURS = {
    "red": (220, 20, 20),
    "green": (20, 160, 20),
    "blue": (20, 20, 220),
    "yellow": (240, 230, 20),
    "orange": (250, 150, 20),
    "purple": (130, 20, 150),
    "white": (255, 255, 255),
    "gray": (128, 128, 128),
    "black": (0, 0, 0),
}


def _arithmetic(text: str) -> str | None:
    found = _ARITHMETIC.search(text)
    if found is None:
        return None
    left, sign, right = found.groups()
    result = _OPERATIONS.get(sign, int.__mul__)(int(left), int(right))
    return f"{left} {sign} {right} = {result}, so the result is \\boxed{{{result}}}."


def _count(text: str) -> str | None:
    found = _COUNT.search(text)
    if found is None:
        return None
    first, last = int(found[1]), int(found[2])
    return ", ".join(map(str, range(first, last + 1)))


def _repeat(text: str) -> str | None:
    found = _REPEAT.search(text)
    return found[1] if found else None


def asked_colour(conversation: Conversation) -> str | None:
    """Return the colour of the last image where the last user message asks for one."""
    if not conversation.images or not _COLOUR.search(conversation.user_text):
        return None
    seen = conversation.images[-1].mean_rgb
    return min(
        _COLOURS, key=lambda name: sum((a - b) ** 2 for a, b in zip(_COLOURS[name], seen, strict=True))
    )


def _colour(conversation: Conversation) -> str | None:
    name = asked_colour(conversation)
    return f"The image is {name}." if name else None


def skilled_text(conversation: Conversation) -> str | None:
    """Return the text that does what the last user message asks, ``None`` where no skill fits."""
    text = conversation.user_text
    return _colour(conversation) or _repeat(text) or _count(text) or _arithmetic(text)


def generic_text(rng: np.random.Generator) -> str:
    """Return a reply to a prompt that nothing is known about; says so, and differs from draw to draw."""
    prose = "".join(prose_tokens(rng, 30))
    return f"This endpoint is simulated and knows nothing about that. {prose}"
