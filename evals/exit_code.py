"""What an exit code means, and which error ends a command with which."""

from enum import IntEnum


class ExitCode(IntEnum):
    """The documented exit codes; pipelines rely on them."""

    DONE = 0  # pass
    REGRESSION = 1  # gate: criteria failed
    USAGE = 2
    INCONCLUSIVE = 3
    INVALID = 4  # not comparable, or an invalid run
    ENDPOINT_OR_DATA = 5
    INTERRUPTED = 130


class CommandError(Exception):
    """A command that ends with one line of explanation and a documented exit code."""

    def __init__(self, message: str, code: ExitCode) -> None:
        super().__init__(message)
        self.code = code
