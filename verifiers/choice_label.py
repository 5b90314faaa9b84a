"""Read the option letter at the start of a text: ``(C)``, ``C. text``, ``A or B``, never an article."""

import re
import string
from collections.abc import Sequence
from dataclasses import dataclass

from verifiers.plain_text import plain_text

_MAX_LINE = 1_000  # characters that are looked at: more than any option's text
_OPENERS = "\"'“‘«「『【([{⟦<"
_CLOSERS = "»」』】)]}⟧>"
_LABEL = re.compile(
    rf"(?P<open>[\s:=*{re.escape(_OPENERS)}]*)"
    r"(?:(?:[Oo]ption|OPTION|[Cc]hoice|[Ll]etter)\s*:?\s*[(\[⟦]?)?"
    r"(?P<letter>[A-Za-z]|[АВСЕ](?=\W*$|[.)])|[أبجد](?=\W*$))"
    rf"(?P<close>\s?(?:[{re.escape(_CLOSERS)}]|[\"'”’](?!\w))+)?"
)
# Letters of other scripts that a model writing that script puts for A, B, C ...; they are words of their
# languages too, so they count only where nothing follows.
_LOOKALIKES = dict(zip("АВСЕأبجد", "ABCEABCD", strict=True))

_AND = r"(?:(?:and|or|und|oder|et|ou|y|o|e|и|или)(?![^\W\d_])|和|或|と|및|또는)"
_NEXT_LETTER = re.compile(
    rf"\s*(?:(?:[,;/&+、]|[-–](?=\s)|{_AND})\s*)+[(\[⟦]?(?P<letter>[A-Z])[)\]⟧]?"
    rf"(?=\s*(?:$|[.,;:!?/&)\]⟧、。]|{_AND}))"
)
_ADJOINED_LABEL = re.compile(r"\s*[(\[](?P<letter>[A-Z])[)\]]")
_ADJOINED_LETTERS = re.compile(r"[A-Z]{1,5}(?![^\W_])")
_MORE_NUMERALS = re.compile(r"\s*(?:[,/&-]|and|or)\s*[IVX]{2,}\b")
_ABBREVIATION = re.compile(r"\.[A-Za-z]\.")
_NOT_COMPARED = re.compile(r"[\s$\\{}⟦⟧\"'“”‘’*]")
_WORD = re.compile(r"[^\W\d_]+(?!\w|-)")

_FIRST_NON_LATIN = 0x0370  # code point

# After a label, never after the article "a" or the pronoun "I".
_AFTER_I = frozenset({"because", "since", "as", "for", "due", "per", "which", "is", "matches", "corresponds"})
_AFTER_A = _AFTER_I | {
    "from",
    "by",
    "with",
    "and",
    "or",
    "but",
    "therefore",
    "thus",
    "where",
    "when",
    "while",
}
_AFTER_A |= {
    "if",
    "in",
    "on",
    "at",
    "was",
    "would",
    "should",
    "must",
    "will",
    "does",
    "has",
    "seems",
    "appears",
}
_AFTER_A |= {"porque", "pois", "parce", "car", "weil", "denn", "perché", "poiché", "ya", "puisque"}


@dataclass(frozen=True, kw_only=True)
class Choices:
    """The letters one may answer with, and what the options say where that is known (in canonical form)."""

    letters: str
    texts: tuple[str, ...] = ()

    def letter_of(self, text: str) -> str | None:
        """Return the letter of the one option that reads ``text``; ``None`` for none, several or a letter."""
        wanted = self._comparable(text)
        if len(wanted) < 2 and not wanted.isdigit():
            return None
        found = [letter for letter, option in zip(self.letters, self.texts, strict=False) if option == wanted]
        return found[0] if len(found) == 1 else None

    def is_text_of(self, letter: str, text: str) -> bool:
        """Whether ``text`` is what the option ``letter`` reads."""
        position = self.letters.find(letter)
        return 0 <= position < len(self.texts) and self.texts[position] == self._comparable(text) != ""

    def _comparable(self, text: str) -> str:
        # Far longer than every option: no need to look, in a text that repeats its cue a thousand times.
        longest = max(map(len, self.texts), default=0)
        return _canonical(text) if len(text) <= 4 * longest + 80 else ""


