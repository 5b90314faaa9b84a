"""Hold a run to the looks it declared: what the manifest says before the first stays as it was."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evals.storage.run_directory import now_text, read_manifest, write_json
from reports.declaration import TAKEN, looks_taken, read_declaration
from reports.look import Look


class DeclarationError(ValueError):
    """A run that would not keep to what was declared before its first look."""


def check_declared(
    declared: Mapping[str, Any] | None, earlier: Mapping[str, Any], epochs: int, directory: Path
) -> None:
    """Raise :class:`DeclarationError` where a run of ``epochs`` would not keep to what the directory declares.

    Looks are declared before the first: not over responses that are there already. Afterwards nothing of
    them changes, and only they add epochs: no run is extended until it passes.
    """
    there = read_declaration(earlier.get("sequential"), str(directory))
    now = read_declaration(declared, "this run")
    name = f"run directory {str(directory)!r}"
    if there is not None and now is not None:
        if differences := there.differences(now):
            raise DeclarationError(
                f"{name}: declared otherwise on {there.declared[:10]}: {'; '.join(differences)};"
                " repeat what was declared, or start another run with another --seed or --label"
            )
    elif there is not None and epochs > (earlier.get("epochs") or 0):
        raise DeclarationError(
            f"{name}: declared to run until decided (looks {', '.join(map(str, there.plan.looks))}), {epochs}"
            f" epochs asked for; go on with --until-decided, or start another run with another --seed"
        )
    elif now is not None and (earlier.get("epochs") or 0) >= now.plan.looks[0]:
        raise DeclarationError(
            f"{name}: has {earlier['epochs']} epochs already and declared no looks before them; looks are"
            " declared before the first: start another run with another --seed or --label"
        )


def declared_facts(declared: Mapping[str, Any] | None, earlier: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the manifest keeps of looks: the declaration with the looks taken, and the decision."""
    return {
        "sequential": earlier.get("sequential") or declared,
        "decision": earlier.get("decision"),
    }


def record_look(directory: Path, look: Look) -> dict[str, Any]:
    """Write a look into the manifest, as the run's decision where it stops there, and return it."""
    manifest = read_manifest(directory)
    sequential = manifest["sequential"]
    taken = look.as_dict() | {"taken": now_text()}
    manifest["sequential"] = sequential | {TAKEN: [*looks_taken(sequential), taken]}
    manifest["decision"] = taken if look.stops else None
    write_json(directory / "manifest.json", manifest)
    return taken
