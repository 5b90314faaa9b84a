"""Entry point of ``quantcheck`` and ``python -m evals``."""

import sys

from evals.installation import InstallationError, refuse_foreign_packages


def main() -> None:
    """Check the installation, then run the command line."""
    try:
        refuse_foreign_packages()
    except InstallationError as error:
        print(f"quantcheck: {error}", file=sys.stderr)
        sys.exit(2)
    # only after the check: a foreign package of one of our names may be what would be imported
    from evals.cli import run_command_line  # noqa: PLC0415

    sys.exit(run_command_line())


if __name__ == "__main__":
    main()
