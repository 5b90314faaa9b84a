"""Let requests through as long as their tokens fit; a text larger than that goes alone."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class TokenGate:
    """Bounds the tokens that are under way together."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._under_way = 0
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def through(self, n_tokens: int) -> AsyncIterator[None]:
        """Wait until ``n_tokens`` fit, and hold their place for as long as the context lasts."""
        taken = min(n_tokens, self._most)
        async with self._changed:
            await self._changed.wait_for(lambda: self._under_way + taken <= self._most)
            self._under_way += taken
        try:
            yield
        finally:
            async with self._changed:
                self._under_way -= taken
                self._changed.notify_all()
