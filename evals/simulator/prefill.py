"""Play prompt log-probabilities: the pages of vLLM and SGLang that score a text, and those for its tokens."""

import hashlib
import itertools
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from aiohttp import web

from evals.simulator.completions import Completions
from evals.simulator.fault_responses import fault_response, json_response
from evals.simulator.faults import FaultPlan
from evals.simulator.messages import read_conversation
from evals.simulator.refusals import RefusedError, bad_value
from evals.simulator.request import read_body
from evals.simulator.token_model import TokenScore
from evals.simulator.token_text import TokenText, render_chat

Play = Callable[[dict[str, Any]], Any]


class Prefill:
    """The scoring pages of one simulated endpoint."""

    def __init__(self, completions: Completions) -> None:
        self._completions = completions
        self._config = completions.config
        self._model = completions.config.tokens
        self._text = TokenText(self._model.tokenizer)
        self._plan = FaultPlan(rates=completions.config.faults, seed=completions.config.seed)
        self._seen: Counter[str] = Counter()
        self._requests = itertools.count(1)

    def add_routes(self, app: web.Application) -> None:
        """Add the pages that the engine has."""
        pages: dict[str, Play] = {"/tokenize": self._tokenize, "/detokenize": self._detokenize}
        if self._model.engine == "sglang":
            pages["/generate"] = self._generate
        elif self._model.engine == "llamacpp":
            pages["/apply-template"] = self._apply_template
        else:
            pages["/v1/completions"] = self._complete
        for path, play in pages.items():
            app.router.add_post(path, self._page(play))

    def _page(self, play: Play) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def handle(request: web.Request) -> web.StreamResponse:
            raw = await request.read()
            self._completions.outage.check()
            self._completions.authorize(request)
            name = hashlib.sha256(request.path.encode() + raw).hexdigest()
            self._seen[name] += 1
            faults = self._plan.draw(name, self._seen[name], stream=False)
            answered = fault_response(faults, retry_after_s=self._config.retry_after_s)
            return answered if answered is not None else json_response(play(read_body(raw)))

        return handle

    def _tokenize(self, body: dict[str, Any]) -> Any:
        ids = self._text.encode(self._asked(body))
        if body.get("with_pieces"):
            return {"tokens": [{"id": one, "piece": self._text.piece(one)} for one in ids]}
        return {"tokens": ids, "count": len(ids), "max_model_len": self._config.max_model_len}

    def _asked(self, body: Mapping[str, Any]) -> str:
        given = body.get("prompt", body.get("content"))
        return given if isinstance(given, str) else self._rendered(body)

    def _rendered(self, body: Mapping[str, Any]) -> str:
        messages = body.get("messages")
        read_conversation(messages)  # refuses what is malformed
        kwargs = body.get("chat_template_kwargs")
        thinking = kwargs.get("thinking") if isinstance(kwargs, dict) else None
        thinks = self._config.profile.thinking if thinking is None else bool(thinking)
        return render_chat(messages or (), thinks=thinks)

    def _apply_template(self, body: dict[str, Any]) -> Any:
        return {"prompt": self._rendered(body)}

    def _detokenize(self, body: dict[str, Any]) -> Any:
        asked = body.get("tokens")
        if not isinstance(asked, list):
            raise bad_value("tokens must be a list.", "tokens", asked)
        if asked and isinstance(asked[0], list):
            return {"text": ["".join(map(self._text.piece, ids)) for ids in asked]}
        told = "".join(map(self._text.piece, asked))
        return {"prompt": told, "text": told, "content": told}

    def _ids(self, given: Any, name: str) -> list[int]:
        if not isinstance(given, list) or not given or not all(type(one) is int for one in given):
            raise bad_value(f"{name} must be a list of token ids.", name, str(given)[:60])
        if len(given) >= self._config.max_model_len:
            raise RefusedError(400, f"the prompt has {len(given)} tokens, more than the model's context")
        return given

    def _scores(self, ids: Sequence[int]) -> list[TokenScore | None]:
        return self._model.scores(ids, next(self._requests))

    def _complete(self, body: dict[str, Any]) -> Any:
        ids = self._ids(body.get("prompt"), "prompt")
        wanted = body.get("prompt_logprobs") is not None and self._model.prompt_logprobs
        said = [self._vllm_entry(*pair) for pair in zip(ids, self._scores(ids), strict=True)]
        choice = {
            "index": 0,
            "text": "",
            "finish_reason": "length",
            "prompt_logprobs": said if wanted else None,
        }
        return {"object": "text_completion", "model": self._config.served_model, "choices": [choice]}

    def _vllm_entry(self, token_id: int, score: TokenScore | None) -> dict[str, Any] | None:
        if score is None:
            return None
        own = {"logprob": score.logprob, "rank": score.rank, "decoded_token": self._text.piece(token_id)}
        top = {"logprob": score.top_logprob, "rank": 1, "decoded_token": self._text.piece(score.top)}
        return {str(token_id): own} | ({} if score.rank == 1 else {str(score.top): top})

    def _generate(self, body: dict[str, Any]) -> Any:
        ids = self._ids(body.get("input_ids"), "input_ids")
        meta: dict[str, Any] = {"prompt_tokens": len(ids), "completion_tokens": 1}
        if body.get("return_logprob") and self._model.prompt_logprobs:
            scores = self._scores(ids)
            meta["input_token_logprobs"] = [
                [score.logprob if score else None, one, None] for one, score in zip(ids, scores, strict=True)
            ]
            meta["input_top_logprobs"] = [self._sglang_tops(*pair) for pair in zip(ids, scores, strict=True)]
        return {"text": "", "meta_info": meta}

    def _sglang_tops(self, token_id: int, score: TokenScore | None) -> list[list[Any]] | None:
        if score is None:
            return None
        tops = [[score.top_logprob, score.top, None]]
        return tops if score.rank == 1 else [*tops, [score.logprob, token_id, None]]
