"""What turning dataset rows into items may need beside the rows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tasks.image_cells import keep_image

MAX_IMAGE_PIXELS = "max_image_pixels"  # option of tasks with images: larger ones are scaled down to it


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How rows are read: the variant asked for, where image files lie, and the task's own options.

    Without ``with_images`` items have texts only: enough to grade by, not to ask. ``accept_changes`` lets
    rows be left out that cannot be read; reading adds to ``notes`` what a person should know of it.
    """

    variant: str | None = None
    image_folders: tuple[Path, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    with_images: bool = True
    accept_changes: bool = False
    notes: list[str] = field(default_factory=list)

    def image(self, value: Any, where: str) -> str:
        """Return the reference of the image that a row holds; ``where`` names it in errors."""
        return keep_image(
            value, where, folders=self.image_folders, max_pixels=self.options.get(MAX_IMAGE_PIXELS)
        )
