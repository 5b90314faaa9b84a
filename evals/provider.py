"""Our Inspect model provider ``endpoint/<model>``: where text meets the network.

On Inspect's public API only. It sends what it is given, reads the reply without repairing anything, and
hands on reasoning, visible text, the raw finish reason, usage and times apart from each other.
"""

import asyncio
import os
from collections.abc import Callable, Mapping
from typing import Any

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    Content,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelAPI,
    ModelCall,
    ModelOutput,
    ModelUsage,
    StopReason,
)
from inspect_ai.tool import ToolCall as InspectToolCall
from inspect_ai.tool import ToolChoice, ToolInfo

from evals.endpoint import DEFAULT_KEY_VARIABLE, DEFAULT_URL_VARIABLE, Endpoint, normalise_base_url
from evals.fleet.dispatch import Dispatcher, Sending
from evals.storage.exchange_store import NOT_ASKED, ExchangeStore
from evals.transport.exchange import Attempt, Exchange, Reply
from evals.transport.failure import Failure, FailureKind
from evals.transport.retry import RetryPolicy
from evals.transport.wire import WireRequest, build_request, request_identity
from evals.waits import Waits
from tasks.image_bytes import ImageError
from tasks.images import load_image
from tasks.pairs import Pair, asked_pair
from tasks.request_failed import RequestFailed
from tasks.response_record import RECORD, response_record
from tasks.spec import ThinkMode
from verifiers.ending import Finish, finish_kind
from verifiers.response import Response

STOP_REASONS: Mapping[Finish, StopReason] = {
    Finish.STOPPED: "stop",
    Finish.TRUNCATED: "max_tokens",
    Finish.WITHHELD: "content_filter",
}


def load_kept_image(reference: str) -> str:
    """Return the data URI of an image that a task keeps; raise a client :class:`Failure` where it is gone."""
    try:
        return load_image(reference)
    except ImageError as error:
        raise Failure(kind=FailureKind.CLIENT, message=str(error), is_retryable=False) from error


