"""``quantcheck run`` against a dead checkpoint with a real budget: stopped long before the first reply is whole."""

import time

BUDGET = 60_000  # tokens; at this pace more than half a minute for the first reply alone
TOKENS_PER_S = 1_500


def test_a_dead_checkpoint_is_named_while_it_writes(ask, serve):
    running = serve("flood=100%", tokens_per_s=TOKENS_PER_S, tokens_per_frame=2)
    flags = ["--max-tokens", BUDGET, "--max-connections", 8, "--json"]
    started = time.monotonic()
    ended = ask(running.base_url, *flags, limit=30)
    took_s = time.monotonic() - started
    assert ended.code == 5
    assert (
        "stopped: checkpoint: dead checkpoint: each of the first 8 replies is '!' over and over" in ended.err
    )
    assert ended.err.count("over and over: a serving fault") == 1
    assert took_s < BUDGET / TOKENS_PER_S / 2
    assert running.ledger.statuses[200] <= 8
