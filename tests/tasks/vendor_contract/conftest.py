import os
from pathlib import Path

import pytest


@pytest.fixture
def shared_walle() -> Path:
    """Return the folder of walle's own test cases, which are no part of the project; skip where absent."""
    default = Path(__file__).parents[4] / "shared" / "data"
    folder = Path(os.environ.get("QUANTCHECK_SHARED_DATA", default)) / "walle/testdata/validator_cases"
    if not folder.is_dir():
        pytest.skip(f"no schemas at {folder}; set QUANTCHECK_SHARED_DATA")
    return folder
