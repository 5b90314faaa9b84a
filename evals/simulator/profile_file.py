"""Read a profile by its built-in name or from a TOML or JSON file, refusing whatever it does not know."""

import dataclasses
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import orjson

from evals.simulator.profile import BUILT_IN, FailureWeights, Lengths, Profile, TaskProfile


class ProfileError(ValueError):
    """A profile cannot be used: says which field and why."""


Reader = Callable[[str, Any], Any]


def _number(low: float, high: float | None = None) -> Reader:
    bounds = f"a number of at least {low:g}" if high is None else f"a number from {low:g} to {high:g}"

    def read(where: str, value: Any) -> float:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not low <= value <= (float("inf") if high is None else high):
            raise ProfileError(f"{where}: found {value!r}; expected {bounds}")
        return float(value)

    return read


def _boolean(where: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ProfileError(f"{where}: found {value!r}; expected true or false")
    return value


def _text(where: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ProfileError(f"{where}: found {value!r}; expected a text")
    return value


def _count(where: str, value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ProfileError(f"{where}: found {value!r}; expected a whole number of at least 0")
    return value


def _table(where: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ProfileError(f"{where}: found {value!r}; expected a table")
    return value


def _each(read: Reader) -> Reader:
    def read_all(where: str, value: Any) -> dict[str, Any]:
        return {key: read(f"{where}.{key}", item) for key, item in _table(where, value).items()}

    return read_all


def _list(read: Reader) -> Reader:
    def read_all(where: str, value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise ProfileError(f"{where}: found {value!r}; expected a list")
        return tuple(read(f"{where}[{place}]", item) for place, item in enumerate(value))

    return read_all


def _record(kind: type[Any], readers: Mapping[str, Reader]) -> Reader:
    required = {
        each.name
        for each in dataclasses.fields(kind)
        if each.default is dataclasses.MISSING and each.default_factory is dataclasses.MISSING
    }

    def read(where: str, value: Any) -> Any:
        table = _table(where, value)
        for key in table:
            if key not in readers:
                raise ProfileError(f"{where}: unknown field {key!r}; known are {', '.join(readers)}")
        for name in sorted(required - set(table)):
            raise ProfileError(f"{where}: field {name!r} is missing; give it")
        return kind(**{key: readers[key](f"{where}.{key}", item) for key, item in table.items()})

    return read


_PROBABILITY = _number(0, 1)
_LENGTHS = _record(Lengths, {"median": _number(0), "sigma": _number(0, 5), "cap": _count})
_TASK = _record(
    TaskProfile,
    {
        "default": _PROBABILITY,
        "mean": _PROBABILITY,
        "concentration": _number(0.01, 1000),
        "hardest": _list(_PROBABILITY),
        "items": _each(_PROBABILITY),
        "reasoning": _LENGTHS,
    },
)
_WEIGHT = _number(0)
_FAILURES = _record(FailureWeights, dict.fromkeys(("wrong", "no_answer", "loop", "flood"), _WEIGHT))
_PROFILE = _record(
    Profile,
    {
        "name": _text,
        "tasks": _each(_TASK),
        "other_tasks": _TASK,
        "reasoning": _LENGTHS,
        "answer": _LENGTHS,
        "chat": _LENGTHS,
        "failures": _FAILURES,
        "tokens_per_s": _number(0.001),
        "ttft_s": _number(0, 86_400),
        "thinking": _boolean,
    },
)


def profile_from_table(table: Any, where: str = "profile") -> Profile:
    """Build a profile from parsed TOML or JSON; raise :class:`ProfileError` naming the field at fault."""
    profile: Profile = _PROFILE(where, table)
    if sum(dataclasses.astuple(profile.failures)) <= 0:
        raise ProfileError(f"{where}.failures: all weights are 0; give at least one above 0")
    return profile


def read_profile(source: str) -> Profile:
    """Return the built-in profile called ``source``, else the one in the file at that path."""
    if source in BUILT_IN:
        return BUILT_IN[source]
    path = Path(source)
    if not path.is_file():
        raise ProfileError(
            f"profile: {source!r} is neither a file nor one of {', '.join(BUILT_IN)}; give one"
        )
    try:
        text = path.read_text(encoding="utf-8")
        table = orjson.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, orjson.JSONDecodeError) as error:
        raise ProfileError(f"{path}: not readable as TOML or JSON ({error}); mend the file") from error
    return profile_from_table(table, str(path))