class EndpointAPI(ModelAPI):
    """An OpenAI-compatible endpoint. Requests share connections, the journal and the endpoint's health.

    ``journal`` answers requests that were answered before; ``on_fatal`` is called once when the endpoint
    refuses what every request asks (a setting, not a sample); ``on_send`` before every request that is sent, with
    whether it repeats a failed one; ``on_attempt`` on every failed attempt;
    ``on_failure`` with the key and the words of every request that failed for good; ``on_reply`` on every
    fresh reply with the request it answers.
    All are set by the runner; ``inspect eval`` works without.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008  # Inspect's own signature; never mutated
        *,
        api_key_env: str = DEFAULT_KEY_VARIABLE,
        think_mode: str = "none",
        thinking: bool | None = None,
        effort: str | None = None,
        extra_body: Mapping[str, Any] | None = None,
        stream: bool = True,
        **_other: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        self.endpoint = Endpoint(
            base_url=normalise_base_url(base_url or os.environ.get(DEFAULT_URL_VARIABLE, "")),
            model=model_name,
            label=model_name,
            api_key_env=api_key_env,
            think_mode=ThinkMode(think_mode),
            thinking=thinking,
            effort=effort,
            extra_body=extra_body or {},
        )
        self.stream = stream
        self.waits = Waits()
        self.policy = RetryPolicy()
        self.journal: ExchangeStore | None = None
        self.is_stopping = False  # nothing new is sent; what has been answered can still be graded
        self.load_image: Callable[[str], str] = load_kept_image
        self.on_fatal: Callable[[Failure], None] = lambda _failure: None
        self.on_send: Callable[[bool], None] = lambda _is_retry: None
        self.on_attempt: Callable[[Attempt], None] = lambda _attempt: None
        self.on_failure: Callable[[str, Pair, str], None] = lambda _key, _pair, _words: None
        self.on_part: Callable[[WireRequest, Response], None] = lambda _request, _part: None
        self.on_reply: Callable[[WireRequest, Reply], None] = lambda _request, _reply: None
        self._dispatcher: Dispatcher | None = None

    async def aclose(self) -> None:
        """Close the connections."""
        if self._dispatcher is not None:
            await self._dispatcher.close()

    def max_connections(self) -> int:
        """Return the number of requests in flight where none is asked for."""
        return 64

    def connection_key(self) -> str:
        """Return what shares one connection limit: the endpoint."""
        return self.endpoint.base_url

    @property
    def n_live_chunks(self) -> int:
        """Number of streamed chunks received, also of replies that are still being written."""
        return self._dispatcher.n_chunks if self._dispatcher is not None else 0

    @property
    def n_requests_sent(self) -> int:
        """Number of requests sent, those that failed included."""
        return self._dispatcher.n_requests_sent if self._dispatcher is not None else 0

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> tuple[ModelOutput | Exception, ModelCall]:
        """Return the endpoint's answer, from the journal where it was given before.

        Raises :class:`RequestFailed` where there is none. Inspect would wrap a failure that is returned: the
        log would show the request in place of the server's words.
        """
        identity = request_identity(input)
        salt = str(identity.get("salt", ""))
        request = build_request(
            input, tools, tool_choice, config, self.endpoint, salt=salt, stream=self.stream
        )
        recorded = self.journal.find(request.key) if self.journal is not None else None
        if recorded is not None:
            return _output(self.model_name, recorded, request), _call(request, recorded)
        if self.is_stopping:
            await asyncio.get_running_loop().create_future()  # until it is cancelled
        try:
            exchange = await self._dispatch().exchange(request)
            if self.journal is not None:
                self.journal.append(request.key, exchange, identity)
        except Failure as failure:
            if failure.stops_run(is_whole_request=request.is_whole):
                self.on_fatal(failure)
            if failure.is_endpoint_gone:  # it was in flight when the run ended, as with Ctrl-C
                raise RequestFailed(NOT_ASKED) from None
            self.on_failure(request.key, asked_pair(identity), str(failure))
            raise RequestFailed(str(failure)) from None
        self.on_reply(request, exchange.reply)
        return _output(self.model_name, exchange, request), _call(request, exchange)

    def _dispatch(self) -> Dispatcher:
        """Return what sends requests, made at the first one: by then the runner has set everything."""
        if self._dispatcher is None:
            sending = Sending(
                waits=self.waits,
                policy=self.policy,
                key=self.api_key,
                load_image=self.load_image,
                on_send=self.on_send,
                on_attempt=self.on_attempt,
                on_part=self.on_part,
            )
            self._dispatcher = Dispatcher(self.endpoint, sending)
        return self._dispatcher


def _call(request: WireRequest, exchange: Exchange) -> ModelCall:
    return ModelCall(request=request.body, response=exchange.as_dict()["reply"])


def _output(model: str, exchange: Exchange, request: WireRequest) -> ModelOutput:
    response = exchange.reply.response
    message = ChatMessageAssistant(
        content=_contents(response),
        source="generate",
        model=model,
        tool_calls=[
            InspectToolCall(
                id=call.id or "", function=call.name or "", arguments={}, parse_error=call.arguments
            )
            for call in response.tool_calls
        ]
        or None,
    )
    stop_reason = (
        "tool_calls" if response.tool_calls else STOP_REASONS.get(finish_kind(response.finish_reason))
    )
    return ModelOutput(
        model=model,
        choices=[ChatCompletionChoice(message=message, stop_reason=stop_reason or "unknown")],
        usage=_usage(response),
        time=exchange.reply.duration_s,
        metadata={RECORD: response_record(response) | _timing(exchange, request)},
    )


def _timing(exchange: Exchange, request: WireRequest) -> dict[str, Any]:
    return {
        "ttft_s": exchange.reply.ttft_s,
        "duration_s": exchange.reply.duration_s,
        "n_chunks": exchange.reply.n_chunks,
        "attempts": len(exchange.attempts) + 1,
        "failures": [attempt.failure for attempt in exchange.attempts],
        "replica": exchange.replica,
        "failed_replicas": [attempt.replica for attempt in exchange.attempts if attempt.replica],
        "finished_at": exchange.finished_at,
        "seed": request.body.get("seed"),
        "streamed": request.stream,
    }


def _contents(response: Response) -> list[Content]:
    contents: list[Content] = []
    if response.reasoning:
        contents.append(ContentReasoning(reasoning=response.reasoning))
    contents.append(ContentText(text=response.content or ""))
    return contents


def _usage(response: Response) -> ModelUsage | None:
    usage = response.usage
    if usage is None or usage.completion_tokens is None:
        return None  # not said: never shown as 0
    prompt = usage.prompt_tokens or 0
    return ModelUsage(
        input_tokens=prompt,
        output_tokens=usage.completion_tokens,
        total_tokens=prompt + usage.completion_tokens,
        reasoning_tokens=usage.reasoning_tokens,
    )
