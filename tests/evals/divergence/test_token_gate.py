"""Tokens under way together stay within the bound; a text larger than it goes alone."""

import asyncio

import pytest

from evals.divergence.token_gate import TokenGate


async def most_together(lengths, bound):
    gate, under_way, seen = TokenGate(bound), [], []

    async def work(n):
        async with gate.through(n):
            under_way.append(n)
            seen.append(list(under_way))
            await asyncio.sleep(0)
            under_way.remove(n)

    async with asyncio.TaskGroup() as group:
        for n in lengths:
            group.create_task(work(n))
    return seen


@pytest.mark.parametrize(
    ("lengths", "bound"),
    [
        pytest.param([10] * 8, 25, id="two at once"),
        pytest.param([10, 500, 10, 700, 10], 30, id="long ones among short ones"),
        pytest.param([3, 1, 2], 100, id="all at once"),
    ],
)
def test_the_bound_holds(lengths, bound):
    seen = asyncio.run(most_together(lengths, bound))
    assert len(seen) == len(lengths)
    assert all(sum(together) <= bound or len(together) == 1 for together in seen)


def test_what_fits_goes_together():
    assert max(map(len, asyncio.run(most_together([10] * 8, 25)))) == 2
