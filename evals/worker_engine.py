"""What runs the processes that ask: named apart from a run, so that help can list the choices without one."""

from enum import StrEnum


class Engine(StrEnum):
    """Where workers live."""

    LOCAL = "local"  # processes of this machine
    RAY = "ray"  # a Ray cluster
