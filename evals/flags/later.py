"""Find the function that does a command's work when it is called, so that ``--help`` waits for no library."""

from collections.abc import Callable
from importlib import import_module
from typing import Any


def body(module: str, name: str) -> Callable[..., Any]:
    """Return the function ``name`` of a module, imported now; raises ``TypeError`` for what is none."""
    found = getattr(import_module(module), name)
    if not callable(found):
        raise TypeError(f"{module}.{name}: is no function")
    return found  # type: ignore[no-any-return]
