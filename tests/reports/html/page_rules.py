"""What holds of every page, whatever it shows: nothing from elsewhere, a strict policy, words for everything."""

import base64
import hashlib
import re
from collections import Counter
from itertools import pairwise

from tests.reports.html.elements import Element, elements


def _named(page: str, name: str) -> list[Element]:
    return [element for element in elements(page) if element.name == name]


def assert_self_contained(page: str) -> None:
    """Nothing comes from elsewhere, and no script but ours is in it."""
    for element in elements(page):
        assert not [name for name in element.attributes if name.startswith("on") or name == "style"]
        for name in ("src", "href", "action", "data"):
            value = element.attributes.get(name, "")
            assert value == "" or value.startswith(("#", "data:,", "./", "../")), value
    scripts = [e for e in _named(page, "script") if e.attributes.get("type") != "application/json"]
    assert len(scripts) == 1
    assert not re.search(r"url\((?!#)|@import", page)


def assert_policy(page: str) -> None:
    """The policy allows exactly this style and this script."""
    policy = next(e.attributes["content"] for e in _named(page, "meta") if "http-equiv" in e.attributes)
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    for directive, name in (("style-src", "style"), ("script-src", "script")):
        [found] = [e for e in _named(page, name) if "type" not in e.attributes]
        digest = base64.b64encode(hashlib.sha256(found.text.encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in policy


def assert_links_inside(page: str) -> None:
    """Ids are unique, and links inside lead somewhere."""
    found = elements(page)
    ids = Counter(e.attributes["id"] for e in found if "id" in e.attributes)
    assert [name for name, times in ids.items() if times > 1] == []
    targets = {e.attributes["href"][1:] for e in found if e.attributes.get("href", "").startswith("#")}
    labelled = {e.attributes["aria-labelledby"] for e in found if "aria-labelledby" in e.attributes}
    assert (targets | labelled) - set(ids) == set()


def assert_accessible(page: str) -> None:
    """Tables have captions and scoped headings, pictures have words, controls labels, headings an order."""
    found = elements(page)
    tables = [at for at, e in enumerate(found) if e.name == "table"]
    assert tables and all(found[at + 1].name == "caption" for at in tables)
    assert all("scope" in e.attributes for e in found if e.name == "th")
    plots = [e for e in found if e.name == "svg" and e.attributes.get("class") == "plot"]
    assert all(e.attributes["role"] == "img" and len(e.attributes["aria-label"]) > 40 for e in plots)
    assert all("label" in e.inside for e in found if e.name in ("input", "select"))
    levels = [int(e.name[1]) for e in found if re.fullmatch(r"h[1-6]", e.name)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(b - a <= 2 for a, b in pairwise(levels))
