r"""Find the last ``\boxed{...}`` of a LaTeX text, with balanced braces."""

import re

_BOX = re.compile(r"\\(?:boxed|fbox)(?![a-zA-Z])\s*")
_BARE_ARGUMENT = re.compile(r"[+-]?\w+(?:[.,]\w+)*")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)


def last_boxed(text: str) -> str | None:
    r"""Return what the last box holds, stripped; ``None`` where there is no box or the last is unclosed.

    Boxes are ``\boxed`` and ``\fbox``, with braces or as ``\boxed 7``. The outermost box counts, so that
    ``\boxed{\boxed{7} + 1}`` gives ``\boxed{7} + 1``. Empty boxes say nothing and are passed over: models
    write ``\boxed{}`` when they speak of the format. An unclosed last box hides earlier ones, because the
    text had moved on from them. Runs in linear time.
    """
    closers = _matching_braces(text)
    answer: str | None = None
    end = 0
    for box in _BOX.finditer(text):
        if box.start() < end:  # inside the box before
            continue
        start = box.end()
        if text[start : start + 1] != "{":
            bare = _BARE_ARGUMENT.match(text, start)
            answer = bare.group() if bare else answer
        elif start in closers:
            end = closers[start]
            answer = text[start + 1 : end].strip() or answer
        else:
            answer = None
    return answer


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
