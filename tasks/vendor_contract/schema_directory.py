"""Schemas of the user's own, in the layout of walle's test cases: one directory a suite, valid and invalid."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tasks.rows import DataError
from tasks.spec import SpecError

_MAX_LENGTH = 2000  # characters or items that a budget of a few thousand tokens can hold


@dataclass(frozen=True, kw_only=True)
class GivenSchema:
    """One schema as a tool's parameters: ``name`` is ``SUITE:LINE`` within its file.

    ``is_valid`` says that the endpoint must accept it and conform to it. ``problem`` says why it cannot be
    sent at all, empty where it can.
    """

    name: str
    is_valid: bool
    parameters: Mapping[str, Any]
    problem: str = ""


def read_schema_directory(directory: Path) -> tuple[GivenSchema, ...]:
    """Read every ``valid.jsonl`` and ``invalid.jsonl`` below ``directory``, in the order of their paths.

    A valid line is a schema; an invalid line ``{"schema": TEXT, "expect": ...}``. Raises :class:`SpecError`
    where there is no ``valid.jsonl`` at all and :class:`DataError` where a file cannot be read.
    """
    paths = sorted(path for path in directory.rglob("*.jsonl") if not path.name.startswith("."))
    known = [path for path in paths if path.name in ("valid.jsonl", "invalid.jsonl")]
    if not any(path.name == "valid.jsonl" for path in known):
        raise SpecError(
            f"schemas {str(directory)!r}: no valid.jsonl in it; give a directory with SUITE/valid.jsonl files"
        )
    return tuple(schema for path in known for schema in _read_file(path, directory))


def _read_file(path: Path, directory: Path) -> Iterator[GivenSchema]:
    is_valid = path.name == "valid.jsonl"
    suite = path.parent.relative_to(directory).as_posix()
    prefix = f"{suite}/" if suite != "." else ""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"schemas {str(path)!r}: cannot be read ({error})") from error
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield _read_line(line, f"{prefix}{path.stem}:{number}", is_valid=is_valid)


def _read_line(line: str, name: str, *, is_valid: bool) -> GivenSchema:
    text = line
    try:
        if not is_valid:
            row = json.loads(line)
            text = row["schema"] if isinstance(row, dict) and isinstance(row.get("schema"), str) else ""
        schema = json.loads(text)
        json.dumps(schema, allow_nan=False)
    except (ValueError, RecursionError) as error:  # also numbers that no double holds
        return GivenSchema(name=name, is_valid=is_valid, parameters={}, problem=f"not JSON ({error})")
    if not isinstance(schema, dict):
        return GivenSchema(
            name=name, is_valid=is_valid, parameters={}, problem=f"a JSON {type(schema).__name__}, no schema"
        )
    problem = "needs a value longer than any budget" if is_valid and _is_huge(schema) else ""
    return GivenSchema(name=name, is_valid=is_valid, parameters=as_parameters(schema), problem=problem)


def as_parameters(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``schema`` as a tool's parameters, which must be an object at the root.

    Any other schema becomes that of one property ``value``, its definitions left at the root where their
    references look for them, and references to the root led to the property.
    """
    if schema.get("type") in ("object", ["object"]):
        return dict(schema)
    inner = {name: part for name, part in schema.items() if name not in ("$defs", "$id", "$schema")}
    wrapped = {"type": "object", "properties": {"value": inner}, "required": ["value"]}
    wrapped |= {name: schema[name] for name in ("$defs", "$schema") if name in schema}
    moved: dict[str, Any] = _with_root_moved(wrapped)
    return moved


def _with_root_moved(part: Any) -> Any:
    if isinstance(part, list):
        return [_with_root_moved(item) for item in part]
    if not isinstance(part, dict):
        return part
    moved = {name: _with_root_moved(value) for name, value in part.items()}
    reference = part.get("$ref")
    if isinstance(reference, str) and (reference == "#" or reference.startswith("#/properties")):
        moved["$ref"] = f"#/properties/value{reference.removeprefix('#')}"
    return moved


def _is_huge(part: Any) -> bool:
    """Whether some text or list in the schema must be longer than a reply can be."""
    if isinstance(part, list):
        return any(_is_huge(item) for item in part)
    if not isinstance(part, dict):
        return False
    sizes = (part.get("minLength"), part.get("minItems"))
    if any(isinstance(size, int | float) and size > _MAX_LENGTH for size in sizes):
        return True
    return any(_is_huge(value) for value in part.values())
