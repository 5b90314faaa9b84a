"""Read the base URLs of a fleet from a text file: one a line, ``#`` begins a comment."""

from pathlib import Path

from evals.endpoint import BaseUrlError, normalise_base_url

MAX_BYTES = 1024**2


class EndpointsFileError(ValueError):
    """A file of endpoints that says something it cannot mean; the message names file and line."""


def read_endpoints(path: Path) -> tuple[str, ...]:
    """Return the base URLs in the order of the file; raise :class:`EndpointsFileError`."""
    found: dict[str, int] = {}
    for number, line in enumerate(_text(path).splitlines(), start=1):
        entry = line.partition("#")[0].strip()
        if not entry:
            continue
        try:
            base_url = normalise_base_url(entry)
        except BaseUrlError as error:
            raise EndpointsFileError(f"{path}: line {number}: {error}") from None
        if base_url in found:
            raise EndpointsFileError(
                f"{path}: line {number}: {base_url} is on line {found[base_url]} already; name each once"
            )
        found[base_url] = number
    if not found:
        raise EndpointsFileError(f"{path}: names no endpoint; give one base URL a line")
    return tuple(found)


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise EndpointsFileError(f"{path}: is larger than {MAX_BYTES:,} bytes; give one base URL a line")
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise EndpointsFileError(
            f"{path}: cannot be read ({error.strerror or error}); give one base URL a line"
        ) from None
    except UnicodeDecodeError as error:
        raise EndpointsFileError(f"{path}: is no text in UTF-8 ({error.reason})") from None
