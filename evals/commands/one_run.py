"""One run among others: made in this process, its end as a state, what is foreseen its own failure alone."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import click

from evals.commands.run import build_request, summary_of, what_failed
from evals.exit_code import CommandError, ExitCode, foreseen_code
from evals.run_state import RunState, RunStatus
from evals.runner import RunEnd, Watch, run, show_progress
from evals.storage.run_directory import write_json
from evals.storage.stored_run import kept, settle_store

_BY_STATUS = {"complete": RunStatus.COMPLETE, "partial": RunStatus.PARTIAL, "invalid": RunStatus.INVALID}
INTERRUPTED = RunState(status=RunStatus.PARTIAL, code=ExitCode.INTERRUPTED, problem="interrupted")


def run_one(asked: Mapping[str, Any], watch: Watch = show_progress) -> RunState:
    """Run what is missing of a run and return how it stands; what is foreseen fails this run alone.

    ``asked`` holds the parameters of ``quantcheck run``, its task among them.
    """
    parameters = dict(asked)
    try:
        store = settle_store(parameters)
        request = build_request(parameters.pop("task"), parameters)
        with kept(store, request.directory):
            end = run(request, watch)
            rate = parameters["max_error_rate"]
            summary = summary_of(end, max_error_rate=rate, groups=request.benchmark.groups)
            if summary is not None:
                write_json(end.directory / "summary.json", summary)
        return _state_of(end, summary)
    except click.UsageError as error:
        return failed(error.format_message(), ExitCode.USAGE)
    except CommandError as error:
        return failed(str(error), error.code)
    except Exception as error:  # every foreseen kind is named in one table; others are raised
        code = foreseen_code(error)
        if code is None:
            raise
        return failed(str(error), code)


def failed(words: str, code: ExitCode) -> RunState:
    """Return the state of a run that failed for the reason in ``words``."""
    return RunState(status=RunStatus.FAILED, problem=" ".join(words.split()), code=code)


def _state_of(end: RunEnd, summary: Mapping[str, Any] | None) -> RunState:
    status = RunStatus.FAILED if summary is None else _BY_STATUS[summary["status"]]
    state = RunState(status=status, directory=end.directory, summary=summary or {})
    if end.was_interrupted:
        return replace(state, status=INTERRUPTED.status, code=INTERRUPTED.code, problem=INTERRUPTED.problem)
    if end.fatal is not None:
        problem = end.fatal.stop_words
        return replace(state, status=RunStatus.FAILED, code=ExitCode.ENDPOINT_OR_DATA, problem=problem)
    if status in (RunStatus.INVALID, RunStatus.FAILED):
        return replace(state, code=ExitCode.INVALID, problem=what_failed(summary))
    return state
