"""``quantcheck verify``: qualify endpoints by the vendor contract; several go into one table."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from evals.commands.asked import choose_model
from evals.commands.run_options import POSITIVE, read_headers, read_json_object
from evals.endpoint import DEFAULT_KEY_VARIABLE, Endpoint, EndpointError, normalise_base_url
from evals.exit_code import ExitCode
from evals.probe_client import ClientSettings
from evals.run_directory import safe_label
from evals.survey import survey
from evals.vendor_files import show_combined, show_one, write_report
from evals.vendor_verify import Contract, Qualification, unreachable, verify_endpoint
from reports.vendor_json import vendor_document
from reports.vendor_report import VendorVerdict
from reports.vendor_table import read_reports
from tasks.spec import ThinkMode
from tasks.vendor_contract.profiles import PROFILES, GivenData, find_profile
from tasks.vendor_contract.schema_directory import read_schema_directory
from tasks.vendor_contract.token_counts import read_token_counts

EXIT_CODES = {
    VendorVerdict.QUALIFIED.value: ExitCode.DONE,
    VendorVerdict.NOT_QUALIFIED.value: ExitCode.REGRESSION,
    VendorVerdict.INCOMPLETE.value: ExitCode.INVALID,
}
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("directories", nargs=-1, type=click.Path(path_type=Path), metavar="[DIR...]")
@click.option("--combine", is_flag=True, help="Put the reports in DIR... into one table; asks nothing.")
@click.option("--base-url", "base_urls", multiple=True, metavar="URL", help="Endpoint; repeat for several.")
@click.option("--model", "models", multiple=True, help="Model string; one for all, or one for each URL.")
@click.option("--label", "labels", multiple=True, help="Name in reports, one for each URL; else the model's.")
@click.option("--profile", type=click.Choice(list(PROFILES)), help="What kind of endpoint it must be.")
@click.option(
    "--think-mode",
    type=click.Choice([mode.value for mode in ThinkMode]),
    show_default="the profile's",
    help="How thinking is switched: Moonshot's API, chat template arguments, or not at all.",
)
@click.option(
    "--schemas",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Schemas for forced calls: SUITE/valid.jsonl and SUITE/invalid.jsonl, as walle has them.",
)
@click.option("--token-counts", type=_FILE, metavar="FILE", help='JSON list of {"prompt", "tokens"}.')
@click.option(
    "--max-tokens",
    type=click.IntRange(min=1),
    default=4096,
    show_default=True,
    help="Budget of one reply, reasoning included; never more than half the context.",
)
@click.option(
    "--context-tokens",
    type=click.IntRange(min=1),
    metavar="N",
    help="Context length, where the endpoint does not tell it.",
)
@click.option("--max-connections", type=click.IntRange(1, 256), default=8, show_default=True)
@click.option(
    "--timeout",
    "timeout_s",
    type=POSITIVE,
    default=ClientSettings().timeout_s,
    show_default=True,
    metavar="SECONDS",
    help="Longest wait for one whole reply.",
)
@click.option(
    "--api-key-env",
    default=DEFAULT_KEY_VARIABLE,
    show_default=True,
    metavar="NAME",
    help="Environment variable that holds the key; the key itself is never stored.",
)
@click.option(
    "--header",
    "headers",
    multiple=True,
    callback=read_headers,
    metavar="'NAME: VALUE'",
    help="Extra HTTP header; repeat for more. Never stored.",
)
@click.option(
    "--extra-body", callback=read_json_object, metavar="JSON", help="Merged into every request body."
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("verify"),
    show_default=True,
    metavar="DIR",
    help="Where the report and its evidence go; with several endpoints one folder each.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the report's JSON and nothing else.")
def command(directories: tuple[Path, ...], *, combine: bool, out: Path, as_json: bool, **options: Any) -> int:
    """Qualify one endpoint or several by the vendor contract: which part of it is kept, which is broken.

    \b
    Exit codes: 0 qualified, 1 criteria failed, 2 usage, 4 something could not be judged,
    5 the endpoint answers nothing.
    """
    if combine:
        return _combine(directories, options, out, as_json=as_json)
    if directories:
        raise click.UsageError(f"{directories[0]}: directories go with --combine; endpoints with --base-url")
    urls = [normalise_base_url(url) for url in options["base_urls"]]
    if not urls:
        raise click.UsageError("no endpoint: give --base-url URL, or --combine DIR... for earlier reports")
    contract = _contract(options)
    models, labels = _for_each(options, "models", "--model", urls), _labels(options, urls)
    found: list[Qualification] = []
    for url, model, label in zip(urls, models, labels, strict=True):
        directory = out if len(urls) == 1 else out / safe_label(label or url)
        found.append(_qualify(contract, options, url, model=model, label=label, directory=directory))
        write_report(found[-1].report, directory)
    return _show(found, out, as_json=as_json)


def _qualify(
    contract: Contract, options: dict[str, Any], url: str, *, model: str | None, label: str, directory: Path
) -> Qualification:
    """Qualify one endpoint; one that cannot be asked is reported as such, so that the others still are."""
    try:
        facts = survey(url, api_key_env=options["api_key_env"], headers=options["headers"], model=model)
    except EndpointError as error:
        print(f"quantcheck: {error}", file=sys.stderr)
        name = label or safe_label(model or url)
        return unreachable(contract.profile, label=name, base_url=url, model=model or "", problem=str(error))
    chosen = choose_model(model, facts, url)
    mode = options["think_mode"]
    endpoint = Endpoint(
        base_url=url,
        model=chosen,
        label=label or safe_label(chosen),
        api_key_env=options["api_key_env"],
        think_mode=ThinkMode(mode) if mode is not None else contract.profile.think_mode,
        extra_body=options["extra_body"],
        headers=options["headers"],
    )
    return verify_endpoint(contract, endpoint, facts, directory)


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
        client=ClientSettings(timeout_s=options["timeout_s"], max_connections=options["max_connections"]),
    )


def _for_each(options: dict[str, Any], name: str, flag: str, urls: Sequence[str]) -> tuple[str | None, ...]:
    """Return one value for each endpoint: one given for all, or as many as there are."""
    given = options[name]
    if len(given) in (0, 1):
        return (given[0] if given else None,) * len(urls)
    if len(given) != len(urls):
        raise click.UsageError(f"{flag}: {len(given)} for {len(urls)} endpoints; give one, or one for each")
    return tuple(given)


def _labels(options: dict[str, Any], urls: Sequence[str]) -> tuple[str, ...]:
    """Return the label of each endpoint; several endpoints are told apart by host and port without one."""
    given = options["labels"]
    if given and (len(given) != len(urls) or len(set(map(safe_label, given))) < len(given)):
        raise click.UsageError(f"--label: {', '.join(given)} for {len(urls)} endpoints; give each its own")
    if given:
        return tuple(map(safe_label, given))
    if len(urls) == 1:
        return ("",)
    hosts = [safe_label(url.split("://", 1)[1].split("/", 1)[0]) for url in urls]
    if len(set(hosts)) < len(hosts):
        raise click.UsageError("--label: two endpoints share a host; give each a --label of its own")
    return tuple(hosts)


def _show(found: Sequence[Qualification], out: Path, *, as_json: bool) -> int:
    """Print what was found and return the exit code; an endpoint that answers nothing is told apart."""
    if len(found) == 1:
        show_one(found[0].report, out, as_json=as_json)
    else:
        show_combined([vendor_document(one.report) for one in found], out, as_json=as_json)
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
    document = show_combined(read_reports(directories), out, as_json=as_json)
    return EXIT_CODES[document["verdict"]]
