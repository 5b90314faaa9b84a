"""The tokens of a text as its endpoint makes them: the prompt by its chat template, the response as it was written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evals.divergence.caller import Caller
from evals.divergence.engine import Engine
from evals.divergence.text import OPENER, Text, TextError, response_text
from evals.prompts.chat_template import ChatTemplate, RenderError
from evals.transport.failure import Failure, FailureKind, server_failure

_TAIL_TOKENS = 16
_DETOKENIZED = {Engine.VLLM: "prompt", Engine.SGLANG: "text", Engine.LLAMACPP: "content"}


@dataclass(frozen=True, kw_only=True)
class Tokens:
    """The token ids of a text, the first ``n_prompt`` of them the prompt's; llama.cpp tells their texts too."""

    ids: Sequence[int]
    n_prompt: int = 0
    pieces: Sequence[str] = ()


class Tokenizer:
    """Asks an endpoint for tokens. With ``template`` prompts are rendered here, else by the endpoint."""

    def __init__(self, caller: Caller, engine: Engine, template: ChatTemplate | None = None) -> None:
        self._caller, self._engine, self._template = caller, engine, template
        self._tails: dict[tuple[int, ...], bool] = {}
        self._firsts: dict[int, str] = {}

    async def tokens(self, text: Text) -> Tokens:
        """Return the tokens; raise :class:`Failure` or :class:`TextError`.

        Prompt and response are tokenized apart from each other: no token of a model's spans both.
        """
        if text.token_ids:
            return Tokens(ids=text.token_ids, n_prompt=text.n_prompt_ids)
        if text.prompt == "":
            return await self._of_text(text.content, special=True)
        asked = await self._of_prompt(text)
        thinking = text.reasoning is not None and await self._is_thinking(asked.ids)
        said = await self._of_text(response_text(text, is_thinking=thinking), special=False)
        return Tokens(
            ids=[*asked.ids, *said.ids], n_prompt=len(asked.ids), pieces=[*asked.pieces, *said.pieces]
        )

    async def _of_prompt(self, text: Text) -> Tokens:
        if text.prompt is not None:
            return await self._of_text(text.prompt, special=True)
        request: dict[str, Any] = {"messages": list(text.messages), "tools": list(text.tools) or None}
        if self._template is not None:
            try:
                rendered = self._template.render(request, text.template)
            except RenderError as error:
                raise TextError(f"prompts that the chat template refuses ({error})") from None
            return await self._of_text(rendered, special=False)
        body = {name: value for name, value in request.items() if value}
        if text.template:
            body["chat_template_kwargs"] = dict(text.template)
        if self._engine is Engine.LLAMACPP:
            told = await self._caller.json(f"{self._caller.root}/apply-template", body)
            return await self._of_text(str(told.get("prompt") or ""), special=True)
        return await self._of_messages(body)

    async def _of_messages(self, body: Mapping[str, Any]) -> Tokens:
        asked = {"model": self._caller.model, "add_generation_prompt": True, **body}
        try:
            return _tokens(await self._caller.json(f"{self._caller.root}/tokenize", asked))
        except Failure as failure:
            if failure.status not in {400, 422} or self._engine is Engine.VLLM:
                raise
            raise Failure(
                kind=FailureKind.CONFIGURATION,
                message=f"/tokenize takes no messages here ({failure.message}): a newer SGLang does; or name"
                " the checkpoint's tokenizer with --tokenizer, to render its chat template on this side",
                is_retryable=False,
            ) from failure

    async def _of_text(self, text: str, *, special: bool) -> Tokens:
        if self._engine is Engine.LLAMACPP:
            body: dict[str, Any] = {"content": text, "add_special": special, "parse_special": True}
            body["with_pieces"] = True
        else:
            body = {"model": self._caller.model, "prompt": text, "add_special_tokens": special}
        return _tokens(await self._caller.json(f"{self._caller.root}/tokenize", body))

    async def first_piece(self, token_id: int) -> str:
        """Return the text of a text's first token, of which no score speaks; most texts begin alike."""
        if token_id not in self._firsts:
            self._firsts[token_id] = await self.detokenize([token_id])
        return self._firsts[token_id]

    async def _is_thinking(self, asked: Sequence[int]) -> bool:
        """Return whether a prompt ends within an opened thinking tag, as many chat templates write it."""
        tail = tuple(asked[-_TAIL_TOKENS:])
        if tail not in self._tails:
            told = await self.detokenize(list(tail))
            self._tails[tail] = told.rstrip().endswith(OPENER)
        return self._tails[tail]

    async def detokenize(self, ids: list[int]) -> str:
        """Return the text of tokens, special ones included."""
        body = {"model": self._caller.model, "tokens": ids, "skip_special_tokens": False}
        told = await self._caller.json(f"{self._caller.root}/detokenize", body)
        return str(told.get(_DETOKENIZED[self._engine]) or "")

    async def pieces(self, ids: list[int]) -> list[str]:
        """Return the text of each token by itself (SGLang)."""
        body = {
            "model": self._caller.model,
            "tokens": [[one] for one in ids],
            "skip_special_tokens": False,
        }
        told = (await self._caller.json(f"{self._caller.root}/detokenize", body)).get("text")
        if not isinstance(told, list) or len(told) != len(ids):
            raise server_failure(f"/detokenize: {len(ids)} tokens asked, {str(told)[:60]!r} came")
        return [str(piece) for piece in told]


def _tokens(told: Mapping[str, Any]) -> Tokens:
    found = told.get("tokens")
    entries = found if isinstance(found, list) else []
    if entries and all(isinstance(entry, dict) for entry in entries):
        pieces = [piece if isinstance(piece := entry.get("piece"), str) else "" for entry in entries]
        return Tokens(ids=[int(entry["id"]) for entry in entries], pieces=pieces)
    if not entries or not all(type(entry) is int for entry in entries):
        raise server_failure(f"/tokenize: answers {str(dict(told))[:80]!r}, not a list of token ids")
    return Tokens(ids=entries)
