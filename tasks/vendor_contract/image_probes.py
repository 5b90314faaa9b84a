"""Probes of images: four formats, drawn here, and an image beside tools."""

import base64
import io
from collections.abc import Mapping
from typing import Any

from PIL import Image

from tasks.vendor_contract.probe import Ask, Budgets, Group, Probe
from tasks.vendor_contract.tools import COLOUR, named
from verifiers.contract_images import colour_called, colour_said

_SIDE = 112  # pixels; a multiple of the 28 of a vision patch
_RGB: Mapping[str, tuple[int, int, int]] = {
    "red": (220, 20, 20),
    "green": (20, 160, 20),
    "blue": (20, 20, 220),
    "yellow": (240, 230, 20),
}
FORMATS: Mapping[str, str] = {"png": "red", "jpeg": "blue", "webp": "green", "gif": "yellow"}
_QUESTION = "Which one colour is this image: red, green, blue or yellow? Answer with one word."
_TOOL_QUESTION = "Which one colour is this image? Report it in lower case with report_colour."


def image_url(kind: str, colour: str) -> str:
    """Return an image of one ``colour`` as a data URI; ``kind`` is png, jpeg, webp or gif."""
    content = io.BytesIO()
    Image.new("RGB", (_SIDE, _SIDE), _RGB[colour]).save(content, kind.upper())
    return f"data:image/{kind};base64,{base64.b64encode(content.getvalue()).decode()}"


def image_probes(budgets: Budgets) -> tuple[Probe, ...]:
    """Return the probes of this group."""
    formats = tuple(_format_probe(budgets, kind, colour) for kind, colour in FORMATS.items())
    tool = COLOUR["function"]["name"]
    body = {
        "messages": _shown(_TOOL_QUESTION, image_url("png", "blue")),
        "tools": [COLOUR],
        "tool_choice": named(tool),
        "max_tokens": budgets.reply,
    }
    with_tools = Probe(
        name="image_and_tools",
        group=Group.IMAGES,
        expectation="An image is seen in a request that declares tools: a forced call names its colour.",
        asks=(Ask(name="image and tool", body=body, thinking=False),),
        judge=colour_called("image and tool", "blue"),
        depends_on=("image_png", "tool_leak", "tool_choice_named", "tool_choice_required", "tool_arguments"),
    )
    return (*formats, with_tools)


def _format_probe(budgets: Budgets, kind: str, colour: str) -> Probe:
    body = {"messages": _shown(_QUESTION, image_url(kind, colour)), "max_tokens": budgets.reply}
    return Probe(
        name=f"image_{kind}",
        group=Group.IMAGES,
        expectation=f"An image in {kind.upper()} is seen: its colour, {colour}, is told.",
        asks=(Ask(name=kind, body=body, thinking=False),),
        judge=colour_said(kind, colour),
        advice="the vision tower is not loaded, or the image is dropped or decoded wrongly",
        depends_on=("image_png",) if kind != "png" else (),
    )


def _shown(text: str, url: str) -> list[dict[str, Any]]:
    parts = [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": text}]
    return [{"role": "user", "content": parts}]
