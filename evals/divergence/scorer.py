"""Score one text: its tokens, one prefill, one record."""

from pathlib import Path

from evals.divergence.caller import Caller
from evals.divergence.columns import Columns
from evals.divergence.engine import Engine
from evals.divergence.sglang_scores import SglangSink, sglang_body
from evals.divergence.text import Text, TextError
from evals.divergence.tokenizer import Tokenizer, Tokens
from evals.divergence.vllm_scores import VllmSink, vllm_body
from evals.prompts.chat_template import ChatTemplate
from evals.transport.failure import Failure
from reports.divergence.records import CHUNK_TOKENS, RecordWriter, TextFacts

_NO_LOGPROBS = "texts of a single token"


class Scorer:
    """Scores texts on one endpoint. ``context_tokens`` is the longest prompt plus output, where known."""

    def __init__(
        self,
        caller: Caller,
        engine: Engine,
        *,
        top_k: int,
        context_tokens: int | None = None,
        template: ChatTemplate | None = None,
    ) -> None:
        self._caller, self._engine, self._top_k = caller, engine, top_k
        self._context_tokens = context_tokens
        self._tokenizer = Tokenizer(caller, engine, template)
        self.base_url = caller.base_url

    async def score(self, text: Text, key: str, path: Path) -> int:
        """Record the text at ``path`` and return its number of tokens.

        Raises :class:`Failure` where the endpoint fails, :class:`TextError` where this text cannot be scored.
        """
        tokens = await self._tokenizer.tokens(text)
        ids = list(tokens.ids)
        if len(ids) < 2:
            raise TextError(_NO_LOGPROBS)
        if self._context_tokens is not None and len(ids) >= self._context_tokens:
            raise TextError(f"texts longer than the context of {self._context_tokens:,} tokens")
        facts = text.facts(key=key, n_prompt=tokens.n_prompt)
        if self._engine is Engine.LLAMACPP:
            self._record_tokens(tokens, facts, path)
        elif self._engine is Engine.SGLANG:
            await self._record_sglang(ids, facts, path)
        else:
            await self._record_vllm(ids, facts, path)
        return len(ids)

    async def _record_vllm(self, ids: list[int], facts: TextFacts, path: Path) -> None:
        first = await self._tokenizer.first_piece(ids[0])
        await self._caller.stream(
            f"{self._caller.base_url}/completions",
            vllm_body(self._caller.model, ids),
            lambda: VllmSink(Columns(RecordWriter(path, facts)), ids, first),
        )

    async def _record_sglang(self, ids: list[int], facts: TextFacts, path: Path) -> None:
        sinks: list[SglangSink] = []

        def new_sink() -> SglangSink:
            sinks[:] = [SglangSink(ids, self._top_k)]
            return sinks[0]

        await self._caller.stream(f"{self._caller.root}/generate", sglang_body(ids, self._top_k), new_sink)
        said = sinks[0]
        columns = Columns(RecordWriter(path, facts))
        try:
            for start in range(0, len(ids), CHUNK_TOKENS):
                pieces = await self._tokenizer.pieces(ids[start : start + CHUNK_TOKENS])
                for place, piece in enumerate(pieces, start=start):
                    columns.add(
                        ids[place],
                        piece,
                        logprob=said.logprobs[place],
                        rank=said.ranks[place],
                        top=said.tops[place],
                    )
        except Failure:
            columns.abandon()
            raise
        columns.finish()

    def _record_tokens(self, tokens: Tokens, facts: TextFacts, path: Path) -> None:
        """Record ids and texts alone: enough to say where two tokenizers part."""
        columns = Columns(RecordWriter(path, facts))
        for token_id, piece in zip(tokens.ids, tokens.pieces, strict=True):
            columns.add(token_id, piece)
        columns.finish()