def make_choices(options: Sequence[str] | None, n_options: int) -> Choices:
    """Return the choices A, B, C ...; raises ``ValueError`` where ``options`` and ``n_options`` disagree."""
    if not 1 <= n_options <= len(string.ascii_uppercase):
        raise ValueError(f"n_options: {n_options} is not a number of lettered options; expected 1 to 26")
    if options is not None and len(options) != n_options:
        raise ValueError(f"options: {len(options)} given, but n_options is {n_options}; expected as many")
    texts = tuple(_canonical(plain_text(option)) for option in options or ())
    return Choices(letters=string.ascii_uppercase[:n_options], texts=texts)


def read_label(text: str, choices: Choices, *, strict: bool = False) -> tuple[str, ...] | None:
    """Return the letters that the first line of ``text`` begins with, or ``None`` where it begins with none.

    Several letters mean an ambiguous statement (``A or B``, ``AC``). A line that is the text of exactly one
    option stands for its letter (``D major``, ``James Irvine``); otherwise the label wins over the text
    behind it (``B (A)``, ``(C)D``). ``A dramatic rise`` and ``I think`` hold an article and a pronoun, unless
    the rest is what option A or I reads. ``strict`` wants the letter enclosed or followed by punctuation.
    """
    line = text.lstrip()[:_MAX_LINE].split("\n", 1)[0].rstrip()
    label = _LABEL.match(line)
    whole = choices.letter_of(line) or choices.letter_of(line.split(". ", 1)[0])
    if label is None:
        return (whole,) if whole else None
    letter, rest = _LOOKALIKES.get(label["letter"], label["letter"].upper()), line[label.end() :]
    enclosed = bool(label["close"]) and any(opener in label["open"] for opener in _OPENERS)
    if whole and not enclosed:
        return (whole,)
    if choices.is_text_of(letter, rest) or choices.is_text_of(letter, rest.strip(" ()[]")):
        return (letter,)
    others = _listed_letters(rest, enclosed=enclosed, letters=choices.letters) - {letter}
    if others:
        return tuple(sorted({letter} | others))
    if label["letter"].islower() and not _is_lower_label(letter, rest, choices, bool(label["close"])):
        return None
    if letter == "I" and _MORE_NUMERALS.match(rest):
        return None
    return (letter,) if enclosed or _ends_label(letter, label["close"] or rest, strict=strict) else None


def _listed_letters(rest: str, *, enclosed: bool, letters: str) -> set[str]:
    """Return the letters that follow a first one in a list: ``, B``, `` or B``, ``(B)`` after ``(A)``."""
    found = set()
    while following := _NEXT_LETTER.match(rest) or (_ADJOINED_LABEL.match(rest) if enclosed else None):
        found.add(following["letter"])
        rest = rest[following.end() :]
    run = _ADJOINED_LETTERS.match(rest)
    if run and not enclosed and not found and set(run.group()) <= set(letters):
        found.update(run.group())
    return found


def _is_lower_label(letter: str, rest: str, choices: Choices, closed: bool) -> bool:
    return letter in choices.letters and (closed or rest.strip(" .") == "")


def _ends_label(letter: str, rest: str, *, strict: bool) -> bool:
    """Whether ``rest``, what follows a bare letter, leaves it a label rather than a word or a formula."""
    following = rest[:1]
    if not following or following in ".,;:!?)]}⟧>”」』】*|—":
        return not _ABBREVIATION.match(rest)
    if following in "\"'’":
        return not rest[1:2].isalpha()
    if rest.startswith("</"):
        return True
    if not following.isspace():  # scripts without spaces follow directly; Latin text and operators do not
        return ord(following) >= _FIRST_NON_LATIN and not strict
    tail = rest.lstrip()
    if tail[:1] in "=+^/<>≈×·\\%~_&" or (tail[:1] == "-" and tail[1:2].isalpha()):
        return False
    word = _WORD.match(tail)
    if strict:
        return tail[:1] in "(["
    if letter in "AI" and tail[:1].isalpha() and ord(tail[0]) < _FIRST_NON_LATIN:
        return word is not None and word.group().lower() in (_AFTER_A if letter == "A" else _AFTER_I)
    return True


def _canonical(plain: str) -> str:
    return _NOT_COMPARED.sub("", plain).casefold().strip(".。;,:")
