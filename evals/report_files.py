"""Write the files of a report into a directory, or one of them to a place of its own."""

from collections.abc import Mapping
from pathlib import Path

import click


def write_files(directory: Path, files: Mapping[str, str], *, option: str = "--out") -> Path:
    """Write texts under their names into ``directory`` and return it; a usage error where that cannot be.

    Halves of characters, which a log may hold and no file can, become question marks.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (directory / name).write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise click.UsageError(
            f"{option} {directory}: cannot be written ({error.strerror or error}); name another directory"
        ) from None
    return directory


def write_new_file(path: Path, text: str, *, option: str = "--out") -> None:
    """Write ``text`` to a file that is not there yet; a usage error where it is, or cannot be written."""
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise click.UsageError(f"{option} {path}: is there already; name another file or remove it") from None
    except OSError as error:
        raise click.UsageError(f"{option} {path}: cannot be written ({error.strerror or error})") from None
