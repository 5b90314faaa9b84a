"""The server process: what does not serve is told with the place of its words, and nothing stays behind."""

import pytest

from evals.exit_code import CommandError
from evals.local_weights.llama_server import served


def test_a_file_that_is_no_model_is_told(tmp_path):
    weights = tmp_path / "broken.gguf"
    weights.write_bytes(b"GGUF, or so it says")
    log = tmp_path / "server.log"
    with (
        pytest.raises(CommandError, match=r"does not serve broken\.gguf") as caught,
        served(weights, "m", log),
    ):
        pass
    assert str(log) in str(caught.value) and log.stat().st_size > 0
