"""``quantcheck run --shard K/N``: ask one part of a run, for schedulers that start each part themselves."""

import sys
from collections.abc import Mapping
from typing import Any

import click
from tqdm import tqdm

from evals.exit_code import CommandError, ExitCode
from evals.progress import Progress
from evals.run_request import RunRequest
from evals.shards.dealing import Shard
from evals.shards.shard_run import deal_run, run_shard
from evals.worker_engine import Engine


def refuse_with_shard(options: Mapping[str, Any], *, as_json: bool) -> None:
    """Raise :class:`click.UsageError` for flags that one part of a run cannot follow."""
    if options["shard"] is None:
        return
    if options["workers"] > 1 or options["engine"] != Engine.LOCAL:
        raise click.UsageError(
            "--shard: is asked by one process; deal into more parts, or leave --workers out"
        )
    if options["until_decided"]:
        raise click.UsageError(
            "--shard: one part decides nothing; leave --until-decided out, or run it with --workers"
        )
    if as_json:
        raise click.UsageError(
            "--shard: one part has no summary; leave --json out, the run without --shard has one"
        )


def ask_shard(request: RunRequest, shard: Shard) -> int:
    """Ask the shard's part of the run and return the exit code; errors are asked again by the run itself."""
    pairs = deal_run(request, shard.n_shards)[shard.number - 1]
    if not pairs:
        print(f"shard {shard.name}: the run has fewer responses than shards; nothing to ask")
        return ExitCode.DONE
    progress = Progress(expected=len(pairs), recorded=0)
    end = run_shard(request, shard, pairs, progress, tell=lambda line: tqdm.write(line, file=sys.stderr))
    if end.was_interrupted:
        print("quantcheck: interrupted; run the same command again to resume", file=sys.stderr)
        return ExitCode.INTERRUPTED
    if end.fatal is not None:
        raise CommandError(end.fatal.stop_words, ExitCode.ENDPOINT_OR_DATA)
    failed = f", {len(end.failures)} failed (asked again by the run itself)" if end.failures else ""
    print(
        f"shard {shard.name}: {len(pairs)} responses{failed} in {request.directory}\n"
        f"next: when all {shard.n_shards} parts are done, the same command without --shard"
    )
    return ExitCode.DONE
