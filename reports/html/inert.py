"""Make any text safe to show: what would hide, reorder or break a page is made visible instead."""

import re

MAX_LENGTH = 400  # of one text on a page
# Controls but for tab and line ends, soft hyphen, zero-width and direction marks and overrides, byte-order
# mark, lone surrogates (which no file can hold) and the characters that end a line in JavaScript.
_UNSEEN = re.compile(
    "[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


def inert(text: str, length: int = MAX_LENGTH) -> str:
    """Return the text with unseen characters named (``⟨U+202E⟩``), and cut where it is longer.

    It is still to be escaped for the place where it goes: this is about characters, not about markup.
    """
    shown = _UNSEEN.sub(_named, text[: length + 1])
    if len(text) <= length:
        return shown
    return f"{shown[:length]}… ({len(text):,} characters)"


def _named(found: re.Match[str]) -> str:
    return f"⟨U+{ord(found[0]):04X}⟩"
