"""Where files that can be had again are kept on this machine."""

import os
from pathlib import Path


def cache_directory() -> Path:
    """Return where fetched files are kept: ``$QUANTCHECK_CACHE``, else the user's cache directory."""
    if configured := os.environ.get("QUANTCHECK_CACHE"):
        return Path(configured)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "quantcheck"
