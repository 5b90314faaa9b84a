"""A client that sees the raw bytes, and simulated endpoints that end with the test."""

import base64
import contextlib
import http.client
import io
import json
import urllib.parse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from PIL import Image

from evals.simulator.answers import AnswerBook, AnswerEntry, AnswerKind
from evals.simulator.config import SimulatorConfig
from evals.simulator.faults import parse_faults
from evals.simulator.profile import Lengths, Profile, TaskProfile
from evals.simulator.server import Running, serve_in_thread

WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city", "days"],
        },
    },
}


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One HTTP answer as it arrived; ``error`` names what broke the connection."""

    status: int
    headers: dict[str, str]
    body: bytes
    error: str | None = None

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def message(self) -> dict[str, Any]:
        message: dict[str, Any] = self.json()["choices"][0]["message"]
        return message

    def payloads(self) -> list[str]:
        lines = self.body.decode().replace("\r\n", "\n").split("\n")
        return [line.removeprefix("data:").strip() for line in lines if line.startswith("data:")]

    def chunks(self) -> list[dict[str, Any]]:
        return [json.loads(payload) for payload in self.payloads() if payload != "[DONE]"]

    def streamed(self, field: str, index: int = 0) -> str:
        deltas = [
            c["delta"] for chunk in self.chunks() for c in chunk.get("choices", ()) if c["index"] == index
        ]
        return "".join(delta.get(field) or "" for delta in deltas)

    def said(self, field: str) -> Any:
        """What stands in ``field``, streamed or plain."""
        return self.streamed(field) if self.payloads() else self.message.get(field)

    def finishes(self) -> list[str | None]:
        return [
            c["finish_reason"]
            for chunk in self.chunks()
            for c in chunk.get("choices", ())
            if c["finish_reason"]
        ]


class Client:
    """Talks to one endpoint over one connection per request."""

    def __init__(self, running: Running) -> None:
        self.running = running
        self.address = urllib.parse.urlsplit(running.base_url)

    def send(
        self, method: str, path: str, body: Any = None, *, key: str | None = None, timeout_s: float = 10
    ) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.address.port, timeout=timeout_s)
        raw = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        with contextlib.closing(connection):
            connection.request(method, path, raw, {"Authorization": f"Bearer {key}"} if key else {})
            response = connection.getresponse()
            headers = {name.lower(): value for name, value in response.getheaders()}
            received, error = bytearray(), None
            try:
                while piece := response.read1():
                    received += piece
            except (http.client.IncompleteRead, ConnectionError) as broken:
                error = type(broken).__name__
            return Answer(status=response.status, headers=headers, body=bytes(received), error=error)

    def ask(
        self, prompt: str = "What is 3x7?", *, key: str | None = None, timeout_s: float = 10, **more: Any
    ) -> Answer:
        body = {"model": self.running.model, "messages": [{"role": "user", "content": prompt}], **more}
        return self.send("POST", "/v1/chat/completions", body, key=key, timeout_s=timeout_s)

    def receive(self, prompt: str, *, n_bytes: int, **more: Any) -> bytes:
        """Return the first ``n_bytes`` of a reply and go away."""
        connection = http.client.HTTPConnection("127.0.0.1", self.address.port, timeout=10)
        body = {"model": self.running.model, "messages": [{"role": "user", "content": prompt}], **more}
        with contextlib.closing(connection):
            connection.request("POST", "/v1/chat/completions", json.dumps(body).encode())
            return connection.getresponse().read(n_bytes)

    def ledger(self) -> dict[str, Any]:
        counts: dict[str, Any] = self.send("GET", "/simulation/requests").json()
        return counts


def make_entry(sample_id: str, **more: Any) -> AnswerEntry:
    given = {"task": "aime25", "prompt_text": f"Problem {sample_id}", "target": ("70",), **more}
    return AnswerEntry(sample_id=sample_id, kind=given.pop("kind", AnswerKind.INTEGER), **given)


SHORT = Profile(
    name="short",
    tasks={"aime25": TaskProfile(items={"half": 0.5, "never": 0.0}, reasoning=Lengths(median=30, sigma=0.3))},
    answer=Lengths(median=10),
)
BOOK = AnswerBook.from_entries(make_entry(sample_id) for sample_id in ("always", "half", "never"))


@pytest.fixture
def entry() -> Callable[..., AnswerEntry]:
    """Return a function that makes an AIME entry whose answer is 70 and whose prompt is ``Problem ID``."""
    return make_entry


@pytest.fixture
def short_profile() -> Profile:
    return SHORT


@pytest.fixture(
    params=[{}, {"stream": True, "stream_options": {"include_usage": True}}], ids=["plain", "stream"]
)
def shape(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The part of a request that asks for a plain reply, then for a stream."""
    given: dict[str, Any] = request.param
    return given


@pytest.fixture
def png() -> Callable[[str], str]:
    """Return a function that makes a data URL of an image in one colour."""

    def draw(colour: str) -> str:
        content = io.BytesIO()
        Image.new("RGB", (60, 30), colour).save(content, "PNG")
        return "data:image/png;base64," + base64.b64encode(content.getvalue()).decode()

    return draw


@pytest.fixture
def show() -> Callable[..., Answer]:
    """Return a function that asks a client about images given as URLs."""

    def ask(client: Client, text: str, *urls: object) -> Answer:
        images = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
        content = [{"type": "text", "text": text}, *images]
        return client.ask("", messages=[{"role": "user", "content": content}])

    return ask


@pytest.fixture
def weather() -> dict[str, Any]:
    """A tool with a required text and a required integer."""
    return WEATHER


@pytest.fixture
def start() -> Iterator[Callable[..., Client]]:
    """Return a function that starts an endpoint: faults as texts, everything else as the config has it.

    It knows three samples of one task: "Problem always", "Problem half", "Problem never", named after how
    often they are answered right.
    """
    with contextlib.ExitStack() as running:

        def start_one(*faults: str, **settings: Any) -> Client:
            given = {"profile": SHORT, "book": BOOK, "model": "m", **settings}
            config = SimulatorConfig(faults=parse_faults(faults), **given)
            return Client(running.enter_context(serve_in_thread(config)))

        yield start_one
