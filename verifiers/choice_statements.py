"""Find what a text states as its answer to a multiple-choice question, in order."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from unicodedata import normalize

from verifiers.choice_label import Choices, read_label
from verifiers.plain_text import BOX_CLOSE, BOX_OPEN

_WINDOW = 1_000  # characters after a cue in which its letter and the option's text stand


@dataclass(frozen=True, kw_only=True)
class _Place:
    """A place where a statement may stand: ``text`` begins with the letter, or holds an option's text."""

    position: int
    text: str
    strict: bool = False
    after_colon: bool = False
    text_only: bool = False

    def read(self, choices: Choices) -> tuple[str, ...] | None:
        if self.text_only:
            letter = choices.letter_of(self.text)
            return (letter,) if letter else None
        letters = read_label(self.text, choices, strict=self.strict)
        if letters is None and self.after_colon and _WITHDRAWN.match(self.text):
            return ()
        return letters


_LATIN = r"A-Za-z0-9\u00c0-\u024f"
_ANSWER = normalize(  # as the text is
    "NFKC",
    r"answers?|ans|r[ée]ponses?|antwort|lösung|respuesta|resposta|risposta|antwoord|svar(?:et)?|vastaus|odpověď|"
    r"odpowiedź|răspuns(?:ul)?|válasz|cevap|yanıt|đáp án|jawaban(?:nya)?|jibu|ответ|відповідь|απάντηση|תשובה|"
    r"الإجابة|الاجابة|الجواب|إجابة|پاسخ|उत्तर|উত্তর|คำตอบ|"
    r"答案|答え|正解|解答|回答|答|정답|답안|답",
)
_ADJECTIVE = (
    r"correct|right|best|final|appropriate|suitable|accurate|likely|plausible|closest|nearest|matching|valid|"
    r"corresponding|proper|chosen|selected|"
    r"correcte|bonne|richtige|beste|correcta|corretta|correta|juiste|doğru|rätt|riktig|đúng|"
    r"yang (?:benar|tepat)|правильный|верный|الصحيحة"
)
_OPTION = (
    r"option|choice|letter|alternative|selection|"
    r"opción|opção|opzione|alternativa|letra|lettre|lettera|вариант"
)
_NOUN = (
    rf"(?:(?<!incorrect )(?<!wrong )(?<!not an )(?<!possible )(?:{_ANSWER})(?:\s+(?:{_OPTION}))?"
    rf"(?:\s+(?:{_ADJECTIVE}))?"
    rf"|(?:{_ADJECTIVE})\s+(?:\w+\s+)?(?:{_OPTION}|one|statement|match|fit)"
    rf"|(?:{_OPTION})(?:\s+(?:{_ADJECTIVE})|(?=\s?:))"
    r"|선택지|故选|故選|应选|應選|选择|選擇|选(?!项)|選(?!項))"
)
_COPULA = (
    rf"(?:(?<![{_LATIN}])(?:is|are|should be|must be|will be|has to be|seems to be|appears to be|becomes|"
    rf"therefore|es|est|ist|lautet|è|é|är|er|jest|je|là|adalah|ialah|este|"
    rf"(?P<hypothetical>would (?:have been|be)))(?![{_LATIN}])|은|는|は|が|是|为|為|应为|應為|选|選|"
    r"คือ|هي|هو|है|—|это)"
)
_FILLER = (
    rf"(?:[\s\"'“‘(\[⟦,:=*-]{{0,8}}(?:therefore|thus|then|hence|so|clearly|indeed|likely|probably|simply|most|"
    rf"to be|the|this|one|la|le|el|die|das|der|het|de|a(?=\s(?:letr|lett|opç|alt))|{_OPTION}|{_ADJECTIVE}|"
    rf"answer|given|by|as|labell?ed|选项|選項|번|보기)(?![{_LATIN}])){{0,6}}"
)
_QUALIFIER = r"(?:\s{1,3}(?:to|for|of|in|among|from|based on)\s[^.:\n⟦]{1,80}?|\s?\([^()\n]{1,60}\))?"

