"""Whether anybody is there at all: what tells a server that is gone from requests that break a server."""

import asyncio
from collections.abc import Mapping, Sequence
from http.client import NOT_IMPLEMENTED

import aiohttp

PULSE_TIMEOUT_S = 15.0


async def has_pulse(base_urls: Sequence[str], headers: Mapping[str, str]) -> bool:
    """Return whether any of these servers answers a request that generates nothing, refusals included.

    A gateway whose servers are gone says so with a status of 5xx, which is no answer; 501 is one, of a server
    that serves no such page.
    """
    timeout = aiohttp.ClientTimeout(total=PULSE_TIMEOUT_S)
    async with aiohttp.ClientSession(headers=headers, timeout=timeout) as session:

        async def answers(base_url: str) -> bool:
            try:
                async with session.get(f"{base_url}/models", allow_redirects=False) as http:
                    return http.status < 500 or http.status == NOT_IMPLEMENTED
            except (aiohttp.ClientError, OSError, TimeoutError):
                return False

        return any(await asyncio.gather(*(answers(base_url) for base_url in base_urls)))
