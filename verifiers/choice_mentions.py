"""Find the option that a text without any explicit statement still settles on, in its last or first line."""

import re

from verifiers.choice_label import Choices, read_label

_LABELLED = re.compile(
    r"^[ \t\"'“]*(?:[(\[⟦]\s?([A-Z])\s?[)\]⟧]|([A-Z])\s?[).:\]]|([A-Z])\s[-–—](?=\s)).*\S", re.MULTILINE
)
_OPTION_MENTION = re.compile(
    r"(?:\b(?i:option|choice|answer|letter)|选项|選項)\s*[(\[\"'⟦]?([A-Z])(?![A-Za-z0-9])|[(\[⟦]([A-Z])[)\]⟧](?=\W*$)",
    re.MULTILINE,
)
_NEGATION = re.compile(
    r"\b(?:not|no|never|neither|cannot|incorrect|wrong|false|except|unlike|eliminat\w*|rul\w+ out|exclud\w*)"
    r"\b|n['’]t\b|不",
    re.IGNORECASE,
)
_CALLED_CORRECT = re.compile(
    r"(?:\b(?i:option|choice|answer)\s+[(\[\"']?([A-Z])[)\]\"'.:]?|\(([A-Z])\)"
    r"|(?:^|[.,:]\s|\b(?:[Ss]o|[Tt]hus|[Tt]herefore|[Hh]ence)\s)([A-Z]))(?:\s*\([^()\n]{0,80}\))?"
    r"\s+(?:is|must be|seems|appears)\s+(?:the\s+)?(?:most\s+)?"
    r"(?:correct|right|best|likely|accurate|appropriate)\b",
    re.MULTILINE,
)
_INLINE_LABEL = re.compile(r"(?<![^\W_])(?:\(([A-Z])\)|([A-Z])[).:])(?=([^\n]{1,300}))")
_BARE_FIRST_LINE = re.compile(r"[\s(\[⟦\"'“]*[A-Z][)\]⟧\"'”.。\s]*")
_TAIL = 4_000  # characters at the end in which an option named with its own text is a conclusion


def find_mention(plain: str, choices: Choices) -> tuple[str, ...] | None:
    """Return the letters settled on, several where the last line weighs several, ``None`` for none.

    Taken are, in this order: a labelled line (``J. text``) that is the text's only labelled line and its
    first or last; options mentioned in a last line without negation; the option last called correct; the
    only option named with its own text; a bare letter on the first line. Restated option lists name several
    labels and so say nothing.
    """
    lines = [line for line in plain.split("\n") if line.strip()]
    if not lines:
        return None
    return (
        _labelled_line(plain, lines, choices)
        or _mentioned(lines[-1])
        or _called_correct(plain)
        or _with_own_text(plain, choices)
        or ((re.findall(r"[A-Z]", lines[0])[0],) if _BARE_FIRST_LINE.fullmatch(lines[0]) else None)
    )


def _labelled_line(plain: str, lines: list[str], choices: Choices) -> tuple[str, ...] | None:
    labels = {_first_group(match) for match in _LABELLED.finditer(plain)}
    ends = (lines[-1], lines[0])
    if len(labels) != 1:
        return None
    return next((read_label(line, choices) for line in ends if _LABELLED.match(line)), None)


def _mentioned(line: str) -> tuple[str, ...] | None:
    if _NEGATION.search(line):
        return None
    letters = {_first_group(match) for match in _OPTION_MENTION.finditer(line)}
    return tuple(sorted(letters)) or None


def _called_correct(plain: str) -> tuple[str, ...] | None:
    called = [_first_group(match) for match in _CALLED_CORRECT.finditer(plain)]
    return (called[-1],) if called else None


def _with_own_text(plain: str, choices: Choices) -> tuple[str, ...] | None:
    labels = {
        letter
        for match in _INLINE_LABEL.finditer(plain[-_TAIL:])
        if choices.is_text_of(letter := match[1] or match[2], match[3])
    }
    return tuple(labels) if len(labels) == 1 else None


def _first_group(match: re.Match[str]) -> str:
    return next(group for group in match.groups() if group)
