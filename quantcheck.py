"""The launcher: start the command line only where all four packages are ours.

It stands outside the packages because their names are common: beside a foreign ``evals`` nothing inside
our own could be imported to say so.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("evals", "tasks", "verifiers", "reports")
USAGE = 2


class InstallationError(RuntimeError):
    """Another distribution provides one of our packages."""


def refuse_foreign_packages(home: Path) -> None:
    """Raise :class:`InstallationError` unless all four packages lie in ``home``.

    A plain install of another ``evals`` into the same environment overwrites files without a word, and an
    editable install of ours loses against it: both are seen here before anything is run.
    """
    for name in PACKAGES:
        spec = find_spec(name)
        places = list(spec.submodule_search_locations or ()) if spec is not None else []
        found = Path(places[0]).resolve() if places else None
        if found != home / name:
            raise InstallationError(f"package {name!r}: {_where(name, found, home)}")


def _where(name: str, found: Path | None, home: Path) -> str:
    # here and not above: half of what --help would take, and needed only to name the owner of a foreign package
    from importlib.metadata import packages_distributions  # noqa: PLC0415

    place = f"comes from {str(found)!r}" if found is not None else "is not to be found"
    owners = [owner for owner in packages_distributions().get(name, []) if owner != "quantcheck"]
    mend = f"uninstall {owners[0]!r}" if owners else "remove it from the path"
    return (
        f"{place}, expected {str(home / name)!r}; {mend} or install quantcheck in an environment of its own"
    )


def main() -> None:
    """Check the installation, then run the command line."""
    try:
        refuse_foreign_packages(Path(__file__).resolve().parent)
    except InstallationError as error:
        print(f"quantcheck: {error}", file=sys.stderr)
        sys.exit(USAGE)
    # only after the check: a foreign package of one of our names may be what would be imported
    from evals.cli import run_command_line  # noqa: PLC0415

    sys.exit(run_command_line())


if __name__ == "__main__":
    main()
