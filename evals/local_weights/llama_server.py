"""Serve one GGUF file by llama.cpp on 127.0.0.1: a process of its own, so that it can always be ended."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evals.exit_code import CommandError, ExitCode

START_TIMEOUT_S = 120.0
STOP_TIMEOUT_S = 10.0
N_SLOTS = 4  # requests at once: one thread reads the weights once for all of them
CONTEXT_TOKENS = 1_024  # of one request
_READY = "serving at "


@contextmanager
def served(weights: Path, model: str, log: Path) -> Iterator[str]:
    """Serve ``weights`` under the name ``model`` and yield the base URL; the server's words go to ``log``.

    Raises :class:`CommandError` where the server does not come up.
    """
    command = [sys.executable, "-m", __spec__.name, str(weights), model]
    with (
        log.open("wb") as words,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=words, text=True
        ) as process,
    ):
        try:
            yield f"{_address(process, weights, log)}/v1"
        finally:
            process.terminate()
            try:
                process.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                process.kill()


def _address(process: "subprocess.Popen[str]", weights: Path, log: Path) -> str:
    """Return the address that the process says it serves at; its silence is cut short by a timer."""
    timer = threading.Timer(START_TIMEOUT_S, process.kill)
    timer.start()
    try:
        lines = iter(process.stdout or ())
        line = next((line for line in lines if line.startswith(_READY)), None)
    finally:
        timer.cancel()
    if line is None:
        raise CommandError(
            f"llama.cpp: does not serve {weights.name} (exit code {process.wait()}); its words are in {log}",
            ExitCode.ENDPOINT_OR_DATA,
        )
    return line.removeprefix(_READY).strip()


def _serve(weights: str, model: str) -> None:
    """Serve until standard input closes, as it does when the parent ends in whatever way."""
    # here and not above: the parent asks this module for a server without loading llama.cpp itself
    from xllamacpp import CommonParams, Server  # noqa: PLC0415

    params = CommonParams()
    params.model.path = weights
    params.model_alias = {model}
    params.hostnames = ["127.0.0.1"]
    params.port = 0  # any free one
    params.n_parallel = N_SLOTS
    params.n_ctx = N_SLOTS * CONTEXT_TOKENS
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.use_jinja = True
    params.ui = False
    server = Server(params)
    print(f"{_READY}{server.listening_address}", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    _serve(*sys.argv[1:])
