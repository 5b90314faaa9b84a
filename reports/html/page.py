"""Put a page together: templates, inline style and script, and a policy under which nothing else runs."""

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files
from typing import Any

import orjson
from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup

from reports.html.inert import inert

_FILES = (
    "page.html.jinja",
    "report.html.jinja",
    "figures.html.jinja",
    "items.html.jinja",
    "methods.html.jinja",
    "divergence.html.jinja",
    "vendor_parts.html.jinja",
    "vendor.html.jinja",
    "vendors.html.jinja",
)
_UNIT = re.compile(r"(?<=\d) (?=(?:%|pp)(?!\w))")  # a number and its unit stay on one line
_ESCAPED = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


def render_page(template: str, *, title: str, **values: Any) -> str:
    """Return a whole page; text given to the template is escaped and made inert, markup is not.

    A template extends ``page.html.jinja``. The page asks for nothing over the network: its policy allows
    this style, this script and images held within.
    """
    style, script = _text("report.css"), _text("report.js")
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; img-src data:;"
        " base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
    )
    page = _environment().get_template(template)
    return (
        page.render(title=title, style=Markup(style), script=Markup(script), policy=policy, **values) + "\n"
    )


def embedded_json(value: Any) -> Markup:
    """Return JSON for a ``<script type="application/json">``: no ``<``, so nothing in it ends the script."""
    return Markup(orjson.dumps(value).decode().translate(_ESCAPED))


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _text(name: str) -> str:
    return (files("reports.html") / "templates" / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    return Environment(
        loader=DictLoader({name: _text(name) for name in _FILES}),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _shown(value: Any) -> Any:
    """Return what a template prints: markup as it is, any other text inert."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return _UNIT.sub("\u00a0", inert(value))