# "Answer: C", "the correct option is C", "答案是C", {"answer": "C"}. The match ends with the noun, and the
# letter stands after `lead`: in "Answer: the answer is C" the second cue begins inside the first one's lead.
_CUE = re.compile(
    rf"(?<![{_LATIN}]){_NOUN}(?=(?P<lead>{_QUALIFIER}[\s\"'”’*_)\]]{{0,8}}"
    rf"(?:(?P<colon>[:=>])|[-–—]+(?=\s)|{_COPULA}|(?<=[^\x00-\u02ff]))[\s:*]{{0,8}}{_FILLER}))",
    re.IGNORECASE,
)
_HEADING = re.compile(
    rf"^[^\w\n]{{0,20}}(?:the\s+)?(?:(?:{_ADJECTIVE})\s+)?(?:{_ANSWER})(?:\s+(?:{_OPTION}))?"
    r"(?P<lead>[^\w\n]{0,20}(?:\n|[ ](?=\W{0,8}[A-Z]\W{0,8}$)))",
    re.IGNORECASE | re.MULTILINE,
)
_CHOOSE = re.compile(
    rf"\b(?:choose|select|pick|opt for|go(?:ing)? with|settle on|chosen|selected)\b(?P<lead>{_FILLER})",
    re.IGNORECASE,
)
# "C is the correct answer", "(C) text is the best choice", "C가 정답"
_REVERSED = re.compile(
    rf"[(\[\"'⟦]?(?<![{_LATIN}_])(?P<letter>[A-Z])(?![{_LATIN}_])[)\]\"'⟧.]?"
    r"(?:(?<=[)\].])[^.\n]{0,80}?|\s?\([^()\n]{0,80}\))?\s{0,4}"
    rf"(?:\b(?:is|(?:must|should|seems to|appears to) be)\s(?:(?:therefore|thus|indeed|clearly|likely)\s)?"
    rf"(?:the|our|my)\s(?:only |most |single |final )*(?:(?:{_ADJECTIVE})\s)*(?:answer|option|choice)\b"
    rf"|번?(?:이|가|은|는|が|は|是|es|est|ist|è|é|это)\s*(?:la|die|das|a|o|le)?\s*(?:(?:{_ADJECTIVE})\s+)?"
    rf"(?:{_ANSWER}))"
)
_BOX = re.compile(f"{BOX_OPEN}[^{BOX_OPEN}{BOX_CLOSE}]*{BOX_CLOSE}")
_WITHDRAWN = re.compile(
    r"[\s\"'*]*(?:none\b|cannot\b|can't|unable|unknown|unclear|undetermined|n/a|not\b)",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"(?:so|thus|therefore|hence|option|choice|∴|→|=>|->)?[\s,:]*[(\[⟦\"'“]*(?P<letter>[A-Za-z])[)\]⟧\"'”.。!\s]*",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"\b(?:if|had|were)\b")
_ONLY_LETTERS = re.compile(r"(?:[\s()\[\]⟦⟧,;/&.]|\b(?:and|or|[A-Z])\b)+")


def last_statement(plain: str, choices: Choices) -> tuple[str, ...] | None:
    """Return the letters of the last explicit statement of ``plain`` (see :mod:`verifiers.plain_text`).

    One letter is an answer, several are an ambiguous one, none (``()``) takes back what was stated before
    ("Answer: none of these"); ``None`` means that nothing is stated. Explicit are an answer cue in one of
    many languages with a letter or an option's text behind it, a box that holds one, a choice ("I choose C"),
    the reverse ("C is the correct answer") and a last line that is nothing but a letter or an option's text.
    Cues that lead to neither are no statements.
    """
    places = [*_after_cues(plain), *_boxes(plain), *_reversed(plain), *_last_line(plain)]
    for place in sorted(places, key=lambda place: place.position, reverse=True):
        letters = place.read(choices)
        if letters is not None:
            return letters
    return None


def _after_cues(plain: str) -> Iterator[_Place]:
    for pattern, strict in ((_CUE, False), (_HEADING, False), (_CHOOSE, True)):
        for cue in pattern.finditer(plain):
            groups = cue.groupdict()
            if groups.get("hypothetical") and _CONDITION.search(_sentence(plain, cue)):
                continue
            start = cue.end("lead")
            window = plain[start : start + _WINDOW]
            yield _Place(position=start, text=window, strict=strict, after_colon=bool(groups.get("colon")))


def _sentence(plain: str, cue: re.Match[str]) -> str:
    start = max(plain.rfind(". ", 0, cue.start()), plain.rfind("\n", 0, cue.start()))
    return re.split(r"\.\s|\n", plain[start + 1 : cue.end() + _WINDOW].lstrip())[0]


def _boxes(plain: str) -> Iterator[_Place]:
    for box in _BOX.finditer(plain):
        yield _Place(position=box.start(), text=" ".join(box.group()[:_WINDOW].split()))


def _reversed(plain: str) -> Iterator[_Place]:
    for match in _REVERSED.finditer(plain):
        yield _Place(position=match.start(), text=match["letter"])


def _last_line(plain: str) -> Iterator[_Place]:
    text = plain.rstrip()
    start = text.rfind("\n") + 1
    line = text[start:]
    if len(line) <= _WINDOW:
        bare = _BARE.fullmatch(line)
        is_letters = bool(bare or _ONLY_LETTERS.fullmatch(line))
        yield _Place(position=start, text=bare["letter"] if bare else line, text_only=not is_letters)
