import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of real files that are not part of the project; skip where it is absent."""
    default = Path(__file__).parents[3] / "shared" / "data"
    folder = Path(os.environ.get("QUANTCHECK_SHARED_DATA", default))
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder}; set QUANTCHECK_SHARED_DATA")
    return folder
