"""The flags of ``quantcheck divergence``; what it does is in :mod:`evals.commands.divergence`."""

from pathlib import Path
from typing import Any

import click

from evals.commands.number import Number
from evals.commands.run_path import RUN_PATH
from evals.divergence.engine import Engine
from evals.divergence.pace import Pace
from evals.endpoint import DEFAULT_KEY_VARIABLE
from evals.flags.later import body
from evals.flags.run_options import read_headers
from evals.flags.running_options import POSITIVE, WAITS, outage_option

_PACE = Pace()


@click.command("divergence", short_help="show how far the candidate's token probabilities moved")
@click.option(
    "--baseline", required=True, metavar="URL|DIR", help="Endpoint, or the directory of a recorded side."
)
@click.option(
    "--candidate",
    metavar="URL|DIR",
    help="The same for the candidate; without it the baseline is recorded for later.",
)
@click.option(
    "--from",
    "run",
    type=RUN_PATH,
    metavar="RUN",
    help="Score the responses in the logs of this run; best the baseline's own.",
)
@click.option(
    "--texts",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Score these texts: JSON lines of messages and response, text, or token_ids.",
)
@click.option(
    "--max-tokens-total",
    type=click.IntRange(min=1),
    metavar="N",
    help="Prefill no more than N tokens, all passes together; fewer texts are scored.",
)
@click.option("--dry-run", is_flag=True, help="Show what it would cost and stop.")
@click.option(
    "--floor/--no-floor",
    default=True,
    show_default=True,
    help="Ask the baseline twice: how far batching and kernels alone move it.",
)
@click.option(
    "--top-k",
    type=click.IntRange(1, 20),
    default=10,
    show_default=True,
    help="Count tokens whose rank left the top K.",
)
@click.option(
    "--confidence", type=Number(0.5, 0.9999), default=0.95, show_default=True, help="Of every interval."
)
@click.option("--baseline-model", metavar="M", help="Model string of the baseline's endpoint.")
@click.option("--candidate-model", metavar="M", help="Model string of the candidate's endpoint.")
@click.option("--baseline-label", metavar="L", help="Name of the baseline in reports; else the model's.")
@click.option("--candidate-label", metavar="L", help="Name of the candidate in reports; else the model's.")
@click.option(
    "--engine",
    type=click.Choice([Engine.VLLM.value, Engine.SGLANG.value]),
    help="Engine of endpoints that do not tell it.",
)
@click.option(
    "--tokens-only",
    is_flag=True,
    help="Let llama.cpp take part, which gives no log-probabilities of prompts: compare tokens.",
)
@click.option(
    "--tokenizer",
    metavar="PATH|REPO",
    help="Render this tokenizer's chat template here, for engines that do not.",
)
@click.option(
    "--api-key-env",
    default=DEFAULT_KEY_VARIABLE,
    show_default=True,
    metavar="NAME",
    help="Environment variable that holds the key of both; the key itself is never stored.",
)
@click.option(
    "--header",
    "headers",
    multiple=True,
    callback=read_headers,
    metavar="'NAME: VALUE'",
    help="Extra HTTP header for both; repeat for more. Never stored.",
)
@click.option(
    "--max-connections",
    type=click.IntRange(1, 4096),
    default=_PACE.max_connections,
    show_default=True,
    help="Requests in flight.",
)
@click.option(
    "--max-tokens-in-flight",
    type=click.IntRange(min=1),
    default=_PACE.max_tokens_in_flight,
    show_default=True,
    help="Tokens in flight; a longer text goes alone.",
)
@outage_option
@click.option(
    "--reply-timeout",
    type=POSITIVE,
    default=WAITS.plain_s,
    show_default=True,
    metavar="SECONDS",
    help="Longest wait for one reply.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("divergence"),
    show_default=True,
    metavar="DIR",
    help="Where the records of both sides, divergence.json and divergence.md go.",
)
@click.option("--json", "as_json", is_flag=True, help="Print divergence.json and nothing else.")
def command(**given: Any) -> Any:
    """Score the same texts on both endpoints by prefill alone, and show how far the candidate has moved.

    Minutes instead of hours: it says whether the benchmarks are worth running and where a loss sits. It
    never replaces them. Run again to resume; one side may be recorded before the other is up.

    \b
    Exit codes: 0 done, 2 usage, 4 nothing comparable (other tokens in every text), 5 endpoint or data.
    """
    return body("evals.commands.divergence", "show_divergence")(**given)
