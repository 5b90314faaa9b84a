"""Our Inspect model provider ``endpoint/<model>``: where text meets the network.

On Inspect's public API only. It sends what it is given, reads the reply without repairing anything, and
hands on reasoning, visible text, the raw finish reason, usage and times apart from each other.
"""

import asyncio
import os
import random
import time
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

from evals.endpoint import (
    DEFAULT_KEY_VARIABLE,
    DEFAULT_URL_VARIABLE,
    Endpoint,
    normalise_base_url,
    request_headers,
)
from evals.exchange import Attempt, Exchange, Reply
from evals.failure import Failure, FailureKind
from evals.journal import Journal
from evals.reply_limits import reply_limits
from evals.retry import EndpointHealth, RetryPolicy, send_with_retries
from evals.transport import Transport, Waits
from evals.wire import WireRequest, build_request, encode_request, has_images, request_identity
from tasks.image_bytes import ImageError
from tasks.images import load_image
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
    refuses what every request asks (a setting, not a sample); ``on_attempt`` on every failed attempt;
    ``on_reply`` on every fresh reply with the request it answers.
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
        self.health = EndpointHealth()
        self.journal: Journal | None = None
        self.load_image: Callable[[str], str] = load_kept_image
        self.on_fatal: Callable[[Failure], None] = lambda _failure: None
        self.on_attempt: Callable[[Attempt], None] = lambda _attempt: None
        self.on_reply: Callable[[WireRequest, Reply], None] = lambda _request, _reply: None
        self.n_requests_sent = 0
        self._transport: Transport | None = None
        self._rng = random.Random()  # jitter only: no result depends on it

    async def aclose(self) -> None:
        """Close the connections."""
        if self._transport is not None:
            await self._transport.close()
            self._transport = None

    def max_connections(self) -> int:
        """Return the number of requests in flight where none is asked for."""
        return 64

    def connection_key(self) -> str:
        """Return what shares one connection limit: the endpoint."""
        return self.endpoint.base_url

    @property
    def n_live_chunks(self) -> int:
        """Number of streamed chunks received, also of replies that are still being written."""
        return self._transport.n_chunks if self._transport is not None else 0

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
        try:
            exchange = await self._exchange(request)
            if self.journal is not None:
                self.journal.append(request.key, exchange, identity)
        except Failure as failure:
            if failure.stops_run(is_whole_request=request.is_whole):
                self.on_fatal(failure)
            raise RequestFailed(str(failure)) from None
        self.on_reply(request, exchange.reply)
        return _output(self.model_name, exchange, request), _call(request, exchange)

    async def _exchange(self, request: WireRequest) -> Exchange:
        if self._transport is None:
            self._transport = Transport(self.waits)
        transport = self._transport
        url = f"{self.endpoint.base_url}/{request.path}"
        headers = request_headers(self.endpoint, key=self.api_key)
        limits = reply_limits(request.body)

        async def send() -> Reply:
            # encoded anew for each attempt: images must not stay in memory while a request waits
            body = await self._encoded(request)
            self.n_requests_sent += 1
            try:
                return await transport.send(url, body, headers, stream=request.stream, limits=limits)
            finally:
                if transport.n_chunks:
                    self.health.spoke()

        reply, attempts = await send_with_retries(
            send, policy=self.policy, health=self.health, rng=self._rng, on_retry=self.on_attempt
        )
        return Exchange(
            reply=reply, attempts=attempts, replica=self.endpoint.base_url, finished_at=time.time()
        )

    async def _encoded(self, request: WireRequest) -> bytes:
        """Return the bytes to send; images are read and converted beside the event loop, streams go on."""
        if not request.is_whole and has_images(request.body):
            return await asyncio.to_thread(encode_request, request, self.load_image)
        return encode_request(request, self.load_image)


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
