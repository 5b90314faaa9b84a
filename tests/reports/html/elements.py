"""The elements of a page as a parser sees them."""

from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass(kw_only=True)
class Element:
    name: str
    attributes: dict[str, str]
    depth: int
    text: str = ""
    inside: tuple[str, ...] = field(default=())


_VOID = {"meta", "link", "input", "br", "img", "hr"}


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self._open: list[Element] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        inside = tuple(element.name for element in self._open)
        made = Element(
            name=tag,
            attributes={key: value or "" for key, value in attrs},
            depth=len(self._open),
            inside=inside,
        )
        self.elements.append(made)
        if tag not in _VOID:
            self._open.append(made)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self._open, f"</{tag}> closes nothing"
        last = self._open.pop()
        assert last.name == tag, f"</{tag}> closes <{last.name}>"

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.text += data


def elements(page: str) -> list[Element]:
    """Return every element in order; fails where tags do not match."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    assert not reader._open
    return reader.elements


def outline(page: str) -> str:
    """Return the structure a reader gets: headings, tables, figures, controls, one line each."""
    lines = []
    for element in elements(page):
        if "svg" in element.inside or element.name not in _SHOWN:
            continue
        names = ("id", "class", "role", "scope", "aria-sort", "href", "hidden")
        told = [f"{name}={element.attributes[name]}" for name in names if name in element.attributes]
        text = " ".join(element.text.split()) if element.name in _WITH_TEXT else ""
        lines.append(" ".join(["  " * element.depth + element.name, *told, text]).rstrip())
    return "\n".join(lines) + "\n"


_WITH_TEXT = {"h1", "h2", "h3", "h4", "caption", "th", "summary", "figcaption", "dt", "button", "option", "a"}
_SHOWN = _WITH_TEXT | {
    "main",
    "nav",
    "header",
    "section",
    "table",
    "figure",
    "svg",
    "details",
    "input",
    "select",
}
