"""``quantcheck divergence``: how far the candidate's token probabilities moved, from one prefill a text and side."""

import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from evals.commands.asked import choose_model
from evals.divergence.cost import Cost, within_bound
from evals.divergence.engine import engine_of
from evals.divergence.file_texts import read_file_texts
from evals.divergence.pace import Pace
from evals.divergence.run_texts import read_run_texts
from evals.divergence.sides import AskedSide, Manner, record
from evals.divergence.text import PlannedText, Texts
from evals.endpoint import Endpoint, normalise_base_url
from evals.exit_code import ExitCode
from evals.fleet.survey import survey
from evals.prompts.chat_template import load_chat_template
from evals.report_files import write_files
from evals.storage.run_directory import safe_label
from evals.transport.retry import RetryPolicy
from evals.waits import Waits
from reports.divergence.document import divergence_document
from reports.divergence.figures import diverge
from reports.divergence.measure import measure
from reports.divergence.render import render_divergence_markdown, render_divergence_terminal
from reports.divergence.side import Side, read_side
from reports.json_report import to_json

BASELINE, CANDIDATE = "baseline", "candidate"
DOCUMENT, MARKDOWN = "divergence.json", "divergence.md"


def show_divergence(*, out: Path, as_json: bool, dry_run: bool, **options: Any) -> int:
    """Do what ``quantcheck divergence`` is asked; its flags are in :mod:`evals.flags.divergence`."""
    sides = {name: _side(name, options, out) for name in (BASELINE, CANDIDATE)}
    asked = [side for side in sides.values() if isinstance(side, AskedSide)]
    texts = _texts(options, needed=bool(asked))
    shared = _shared(texts.planned, sides)
    planned = within_bound(shared, sum(len(side.parts) for side in asked), options["max_tokens_total"])
    cost = Cost(
        passes=[one for side in asked for one in side.passes(planned)],
        n_beyond_bound=len(shared) - len(planned),
    )
    if dry_run:
        click.echo(to_json(cost.as_json()) if as_json else "\n".join(cost.lines()), nl=not as_json)
        return ExitCode.DONE
    notes = [f"{n:,} texts left out: {reason}" for reason, n in texts.left_out.items()]
    if len(shared) < len(texts.planned):
        notes.append(f"{len(texts.planned) - len(shared):,} texts left out: the recorded side lacks them")
    notes += _record_all(asked, planned, cost, _manner(options))
    ours, theirs = (_recorded(sides[name]) for name in (BASELINE, CANDIDATE))
    if ours is None or theirs is None:
        click.echo(_next(ours, options), err=True)
        return ExitCode.DONE
    keys = {text.key for text in planned} if texts.planned else None
    return _show(ours, theirs, options, _Output(directory=out, as_json=as_json, notes=notes, keys=keys))


@dataclass(frozen=True, kw_only=True)
class _Output:
    """Where the figures go, what is noted beside them, and of which texts they are (``None``: of all)."""

    directory: Path
    as_json: bool
    notes: Sequence[str]
    keys: Collection[str] | None


def _side(name: str, options: Mapping[str, Any], out: Path) -> AskedSide | Side | None:
    """Return a side as its flag names it: to be asked, recorded already, or not there."""
    given = options[name]
    if given is None:
        return None
    if "://" not in given:
        return read_side(Path(given))
    base_url, model = normalise_base_url(given), options[f"{name}_model"]
    facts = survey(base_url, api_key_env=options["api_key_env"], headers=options["headers"], model=model)
    engine = engine_of(facts, base_url, asked=options["engine"], tokens_only=options["tokens_only"])
    chosen = choose_model(model, facts, base_url)
    endpoint = Endpoint(
        base_url=base_url,
        model=chosen,
        label=safe_label(options[f"{name}_label"] or chosen),
        api_key_env=options["api_key_env"],
        headers=options["headers"],
    )
    floor = name == BASELINE and options["floor"]
    side = AskedSide(name=name, endpoint=endpoint, engine=engine, facts=facts, directory=out / name)
    return replace(side, with_floor=floor)


def _texts(options: Mapping[str, Any], *, needed: bool) -> Texts:
    run, file = options["run"], options["texts"]
    if run is not None and file is not None:
        raise click.UsageError("--from and --texts: give one of them")
    if run is not None:
        return read_run_texts(run)
    if file is not None:
        return read_file_texts(file)
    if needed:
        raise click.UsageError("no texts: give --from RUN (best the baseline's own) or --texts FILE")
    return Texts(planned=())


def _shared(
    planned: Sequence[PlannedText], sides: Mapping[str, AskedSide | Side | None]
) -> list[PlannedText]:
    """Return the texts that every recorded side has."""
    recorded = [set(side.keys()) for side in sides.values() if isinstance(side, Side)]
    shared = [text for text in planned if all(text.key in keys for keys in recorded)]
    if planned and not shared:
        raise click.UsageError(
            "texts: none of them is among those of the recorded side; give the --from or --texts it was made with"
        )
    return shared


def _record_all(
    asked: Sequence[AskedSide], planned: Sequence[PlannedText], cost: Cost, manner: Manner
) -> list[str]:
    """Record what is missing and return what is to be said of texts left out."""
    notes = []
    if asked:
        print("\n".join(cost.lines()), file=sys.stderr, flush=True)
    if cost.n_beyond_bound:
        notes.append(f"{cost.n_beyond_bound:,} texts left out to stay within the bound on tokens")
    for side in asked:
        refused = record(side, planned, manner)
        notes += [f"{n:,} texts refused by the {side.name}: {reason}" for reason, n in refused.items()]
    return notes


def _manner(options: Mapping[str, Any]) -> Manner:
    tokenizer = options["tokenizer"]
    return Manner(
        top_k=options["top_k"],
        pace=Pace(
            max_connections=options["max_connections"], max_tokens_in_flight=options["max_tokens_in_flight"]
        ),
        waits=Waits(plain_s=options["reply_timeout"]),
        policy=RetryPolicy(outage_s=options["outage"], cold_s=min(options["outage"], RetryPolicy().cold_s)),
        template=load_chat_template(tokenizer) if tokenizer else None,
    )


def _recorded(side: AskedSide | Side | None) -> Side | None:
    return read_side(side.directory) if isinstance(side, AskedSide) else side


def _next(baseline: Side | None, options: Mapping[str, Any]) -> str:
    where = baseline.directory if baseline is not None else BASELINE
    source = f"--from {options['run']}" if options["run"] else f"--texts {options['texts']}"
    return f"recorded {where} · next: quantcheck divergence --baseline {where} --candidate URL {source}"


def _show(ours: Side, theirs: Side, options: Mapping[str, Any], output: _Output) -> int:
    top_k = options["top_k"]
    measured = measure(ours, theirs, top_k=top_k, keys=output.keys)
    found = diverge(measured, top_k=top_k, confidence=options["confidence"])
    document = divergence_document(found, ours, theirs, output.notes)
    text = to_json(document)
    files = {DOCUMENT: text, MARKDOWN: render_divergence_markdown(document)}
    directory = write_files(output.directory, files)
    click.echo(text if output.as_json else render_divergence_terminal(document), nl=False)
    click.echo(f"divergence: {directory / DOCUMENT}, {MARKDOWN}", err=True)
    return ExitCode.DONE if measured.texts else ExitCode.INVALID
