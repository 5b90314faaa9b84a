r"""Find ``\boxed{...}`` in a LaTeX text, with balanced braces."""

import re
from dataclasses import dataclass

_BOX = re.compile(r"\\(?:boxed|fbox)(?![a-zA-Z])\s*")
_BARE_ARGUMENT = re.compile(r"[+-]?\w+(?:[.,]\w+)*")
_MAX_NESTING = 8  # boxes inside boxes; deeper ones stay as they are
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Box:
    """One box: ``content`` as written, stripped, from ``text[start:end]``; ``None`` where it never closes."""

    content: str | None
    start: int
    end: int


def find_boxes(text: str) -> list[Box]:
    r"""Return the outermost boxes, ``\boxed`` and ``\fbox``, in order; also ``\boxed 7``. Linear time."""
    closers = _matching_braces(text)
    boxes: list[Box] = []
    for macro in _BOX.finditer(text):
        start, body = macro.span()
        if boxes and start < boxes[-1].end:  # inside the box before
            continue
        if text[body : body + 1] != "{":
            bare = _BARE_ARGUMENT.match(text, body)
            if bare:
                boxes.append(Box(content=bare.group(), start=start, end=bare.end()))
        elif body in closers:
            end = closers[body]
            boxes.append(Box(content=text[body + 1 : end].strip(), start=start, end=end + 1))
        else:
            boxes.append(Box(content=None, start=start, end=body + 1))
    return boxes


def last_boxed(text: str) -> str | None:
    r"""Return what the last box holds, stripped; ``None`` where there is no box or the last never closes.

    The outermost box counts, so that ``\boxed{\boxed{7} + 1}`` gives ``\boxed{7} + 1``. Empty boxes say
    nothing and are passed over: models write ``\boxed{}`` when they speak of the format. An unclosed last
    box hides earlier ones, because the text had moved on from them.

    >>> last_boxed(r"\boxed{6}, no: \boxed{\frac{1}{2}}")
    '\\frac{1}{2}'
    """
    contents = [box.content for box in find_boxes(text) if box.content != ""]
    return contents[-1] if contents else None


def open_boxes(text: str, opener: str, closer: str) -> str:
    """Return ``text`` with every closed box replaced by its content between ``opener`` and ``closer``."""
    for _ in range(_MAX_NESTING):  # outermost first
        pieces, position = [], 0
        for box in find_boxes(text):
            if box.content is not None:
                pieces += [text[position : box.start], opener, box.content, closer]
                position = box.end
        if not pieces:
            break
        text = "".join(pieces) + text[position:]
    return text


def _matching_braces(text: str) -> dict[int, int]:
    """Map the index of every matched ``{`` to the index of its ``}``; escaped braces are no braces."""
    closers: dict[int, int] = {}
    open_braces: list[int] = []
    for token in _BRACE.finditer(text):
        if token.group() == "{":
            open_braces.append(token.start())
        elif token.group() == "}" and open_braces:
            closers[open_braces.pop()] = token.start()
    return closers
