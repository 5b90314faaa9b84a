"""The flags of ``quantcheck verify``; what it does is in :mod:`evals.commands.verify`."""

from pathlib import Path
from typing import Any

import click

from evals.commands.number import Number
from evals.endpoint import DEFAULT_KEY_VARIABLE
from evals.flags.later import body
from evals.flags.run_options import read_headers, read_json_object
from evals.flags.running_options import POSITIVE
from evals.probe_settings import ClientSettings
from tasks.spec import ThinkMode
from tasks.vendor_contract.profiles import PROFILES

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("directories", nargs=-1, type=click.Path(path_type=Path), metavar="[DIR...]")
@click.option("--combine", is_flag=True, help="Put the reports in DIR... into one table; asks nothing.")
@click.option(
    "--base-url",
    "base_urls",
    multiple=True,
    metavar="URL",
    help="Endpoint; repeat for several. Else $OPENAI_BASE_URL.",
)
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
    "--samples",
    type=_FILE,
    metavar="FILE",
    help="K2 tool-call samples (samples.jsonl or tool-calls.tar.gz): run as the task k2_tool_calls.",
)
@click.option(
    "--reference",
    "references",
    multiple=True,
    type=_FILE,
    metavar="FILE",
    help="Official results of these samples, for the trigger F1; repeat for further official runs, which"
    " show how far the official endpoint agrees with itself.",
)
@click.option(
    "--comparison",
    type=click.Path(exists=True, path_type=Path),
    metavar="DIR",
    help="What quantcheck compare REFERENCE VENDOR wrote: its tasks become criteria, the endpoint being"
    " the candidate. For one endpoint; --combine puts several into one table.",
)
@click.option(
    "--f1-line",
    type=Number(0, 1),
    metavar="X",
    show_default="the published one of the reference's model",
    help="Least trigger F1 that passes.",
)
@click.option("--schema-line", type=Number(0, 1), metavar="X", help="Least schema accuracy that passes.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only the first N samples.")
@click.option("--both-ways", is_flag=True, help="Send each sample streamed and plain.")
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
@click.option(
    "--max-connections",
    type=click.IntRange(1, 4096),
    show_default="8 for probes, 256 for samples",
    help="Requests in flight.",
)
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
    "--outage",
    "outage_s",
    type=POSITIVE,
    default=300.0,
    show_default=True,
    metavar="SECONDS",
    help="How long the samples wait for an endpoint that answers none of them.",
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
def command(**given: Any) -> Any:
    """Qualify one endpoint or several by the vendor contract: which part of it is kept, which is broken.

    \b
    Exit codes: 0 qualified, 1 criteria failed, 2 usage, 4 something could not be judged,
    5 the endpoint answers nothing.
    """
    return body("evals.commands.verify", "qualify_endpoints")(**given)
