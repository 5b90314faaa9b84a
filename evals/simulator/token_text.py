"""The simulated tokenizer: special tokens whole, words and digits as the simulator splits them, stable ids."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from evals.simulator.token_model import VOCABULARY
from evals.simulator.tokens import split_tokens

_SPECIAL = re.compile(r"(</?think>|<\|[a-z_]+\|>)")
_DIGITS = re.compile(r"\s*\d|\D+")


class TokenText:
    """Text to ids and back; an id is the digest of its text, so that every server agrees on it."""

    def __init__(self, tokenizer: str) -> None:
        self._splits_digits = tokenizer == "digits"
        self._texts: dict[int, str] = {}

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text."""
        return [self._id(piece) for piece in self._pieces(text)]

    def piece(self, token_id: int) -> str:
        """Return the text of a token; an id that no text had is a word of its own."""
        return self._texts.get(token_id, f" t{token_id}")

    def _pieces(self, text: str) -> list[str]:
        pieces: list[str] = []
        for place, part in enumerate(_SPECIAL.split(text)):
            if place % 2:
                pieces.append(part)
            elif part:
                words = split_tokens(part)
                pieces += (
                    [one for word in words for one in _DIGITS.findall(word)] if self._splits_digits else words
                )
        return pieces

    def _id(self, piece: str) -> int:
        found = int.from_bytes(hashlib.sha256(piece.encode()).digest()[:8], "big") % VOCABULARY
        self._texts[found] = piece
        return found


def render_chat(messages: Sequence[Mapping[str, Any]], *, thinks: bool) -> str:
    """Return the prompt for messages by the simulated chat template, up to where the answer begins."""
    turns = "".join(f"<|im_{message['role']}|>{_content(message)}<|im_end|>" for message in messages)
    return f"{turns}<|im_assistant|>{'<think>' if thinks else '<think></think>'}"


def _content(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    return str(content or "")
