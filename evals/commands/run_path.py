"""The argument that names a run: a local path, or a URL of object storage."""

from pathlib import Path
from typing import Any

import click

from evals.flags.later import body


class RunPath(click.Path):
    """A run directory, a log or a score file; of a URL its local mirror."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the local path; raises :class:`evals.storage.object_store.StoreError` where a URL cannot be read."""
        return super().convert(
            body("evals.storage.mirror", "run_path")(value) if isinstance(value, str) else value, param, ctx
        )


RUN_PATH = RunPath(path_type=Path)
RUNS_DIRECTORY = RunPath(exists=True, file_okay=False, path_type=Path)
