"""Tell the text meant for the reader from thinking text that leaked into the content."""

import re
from dataclasses import dataclass

# Openers and closers as checkpoints write them when the server has no reasoning parser: <think> (Kimi K2,
# Qwen, DeepSeek), <thinking> and <thought>, prefixed ones such as <seed:think>, Kimi's older triangles,
# Magistral's brackets, Cohere's tokens, the
# channels of gpt-oss.
_TAG = re.compile(
    r"<(?P<close>/?)\s*(?:[a-z]+[:_])?(?:think|thinking|thought)\s*>"
    r"|◁(?P<kimi>/?)think▷"
    r"|\[(?P<bracket>/?)(?-i:THINK)\]"
    r"|<\|(?:START|(?P<cohere>END))_THINKING\|>"
    r"|<\|channel\|>(?:analysis|commentary|(?P<harmony>final))<\|message\|>",
    re.IGNORECASE,
)
# End-of-turn tokens that a server failed to strip say nothing to the reader.
_END_TOKENS = re.compile(r"(?:\s*<(?:\|[A-Za-z_]{2,40}\||/s)>)+\s*\Z")
_INVISIBLE = "\u200b\u2060\ufeff"


@dataclass(frozen=True, kw_only=True)
class Thinking:
    """Content split in two. ``visible`` alone may earn credit; ``flags`` is ``think_in_content`` or empty."""

    visible: str
    thinking: str
    flags: tuple[str, ...] = ()


def split_thinking(content: str | None) -> Thinking:
    """Split ``content`` at its thinking tags.

    Visible is what follows the last closer, whether or not an opener precedes it (templates often put the
    opener in the prompt) and however tags are nested; text before a thinking block is not visible, since
    what counts is said after the thinking. An opener that is never closed leaves nothing visible. A tag
    put between backticks is a mention of the tag, not a tag. Code fences do not protect: a fence opened
    inside thinking would otherwise hide the closer.

    >>> split_thinking("<think>6? no</think>7").visible
    '7'
    """
    text = content or ""
    tags = [match for match in _TAG.finditer(text) if not _is_mention(text, match)]
    if not tags:
        return Thinking(visible=_without_end_tokens(text), thinking="")
    last = tags[-1]
    if not any(last.groupdict().values()):  # an opener is last: still thinking at the end
        return Thinking(visible="", thinking=text, flags=("think_in_content",))
    visible = _without_end_tokens(text[last.end() :])
    return Thinking(visible=visible, thinking=text[: last.start()], flags=("think_in_content",))


def is_blank(text: str | None) -> bool:
    """Whether ``text`` shows nothing: absent, whitespace or zero-width characters only."""
    return not (text or "").translate(dict.fromkeys(map(ord, _INVISIBLE))).strip()


def _is_mention(text: str, tag: re.Match[str]) -> bool:
    return text[tag.start() - 1 : tag.start()] == "`" and text[tag.end() : tag.end() + 1] == "`"


def _without_end_tokens(text: str) -> str:
    tail_start = max(0, len(text) - 400)  # bounded: the pattern is tried at every blank of what it is given
    tail = _END_TOKENS.search(text, tail_start)
    return text[: tail.start()] if tail else text
