"""``quantcheck run --until-decided``: its looks, as they are asked and as lines; the warning of too few epochs."""

import sys
from collections.abc import Mapping
from typing import Any

import click

from evals.commands.compare import EXIT_CODES
from evals.commands.plan_power import (
    TYPICAL_BUDGET_SHARE,
    basis_of,
    margin_of,
    power_of,
    refuse_other_tasks,
)
from evals.exit_code import CommandError, ExitCode
from evals.looks.baseline_run import choose_baseline
from evals.looks.declared_run import check_declared
from evals.looks.until_decided import Sequence, SequenceEnd, run_until_decided
from evals.runner import RunRequest
from evals.storage.run_directory import now_text, read_manifest
from reports import numbers
from reports.comparison import find_side
from reports.declaration import Declaration, identify
from reports.intervals import Interval
from reports.look import Look
from reports.planning import baseline_epochs
from reports.power import Epochs
from reports.run_files import TaskRun
from reports.sequential import default_looks, plan_looks
from reports.tolerance import Tolerance
from reports.verdict import Verdict


def read_looks(text: str) -> tuple[int, ...]:
    """Return the epochs of ``--looks``; raise :class:`click.BadParameter` for what are none."""
    try:
        looks = tuple(int(part) for part in text.replace(" ", ",").split(",") if part)
        plan_looks(looks)
    except ValueError:
        raise click.BadParameter(f"{text!r}: give rising epochs from 2 on, such as 8,16,24,32") from None
    return looks


def settle_looks(task: str, options: dict[str, Any]) -> None:
    """Check the flags against each other and set the epochs that the looks ask for."""
    refuse_other_tasks((task,), options["margins"])
    if not options["until_decided"]:
        for name in ("looks", "futility"):
            if options[name]:
                raise click.UsageError(f"--{name}: is part of --until-decided; give both or neither")
        return
    if options["baseline"] is None:
        raise click.UsageError(
            "--until-decided: compares while it runs; name the finished run with --baseline"
        )
    looks = options["looks"]
    if looks and options["epochs"] not in (None, looks[-1]):
        raise click.UsageError(
            f"--epochs {options['epochs']}: the last of --looks is {looks[-1]}; leave one of them out"
        )
    options["epochs"] = looks[-1] if looks else options["epochs"]


def baseline_for(request: RunRequest, options: Mapping[str, Any]) -> TaskRun | None:
    """Return the run that ``--baseline`` names, ``None`` without; one that a comparison would refuse is."""
    if options["baseline"] is None:
        return None
    return choose_baseline(find_side(options["baseline"]), request.spec, request.items)


def decide(request: RunRequest, options: Mapping[str, Any], baseline: TaskRun) -> SequenceEnd:
    """Declare the looks, run until decided, and print what each look shows."""
    task, last = request.spec.task, request.spec.epochs
    tolerance = margin_of(task, options["margins"])
    if last < 2:
        raise click.UsageError(f"--until-decided: {task} is planned with 1 epoch; give --epochs 2 or more")
    declaration = Declaration(
        plan=plan_looks(
            options["looks"] or default_looks(last),
            futility=options["futility"],
            baseline_epochs=baseline_epochs(baseline),
        ),
        margin=tolerance.margin_at(0.0),
        baseline=identify(baseline),
        declared=now_text(),
    )
    manifest = read_manifest(request.directory)
    check_declared(declaration.as_dict(), manifest, last, request.directory)
    _say_declared(declaration, tolerance, request)
    return run_until_decided(
        Sequence(
            request=request,
            declaration=declaration,
            baseline=baseline,
        ),
        _say_look,
    )


def decision_code(end: SequenceEnd) -> ExitCode:
    """Return the exit code of the verdict; raises :class:`CommandError` where no look could be taken."""
    if end.decision is None:
        raise CommandError(
            f"nothing decided: {end.obstacle}; the same command goes on at this look", ExitCode.INVALID
        )
    return EXIT_CODES[Verdict(end.decision["verdict"])]


def warn_if_underpowered(request: RunRequest, options: Mapping[str, Any], baseline: TaskRun | None) -> None:
    """Say on stderr where the epochs asked for will hardly decide the margin; a cut run is no comparison."""
    task, epochs = request.spec.task, request.spec.epochs
    if options["limit"] and not options["margins"]:
        return
    basis = basis_of(task, len(request.items), baseline)
    if basis is None:
        return
    found = power_of(
        task,
        basis,
        Epochs(baseline=baseline_epochs(baseline) if baseline else epochs, candidate=epochs),
        basis.mean_tokens or request.spec.max_tokens * TYPICAL_BUDGET_SHARE,
        options["margins"],
    )
    if found.warning is not None:
        print(f"warning: underpowered: {found.warning}", file=sys.stderr)


def describe_decision(decision: Mapping[str, Any]) -> str:
    """Return the decision as one line for people."""
    delta = decision["delta"]
    shown = Interval(low=delta["low"], high=delta["high"], confidence=delta["confidence"], method="")
    saved = f", {decision['epochs_saved']} epochs saved" if decision["epochs_saved"] else ""
    early = " (after early stopping: biased outward)" if decision["stopped_early"] else ""
    return (
        f"{decision['verdict'].upper()} at look {decision['look']} of {len(decision['looks'])}"
        f" ({decision['epochs']} of {decision['max_epochs']} epochs{saved}):"
        f" delta {numbers.points(delta['value'])} {numbers.points_interval(shown)}{early},"
        f" margin {numbers.margin_points(decision['margin'])}, z = {decision['critical_value']:.3f}"
    )


def _say_declared(declaration: Declaration, tolerance: Tolerance, request: RunRequest) -> None:
    plan = declaration.plan
    bounds = ", ".join(
        f"{epochs} (z = {z:.2f})" for epochs, z in zip(plan.looks, plan.critical_values, strict=True)
    )
    futility = "; stops undecided where it is futile" if plan.futility else ""
    print(
        f"declared in {request.directory / 'manifest.json'}: looks at {bounds} epochs; margin"
        f" {numbers.margin_points(declaration.margin)} ({tolerance.source}); baseline"
        f" {declaration.baseline.label}, {declaration.baseline.epochs} epochs{futility}",
        file=sys.stderr,
    )


def _say_look(look: Look) -> None:
    n_looks = len(look.declaration.plan.looks)
    ahead = (
        ""
        if look.stops
        else f"; on this trend a pass has {look.chances.of_pass:.0%}, a regression"
        f" {look.chances.of_regression:.0%}"
    )
    print(
        f"look {look.number} of {n_looks}, {look.epochs} epochs: {look.verdict}, delta"
        f" {numbers.points(look.value)} {numbers.points_interval(look.interval)}{ahead}",
        file=sys.stderr,
    )
