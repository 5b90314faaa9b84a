"""Drive headless Chromium over its own protocol: console, network, keys, pictures; no driver needed."""

import asyncio
import base64
import itertools
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

import aiohttp

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
)
_START_S, _ANSWER_S = 60.0, 60.0


class Browser:
    """One page of a browser of its own; ``events`` holds what it reported, as (method, params)."""

    def __init__(self) -> None:
        self.events: list[tuple[str, dict[str, Any]]] = []
        self._ids = itertools.count(1)
        self._answers: dict[int, dict[str, Any]] = {}

    def __enter__(self) -> "Browser":
        self._loop = asyncio.new_event_loop()
        self._profile = tempfile.mkdtemp(prefix="quantcheck-chromium-")
        self._process = subprocess.Popen(
            [str(CHROMIUM), *_FLAGS, f"--user-data-dir={self._profile}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={key: value for key, value in os.environ.items() if "proxy" not in key.lower()},
            start_new_session=True,
        )
        self._loop.run_until_complete(self._connect())
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.run_until_complete(self._close())
        self._loop.close()
        self._process.terminate()
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._profile, ignore_errors=True)

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and return its result."""
        return self._loop.run_until_complete(self._call(method, params))

    def open(self, path: Path) -> None:
        """Open a file and wait until it is loaded."""
        self.events.clear()
        self.call("Page.navigate", url=path.resolve().as_uri())
        self.wait_for(lambda: any(method == "Page.loadEventFired" for method, _ in self.events))

    def evaluate(self, expression: str) -> Any:
        """Return the value of an expression on the page."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise AssertionError(found["exceptionDetails"])
        return found["result"].get("value")

    def press(self, key: str, *, text: str = "", shift: bool = False) -> None:
        """Press and release a key."""
        codes = {"Tab": 9, "Enter": 13, " ": 32}
        common = {"key": key, "windowsVirtualKeyCode": codes.get(key, 0), "modifiers": 8 if shift else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def resize(self, width: int, height: int) -> None:
        """Give the page a size in CSS pixels."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def prefer(self, scheme: str, media: str = "screen") -> None:
        """Ask for the light or dark theme."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=media, features=features)

    def picture(self, path: Path, *, full: bool = False) -> None:
        """Write a screenshot, of the whole page with ``full``."""
        found = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=full)
        path.write_bytes(base64.b64decode(found["data"]))

    def print_pdf(self, path: Path) -> None:
        """Write the page as printed on A4."""
        found = self.call("Page.printToPDF", printBackground=False, paperWidth=8.27, paperHeight=11.69)
        path.write_bytes(base64.b64decode(found["data"]))

    def requested(self) -> list[str]:
        """Return what the page asked for, the file itself left out."""
        urls = [
            params["request"]["url"]
            for method, params in self.events
            if method == "Network.requestWillBeSent"
        ]
        return urls[1:]

    def complaints(self) -> list[str]:
        """Return errors and warnings of the console, script and policy."""
        found = []
        for method, params in self.events:
            if method == "Runtime.exceptionThrown":
                found.append(str(params["exceptionDetails"]))
            elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                found.append(params["entry"]["text"])
            elif method == "Runtime.consoleAPICalled":
                found.append(str(params["args"]))
        return found

    def wait_for(self, condition: Callable[[], bool]) -> None:
        """Wait until the condition holds while events come in."""
        end = time.monotonic() + _ANSWER_S
        while not condition():
            if time.monotonic() > end:
                raise AssertionError("the page did not get there in time")
            self._loop.run_until_complete(asyncio.sleep(0.02))

    async def _connect(self) -> None:
        file, end = Path(self._profile) / "DevToolsActivePort", time.monotonic() + _START_S
        while not (file.exists() and len(file.read_text().splitlines()) == 2):
            if self._process.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"chromium did not start (exit code {self._process.poll()})")
            await asyncio.sleep(0.05)
        port = file.read_text().splitlines()[0]
        self._session = aiohttp.ClientSession()
        async with self._session.get(f"http://127.0.0.1:{port}/json/list") as answer:
            pages = [target for target in await answer.json() if target["type"] == "page"]
        self._socket = await self._session.ws_connect(pages[0]["webSocketDebuggerUrl"], max_msg_size=0)
        self._reader = self._loop.create_task(self._read())

    async def _read(self) -> None:
        async for message in self._socket:
            found = message.json()
            if "id" in found:
                self._answers[found["id"]] = found
            else:
                self.events.append((found["method"], found["params"]))

    async def _call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        number, end = next(self._ids), time.monotonic() + _ANSWER_S
        await self._socket.send_json({"id": number, "method": method, "params": params})
        while number not in self._answers:
            if time.monotonic() > end:
                raise AssertionError(f"{method} was not answered")
            await asyncio.sleep(0.005)
        answer = self._answers.pop(number)
        if "error" in answer:
            raise AssertionError(f"{method}: {answer['error']}")
        result: dict[str, Any] = answer["result"]
        return result

    async def _close(self) -> None:
        self._reader.cancel()
        await self._socket.close()
        await self._session.close()
        await asyncio.sleep(0.05)
