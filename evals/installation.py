"""Refuse to run beside foreign packages that carry one of our four names."""

from importlib.machinery import PathFinder
from importlib.metadata import packages_distributions
from pathlib import Path

PACKAGES = ("evals", "tasks", "verifiers", "reports")


class InstallationError(RuntimeError):
    """Another distribution provides one of our packages."""


def refuse_foreign_packages() -> None:
    """Raise :class:`InstallationError` unless all four packages lie in the folder of this file's package.

    The names are common: a plain install of another ``evals`` beside ours overwrites files without a word.
    """
    home = Path(__file__).resolve().parent.parent
    for name in PACKAGES:
        spec = PathFinder.find_spec(name)
        found = Path(spec.origin).resolve().parent if spec is not None and spec.origin is not None else None
        if found != home / name:
            where = f"comes from {str(found)!r}" if found is not None else "is not to be found"
            owners = [owner for owner in packages_distributions().get(name, []) if owner != "quantcheck"]
            mend = f"uninstall {owners[0]!r} or" if owners else "remove it from the path or"
            raise InstallationError(
                f"package {name!r}: {where}, expected {str(home / name)!r}; "
                f"{mend} install quantcheck in an environment of its own"
            )
