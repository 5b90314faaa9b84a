"""Read SGLang's input log-probabilities: first those of all tokens, then the likeliest of each place.

Between the two a few bytes a token are held, in arrays; the tokens' texts are asked afterwards, chunk by chunk.
"""

import math
from array import array
from collections.abc import Sequence
from typing import Any

import ijson

from evals.transport.failure import Failure, FailureKind

_OWN, _TOPS = "meta_info.input_token_logprobs.item", "meta_info.input_top_logprobs.item"
BEYOND = 1  # added to the number of likeliest tokens asked: the rank of a token that is not among them


def sglang_body(ids: Sequence[int], top_k: int) -> dict[str, Any]:
    """Return the native request that scores ``ids``."""
    return {
        "input_ids": list(ids),
        "sampling_params": {"max_new_tokens": 1, "temperature": 0},
        "return_logprob": True,
        "logprob_start_len": 0,
        "top_logprobs_num": top_k,
        "stream": False,
    }


class SglangSink:
    """Takes a reply block by block; holds three numbers a token."""

    def __init__(self, ids: Sequence[int], top_k: int) -> None:
        self._ids, self._top_k = ids, top_k
        self.logprobs, self.ranks, self.tops = array("d"), array("i"), array("q")
        self._own: list[Any] = ijson.sendable_list()
        self._likeliest: list[Any] = ijson.sendable_list()
        self._parsers = (
            ijson.items_coro(self._own, _OWN, use_float=True),
            ijson.items_coro(self._likeliest, _TOPS, use_float=True),
        )

    def feed(self, block: bytes) -> None:
        """Take the next bytes."""
        try:
            for parser in self._parsers:
                parser.send(block)
        except ijson.JSONError as error:
            raise _useless(f"reply is no JSON ({error})") from None
        self._drain()

    def finish(self) -> None:
        """Take the end; every token must have been spoken of."""
        counts = (len(self.logprobs), len(self.tops))
        if counts != (len(self._ids),) * 2:
            raise _useless(
                f"the reply holds input log-probabilities of {min(counts):,} of {len(self._ids):,} tokens;"
                " the endpoint does not give them: give the URL of SGLang itself"
            )

    def abandon(self) -> None:
        """Drop what came."""
        del self.logprobs[:], self.ranks[:], self.tops[:]

    def _drain(self) -> None:
        for logprob, token_id, *_ in self._own:
            place = len(self.logprobs)
            if place >= len(self._ids) or token_id != self._ids[place]:
                raise _useless(
                    f"the endpoint speaks of token {token_id} at place {place}: it changes prompts"
                )
            self.logprobs.append(math.nan if logprob is None else logprob)
        for likeliest in self._likeliest:
            self._rank(likeliest or ())
        del self._own[:], self._likeliest[:]

    def _rank(self, likeliest: Sequence[Sequence[Any]]) -> None:
        place = len(self.tops)
        if place >= len(self._ids):
            raise _useless(f"the reply speaks of more than the {len(self._ids):,} tokens that were sent")
        ids = [entry[1] for entry in sorted(likeliest, key=lambda entry: -entry[0])]
        own = self._ids[place]
        self.tops.append(ids[0] if ids else -1)
        unknown_or_beyond = self._top_k + BEYOND if ids else 0
        self.ranks.append(ids.index(own) + 1 if own in ids else unknown_or_beyond)


def _useless(message: str) -> Failure:
    return Failure(kind=FailureKind.CONFIGURATION, message=message, is_retryable=False)
