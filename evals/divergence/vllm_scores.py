"""Read vLLM's prompt log-probabilities as they come: one small object a token, never the whole reply."""

from collections.abc import Mapping, Sequence
from typing import Any

import ijson

from evals.divergence.columns import Columns
from evals.transport.failure import Failure, FailureKind

PLACE = "choices.item.prompt_logprobs.item"


def vllm_body(model: str, ids: Sequence[int]) -> dict[str, Any]:
    """Return the completions request that scores ``ids``: one prefill, one token of output."""
    return {
        "model": model,
        "prompt": list(ids),
        "max_tokens": 1,
        "temperature": 0,
        "prompt_logprobs": 1,  # beside the token itself the likeliest one; the rank comes with both
        "stream": False,
    }


class VllmSink:
    """Takes a reply block by block and writes each token with what is said of it."""

    def __init__(self, columns: Columns, ids: Sequence[int], first_piece: str) -> None:
        self._columns, self._ids, self._first_piece = columns, ids, first_piece
        self._found: list[Any] = ijson.sendable_list()
        self._parser = ijson.items_coro(self._found, PLACE, use_float=True)

    def feed(self, block: bytes) -> None:
        """Take the next bytes."""
        try:
            self._parser.send(block)
        except ijson.JSONError as error:
            raise _useless(f"reply is no JSON ({error})") from None
        self._drain()

    def finish(self) -> None:
        """Take the end; every token must have been spoken of."""
        n_tokens = self._columns.n_tokens
        if n_tokens != len(self._ids):
            raise _useless(
                f"the reply holds prompt log-probabilities of {n_tokens:,} of {len(self._ids):,} tokens; the"
                " endpoint does not give them, or a gateway takes them out: give the URL of the engine itself"
            )
        try:
            self._parser.close()
        except ijson.JSONError as error:
            raise _useless(f"reply is cut ({error})", is_retryable=True) from None
        self._columns.finish()

    def abandon(self) -> None:
        """Drop what came."""
        self._columns.abandon()

    def _drain(self) -> None:
        for said in self._found:
            place = self._columns.n_tokens
            if place >= len(self._ids):
                raise _useless(f"the reply speaks of more than the {len(self._ids):,} tokens that were sent")
            self._add(self._ids[place], said)
        del self._found[:]

    def _add(self, token_id: int, said: Mapping[str, Any] | None) -> None:
        if said is None:  # nothing comes before the first token
            self._columns.add(token_id, self._first_piece)
            return
        own = said.get(str(token_id))
        if own is None:
            raise _useless(
                f"the endpoint speaks of token {next(iter(said), None)} where {token_id} was sent:"
                " it changes prompts"
            )
        top = next((name for name, other in said.items() if other.get("rank") == 1), None)
        self._columns.add(
            token_id,
            own.get("decoded_token") or "",
            logprob=own.get("logprob"),
            rank=own.get("rank"),
            top=int(top) if top is not None else None,
        )


def _useless(message: str, *, is_retryable: bool = False) -> Failure:
    kind = FailureKind.SERVER if is_retryable else FailureKind.CONFIGURATION
    return Failure(kind=kind, message=message, is_retryable=is_retryable)
