"""What the simulator calls a token: a word, up to three digits or one sign, with the space before it."""

import re

_TOKEN = re.compile(r"\s*(?:\d{1,3}|[^\W\d]+|[^\w\s])|\s+\Z")


def split_tokens(text: str) -> list[str]:
    """Return the tokens of ``text``; joined together they are ``text`` again."""
    return _TOKEN.findall(text)


def count_tokens(text: str) -> int:
    """Return the number of tokens of ``text``."""
    return sum(1 for _ in _TOKEN.finditer(text))
