r"""Take the markup off a text (LaTeX, Markdown, HTML, full-width forms) and leave the words and boxes."""

import re
import unicodedata

from verifiers.boxed import open_boxes

BOX_OPEN, BOX_CLOSE = "⟦", "⟧"
_MAX_NESTING = 8  # wrappers inside wrappers; deeper text is left as it stands

_WRAPPER = re.compile(
    r"\\(?:text(?:bf|it|rm|sf|tt|sc|normal)?|math(?:bf|rm|it|sf|tt|bb|cal|normal)|mbox|hbox|bm|boldsymbol|pmb"
    r"|underline|emph|operatorname\*?|(?:text)?color\{\w+\})\s*\{([^{}]*)\}"
)
_LAYOUT = re.compile(
    r"\\(?:left|right|displaystyle|textstyle|large|Large|huge|bf|rm|quad|qquad|limits|mathstrut)(?![a-zA-Z])"
    r"|\\[,;:>()\[\]]|\\ |~|\\?\$"
)
_MARKDOWN = re.compile(r"\*\*|__|`|(?<![\w*])\*(?=\w)|(?<=[\w.)])\*(?![\w*])")
_LINE_MARK = re.compile(r"^[ \t]*(?:#{1,6}|>|[-•*+])[ \t]+", re.MULTILINE)
_HTML = re.compile(r"</?(?:b|strong|i|em|u|p|div|span|br|font|center)\b[^<>\n]{0,80}>", re.IGNORECASE)


def unwrap_latex(text: str) -> str:
    r"""Return ``text`` with ``\text{7}``, ``\mathbf{7}`` and their like replaced by what they hold."""
    for _ in range(_MAX_NESTING):  # innermost first
        text, n_unwrapped = _WRAPPER.subn(r" \1 ", text)
        if not n_unwrapped:
            break
    return _LAYOUT.sub(" ", text.replace("\\!", ""))


def plain_text(text: str) -> str:
    """Return ``text`` as a reader sees it, on the same lines, with boxes between ``⟦`` and ``⟧``.

    Full-width, circled and mathematical letters become plain ones (NFKC).
    """
    plain = open_boxes(unicodedata.normalize("NFKC", text), BOX_OPEN, BOX_CLOSE)
    plain = _HTML.sub("", unwrap_latex(plain))
    plain = _MARKDOWN.sub("", _LINE_MARK.sub("", plain))
    return plain.replace("\r\n", "\n").replace("\r", "\n")
