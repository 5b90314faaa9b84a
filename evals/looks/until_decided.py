"""Run a task look by look, as declared beforehand, and stop once the comparison is decided."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from evals.looks.declared_run import check_declared, record_look
from evals.runner import RunEnd, RunRequest, run
from evals.storage.run_directory import read_manifest
from reports.declaration import Declaration, looks_taken
from reports.look import Look, NoLookError, take_look
from reports.run_files import TaskRun, find_runs, only_run


@dataclass(frozen=True, kw_only=True)
class Sequence:
    """A run that may stop early: its request, what is declared, and the baseline to compare with."""

    request: RunRequest
    declaration: Declaration
    baseline: TaskRun


@dataclass(frozen=True, kw_only=True)
class SequenceEnd:
    """How it ended: as a run does, with the decision; without one, what kept a look from being taken."""

    end: RunEnd
    decision: Mapping[str, Any] | None
    obstacle: str | None = None


def run_until_decided(sequence: Sequence, on_look: Callable[[Look], None]) -> SequenceEnd:
    """Run up to each look in turn and stop where it decides; a run that was killed goes on at its look.

    Epochs are added in place: each look's log holds all responses so far, and earlier ones come from the
    journal. Raises what :func:`evals.runner.run` does.
    """
    request, declaration = sequence.request, sequence.declaration
    manifest = read_manifest(request.directory)
    check_declared(declaration.as_dict(), manifest, request.spec.epochs, request.directory)
    if manifest.get("decision"):
        return SequenceEnd(end=_nothing_run(request), decision=manifest["decision"])
    total, n_taken = _nothing_run(request), len(looks_taken(manifest.get("sequential")))
    for number in range(n_taken + 1, len(declaration.plan.looks) + 1):
        total = _run_to(sequence, number, total)
        if not total.is_whole:
            return SequenceEnd(end=total, decision=None)
        try:
            look = _take(sequence, number)
        except NoLookError as error:
            return SequenceEnd(end=total, decision=None, obstacle=str(error))
        taken = record_look(request.directory, look)
        on_look(look)
        if look.stops:
            return SequenceEnd(end=total, decision=taken)
    return SequenceEnd(end=total, decision=None, obstacle="every declared look is taken and none decided")


def _run_to(sequence: Sequence, number: int, total: RunEnd) -> RunEnd:
    """Run up to a look and return how that ended, with the requests sent so far."""
    request, declaration = sequence.request, sequence.declaration
    spec = replace(request.spec, epochs=declaration.plan.looks[number - 1])
    end = run(replace(request, spec=spec, declared=declaration.as_dict()))
    return replace(
        end,
        n_requests_sent=total.n_requests_sent + end.n_requests_sent,
        n_retries=total.n_retries + end.n_retries,
    )


def _take(sequence: Sequence, number: int) -> Look:
    return take_look(
        sequence.declaration,
        number,
        sequence.baseline,
        only_run(find_runs(sequence.request.directory)),
    )


def _nothing_run(request: RunRequest) -> RunEnd:
    return RunEnd(
        directory=request.directory,
        log=None,
        is_whole=False,
        n_requests_sent=0,
        n_retries=0,
        fatal=None,
        was_interrupted=False,
    )
