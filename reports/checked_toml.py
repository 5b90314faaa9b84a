"""Read a small TOML file strictly: every fault in it is named with its line."""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

MAX_BYTES = 1024**2
_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]")


@dataclass(frozen=True, kw_only=True)
class Check:
    """Which values a key may have, in code and in words."""

    holds: Callable[[Any], bool]
    meaning: str


def is_number(value: Any) -> bool:
    """Return whether a value is a number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


TEXT = Check(holds=lambda value: isinstance(value, str) and bool(value), meaning="a text that is not empty")
TRUTH = Check(holds=lambda value: isinstance(value, bool), meaning="true or false")
COUNT = Check(
    holds=lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 1,
    meaning="a whole number from 1 on",
)
LOSS = Check(
    holds=lambda value: is_number(value) and 0 <= value < 1,
    meaning="a fraction from 0 to below 1 (one point is 0.01)",
)
CONFIDENCE = Check(
    holds=lambda value: is_number(value) and 0.5 <= value < 1, meaning="from 0.5 to below 1, such as 0.95"
)


def texts(what: str) -> Check:
    """Return the check of a list of texts; ``what`` they are, in words."""
    return Check(
        holds=lambda value: isinstance(value, list) and all(isinstance(name, str) and name for name in value),
        meaning=f"a list of {what}",
    )


class CheckedToml:
    """A parsed file with its text at hand. ``kind`` is what it is called, ``error`` what is raised of it."""

    def __init__(self, path: Path, *, kind: str, error: type[ValueError], way_out: str) -> None:
        self.path = path
        self._kind = kind
        self._error = error
        try:
            if path.stat().st_size > MAX_BYTES:
                raise error(f"{path}: is larger than {MAX_BYTES:,} bytes; a {kind} is a small file")
            text = path.read_bytes().decode("utf-8-sig")
            self.document: Mapping[str, Any] = tomllib.loads(text)
        except OSError as fault:
            raise error(f"{path}: cannot be read ({fault.strerror or fault}); {way_out}") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
            raise error(f"{path}: is no TOML ({fault})") from None
        self._lines = text.splitlines()

    def check_schema(self, version: int) -> None:
        """Refuse a file of another version; one that states none is of ours."""
        if self.document.get("schema", version) != version:
            self.fail("", "schema", f"is {self.document['schema']!r}; this version reads {version}")

    def values(self, place: str, table: Mapping[str, Any], checks: Mapping[str, Check]) -> dict[str, Any]:
        """Return the values of the table at ``place``, each checked, unknown keys refused."""
        self.refuse_unknown(place, table, checks)
        return {name: self.checked(place, name, table, checks[name], None) for name in table}

    def checked(self, place: str, name: str, table: Mapping[str, Any], check: Check, default: Any) -> Any:
        """Return one value of the table at ``place``, ``default`` where it is not set."""
        if name not in table:
            return default
        value = table[name]
        if not check.holds(value):
            self.fail(place, name, f"is {value!r}; it must be {check.meaning}")
        return value

    def table(self, place: str, name: str, document: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the table called ``name`` within ``place``, empty where there is none."""
        table = document.get(name, {})
        if not isinstance(table, dict):
            self.fail(place, name, f"is {table!r}; it must be a table")
        return table

    def refuse_unknown(self, place: str, table: Mapping[str, Any], known: Iterable[str]) -> None:
        """Refuse a key that means nothing here."""
        for name in table:
            if name not in known:
                self.fail(place, name, f"is no key of a {self._kind}; known here: {', '.join(sorted(known))}")

    def fail(self, place: str, name: str, what: str) -> NoReturn:
        """Raise the file's error about ``name`` within ``place``, with its line."""
        dotted = f"{place}.{name}" if place else name
        raise self._error(f"{self.path}: line {self.line_of(place, name)}: {dotted} {what}")

    def line_of(self, place: str, name: str) -> int:
        """Return the line that sets ``name`` under ``[place]``, else the line of the table itself."""
        table = ""
        key = re.compile(rf"""\s*["']?{re.escape(name)}["']?\s*[.=]""")
        for number, line in enumerate(self._lines, start=1):
            header = _HEADER.match(line)
            if header:
                table = _unquoted(header[1])
            elif table == place and key.match(line):
                return number
        return self.line_of_table(f"{place}.{name}" if place else name, place)

    def line_of_table(self, *places: str) -> int:
        """Return the line of the first of these tables that the file has, 1 where it has none."""
        for place in places:
            for number, line in enumerate(self._lines, start=1):
                header = _HEADER.match(line)
                if header and (_unquoted(header[1]) + ".").startswith(f"{place}."):
                    return number
        return 1


def _unquoted(table: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in table.split("."))
