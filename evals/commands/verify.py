"""``quantcheck verify``: qualify endpoints by the vendor contract; several go into one table."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from evals.commands.asked import choose_model
from evals.commands.verify_places import for_each, labels_of
from evals.commands.verify_samples import Samples, read_samples_options, run_samples
from evals.endpoint import DEFAULT_URL_VARIABLE, Endpoint, EndpointError, normalise_base_url
from evals.exit_code import ExitCode
from evals.fleet.survey import survey
from evals.probe_settings import ClientSettings
from evals.storage.run_directory import safe_label
from evals.vendor.files import Written, show_combined, show_one, write_report
from evals.vendor.verify import Contract, Qualification, unreachable, verify_endpoint
from reports.report_reader import read_report
from reports.vendor_benchmarks import benchmark_criteria
from reports.vendor_json import vendor_document
from reports.vendor_relations import related_to_contract
from reports.vendor_report import VendorCriterion, VendorReport, VendorVerdict
from reports.vendor_table import read_document, report_files
from reports.vendor_tool_calls import SampleRun, tool_call_criteria, tool_call_figures
from tasks.spec import ThinkMode
from tasks.vendor_contract.clauses import GivenData
from tasks.vendor_contract.profiles import PROFILES, find_profile
from tasks.vendor_contract.schema_directory import read_schema_directory
from tasks.vendor_contract.token_counts import read_token_counts

EXIT_CODES = {
    VendorVerdict.QUALIFIED.value: ExitCode.DONE,
    VendorVerdict.NOT_QUALIFIED.value: ExitCode.REGRESSION,
    VendorVerdict.INCOMPLETE.value: ExitCode.INVALID,
}


def qualify_endpoints(
    directories: tuple[Path, ...], *, combine: bool, out: Path, as_json: bool, **options: Any
) -> int:
    """Do what ``quantcheck verify`` is asked; its flags are in :mod:`evals.flags.verify`."""
    if combine:
        return _combine(directories, options, out, as_json=as_json)
    if directories:
        raise click.UsageError(f"{directories[0]}: directories go with --combine; endpoints with --base-url")
    given = options["base_urls"] or [os.environ.get(DEFAULT_URL_VARIABLE)]
    urls = [normalise_base_url(url) for url in given if url]
    if not urls:
        raise click.UsageError("no endpoint: give --base-url URL, or --combine DIR... for earlier reports")
    contract, samples = _contract(options), read_samples_options(options)
    benchmarks = _benchmarks(options["comparison"], urls)
    models, labels = for_each(options, "models", "--model", urls), labels_of(options, urls)
    found: list[Qualification] = []
    places: list[Path] = []
    for url, model, label in zip(urls, models, labels, strict=True):
        directory = out if len(urls) == 1 else out / safe_label(label or url)
        place = _Place(url=url, model=model, label=label, directory=directory)
        found.append(_with_benchmarks(_qualify(contract, samples, options, place), benchmarks))
        places.append(directory)
        write_report(found[-1].report, directory)
    return _show(found, places, out, as_json=as_json)


@dataclass(frozen=True, kw_only=True)
class _Place:
    """One endpoint as the flags name it, and where its report goes; the label may be empty."""

    url: str
    model: str | None
    label: str
    directory: Path


def _qualify(
    contract: Contract, samples: Samples | None, options: dict[str, Any], place: _Place
) -> Qualification:
    """Qualify one endpoint; one that cannot be asked is reported as such, so that the others still are."""
    key, headers = options["api_key_env"], options["headers"]
    try:
        facts = survey(place.url, api_key_env=key, headers=headers, model=place.model)
    except EndpointError as error:
        print(f"quantcheck: {error}", file=sys.stderr)
        name, model = place.label or safe_label(place.model or place.url), place.model or ""
        return unreachable(contract.profile, label=name, base_url=place.url, model=model, problem=str(error))
    endpoint = _endpoint(contract, options, place, choose_model(place.model, facts, place.url))
    found = verify_endpoint(contract, endpoint, facts, place.directory)
    if samples is None or not found.is_usable:
        return found
    write_report(
        found.report, place.directory
    )  # samples take long: what was asked so far is not lost with them
    ran = run_samples(samples, endpoint, place.directory / "runs")
    return replace(found, report=_with_samples(found.report, samples, ran))


def _benchmarks(path: Path | None, urls: Sequence[str]) -> tuple[VendorCriterion, ...]:
    """Return the criteria of a comparison made before, none where none is given."""
    if path is None:
        return ()
    if len(urls) > 1:
        raise click.UsageError(
            "--comparison: is of one endpoint; verify each alone, then --combine the reports"
        )
    report = read_report(path).report
    if report is None:
        raise click.UsageError(f"--comparison {path}: its gate compared nothing; compare the runs again")
    return benchmark_criteria(report)


def _with_benchmarks(found: Qualification, criteria: tuple[VendorCriterion, ...]) -> Qualification:
    report = replace(found.report, criteria=(*found.report.criteria, *criteria))
    return replace(found, report=report)


def _with_samples(report: VendorReport, samples: Samples, ran: SampleRun) -> VendorReport:
    found = tool_call_criteria(ran, samples.references, samples.lines)
    return replace(
        report,
        criteria=related_to_contract((*report.criteria, *found)),
        tool_calls=tool_call_figures(ran, samples.references),
        notes=(*report.notes, *(note for reference in samples.references for note in reference.notes)),
    )


def _endpoint(contract: Contract, options: dict[str, Any], place: _Place, model: str) -> Endpoint:
    mode = options["think_mode"]
    return Endpoint(
        base_url=place.url,
        model=model,
        label=place.label or safe_label(model),
        api_key_env=options["api_key_env"],
        think_mode=ThinkMode(mode) if mode is not None else contract.profile.think_mode,
        extra_body=options["extra_body"],
        headers=options["headers"],
    )


def _contract(options: dict[str, Any]) -> Contract:
    """Return what the flags ask of every endpoint; files are read before any is asked."""
    if options["profile"] is None:
        raise click.UsageError(f"no profile: give --profile {' or '.join(PROFILES)}")
    counts, schemas = options["token_counts"], options["schemas"]
    return Contract(
        profile=find_profile(options["profile"]),
        reply_tokens=options["max_tokens"],
        context_tokens=options["context_tokens"],
        given=GivenData(
            token_counts=read_token_counts(counts) if counts else (),
            schemas=read_schema_directory(schemas) if schemas else (),
        ),
        client=ClientSettings(
            timeout_s=options["timeout_s"],
            max_connections=options["max_connections"] or ClientSettings().max_connections,
        ),
    )


def _show(found: Sequence[Qualification], places: Sequence[Path], out: Path, *, as_json: bool) -> int:
    """Print what was found and return the exit code; an endpoint that answers nothing is told apart."""
    if len(found) == 1:
        show_one(found[0].report, out, as_json=as_json)
    else:
        written = [
            Written(document=vendor_document(one.report), directory=place)
            for one, place in zip(found, places, strict=True)
        ]
        show_combined(written, out, as_json=as_json)
    verdicts = {one.report.verdict for one in found}
    if VendorVerdict.NOT_QUALIFIED in verdicts:
        return ExitCode.REGRESSION
    if not all(one.is_usable for one in found):
        return ExitCode.ENDPOINT_OR_DATA
    return ExitCode.INVALID if VendorVerdict.INCOMPLETE in verdicts else ExitCode.DONE


def _combine(directories: Sequence[Path], options: dict[str, Any], out: Path, *, as_json: bool) -> int:
    if options["base_urls"]:
        raise click.UsageError("--combine: reads reports and asks no endpoint; leave out --base-url")
    if not directories:
        raise click.UsageError("--combine: give the --out directories of earlier verifies")
    written = [
        Written(document=read_document(file), directory=file.parent) for file in report_files(directories)
    ]
    document = show_combined(written, out, as_json=as_json)
    return EXIT_CODES[document["verdict"]]
