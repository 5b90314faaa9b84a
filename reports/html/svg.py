"""Turn a matplotlib figure into SVG for inside a page: coloured by the page's style, no style of its own."""

import io
import re
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

from markupsafe import Markup
from matplotlib import rc_context
from matplotlib.figure import Figure

from reports.html.inert import inert

UNITS_PER_INCH = 72  # of matplotlib's SVG: one unit is one CSS pixel where the figure is shown at its size
# Role -> colour in the light theme; style.css gives each role its colour in both (classes f-ROLE, s-ROLE).
ROLES = {
    "ink": "#1b1f24",
    "muted": "#57606a",
    "grid": "#d8dee4",
    "zone": "#dff0e3",
    "baseline": "#0a58ca",
    "candidate": "#a63f00",
    "pass": "#116329",
    "regression": "#b3261e",
    "inconclusive": "#7a4d00",
    "invalid": "#5b3fa8",
}
_ROLE_OF = {colour: role for role, colour in ROLES.items()}
_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",  # text stays text: it can be read aloud, searched and themed
    "svg.hashsalt": "quantcheck",  # the same figure gets the same ids
}
_NOT_FOR_ATTRIBUTES = {"font", "font-family"}
_REFERENCE = re.compile(r"url\(#([^)]+)\)")


def themed_svg(figure: Figure, name: str, *, label: str, texts: Mapping[str, str] | None = None) -> Markup:
    """Return the figure as an ``<svg role="img">`` whose ids begin with ``name``.

    ``texts`` replaces placeholders drawn in the figure: matplotlib never sees text of a log, which might hold
    glyphs its font lacks or look like a formula.
    """
    root = ElementTree.fromstring(_drawn(figure))
    _strip(root)
    used = _used_ids(root)
    for element in root.iter():
        _restyle(element)
        _rename(element, name, used)
        if element.text is not None and texts:
            element.text = inert(texts.get(element.text, element.text))
    width, height = figure.get_size_inches() * UNITS_PER_INCH
    root.attrib = {
        "class": "plot",
        "role": "img",
        "aria-label": inert(label),
        "width": f"{width:g}",
        "height": f"{height:g}",
        "viewBox": f"0 0 {width:g} {height:g}",
    }
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _drawn(figure: Figure) -> str:
    buffer = io.StringIO()
    with rc_context(_SETTINGS):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def _strip(root: ElementTree.Element) -> None:
    """Take off namespaces (a page knows them), matplotlib's own style and its metadata."""
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        element.attrib = {key.rpartition("}")[2]: value for key, value in element.attrib.items()}
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in ("metadata", "style") or (child.tag == "defs" and not _kept(child)):
                parent.remove(child)


def _kept(defs: ElementTree.Element) -> bool:
    return any(child.tag != "style" for child in defs)


def _used_ids(root: ElementTree.Element) -> set[str]:
    values = [value for element in root.iter() for value in element.attrib.values()]
    references = {match[1] for value in values for match in _REFERENCE.finditer(value)}
    return references | {value[1:] for value in values if value.startswith("#")}


def _restyle(element: ElementTree.Element) -> None:
    """Turn the style attribute, which a strict policy ignores, into attributes and classes by role."""
    style = element.attrib.pop("style", "")
    for declaration in filter(None, map(str.strip, style.split(";"))):
        key, _, value = (part.strip() for part in declaration.partition(":"))
        if key not in _NOT_FOR_ATTRIBUTES:
            element.set(key, value)
    classes = [
        f"{key[0]}-{_ROLE_OF[element.get(key, '')]}"
        for key in ("fill", "stroke")
        if element.get(key) in _ROLE_OF
    ]
    if element.tag == "text" and "fill" not in element.attrib:
        classes.append("f-ink")
    if classes:
        element.set("class", " ".join(classes))


def _rename(element: ElementTree.Element, name: str, used: set[str]) -> None:
    """Keep only ids that something refers to, made unique on the page."""
    found = element.attrib.pop("id", None)
    if found in used:
        element.set("id", f"{name}-{found}")
    for key, value in list(element.attrib.items()):
        if key == "href" and value.startswith("#"):
            element.set(key, f"#{name}-{value[1:]}")
        elif _REFERENCE.search(value):
            element.set(key, _REFERENCE.sub(rf"url(#{name}-\1)", value))
