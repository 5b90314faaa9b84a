"""Are images accepted, and does the model see them?"""

import asyncio
import base64
import io
import re
from typing import Any

from PIL import Image

from evals.preflight.asker import Asked, Asker
from evals.preflight.finding import Finding, excerpt, fail, ok, skip, warn
from evals.preflight.plan import CheckPlan
from verifiers.visible_text import split_thinking

NAME = "images"
COLOUR, COLOUR_RGB = "purple", (130, 20, 150)  # not the first colour that one would guess
_NAMED = re.compile(r"\b(?:purple|violet|magenta|紫色?)\b|紫", re.IGNORECASE)
QUESTION = "What colour is this image? Reply with the name of the colour alone."
_SIDE = 112  # pixels: four tokens a side for Kimi's vision encoder
_FLAGS = {
    "vllm": "serve a checkpoint with its vision encoder; --limit-mm-per-prompt must allow an image",
    "sglang": "serve a checkpoint with its vision encoder (--enable-multimodal)",
    "llama.cpp": "--mmproj FILE",
}


def picture() -> str:
    """Return a small PNG in one colour as a data URI."""
    content = io.BytesIO()
    Image.new("RGB", (_SIDE, _SIDE), COLOUR_RGB).save(content, "PNG")
    return "data:image/png;base64," + base64.b64encode(content.getvalue()).decode()


def image_message(question: str) -> list[dict[str, Any]]:
    """Return the content of a message that asks ``question`` about the picture."""
    return [
        {"type": "text", "text": question},
        {"type": "image_url", "image_url": {"url": picture()}},
    ]


async def images_finding(asker: Asker, plan: CheckPlan, *, streams: bool, max_tokens: int) -> Finding:
    """Show a picture and ask for its colour."""
    if not plan.wants_images:
        return skip(NAME, "no task with images", "--images to probe all the same")
    with_image, without = await asyncio.gather(
        asker.ask(image_message(QUESTION), max_tokens=max_tokens, stream=streams),
        asker.ask(QUESTION, max_tokens=1, stream=False),
    )
    return judge_image(with_image, without, plan)


def judge_image(with_image: Asked, without: Asked, plan: CheckPlan) -> Finding:
    """Judge the reply; ``without`` is the same question without the picture."""
    advice = _FLAGS.get(plan.facts.engine or "", "serve the checkpoint with its vision encoder")
    if not with_image.is_answered:
        return fail(NAME, f"refused: {with_image.words}", advice)
    seen, bare = _prompt_tokens(with_image), _prompt_tokens(without)
    if seen is not None and seen == bare:
        return fail(NAME, "dropped: the prompt has as many tokens with the image as without", advice)
    n_tokens = f"{seen - bare} tokens for the image" if seen is not None and bare is not None else "accepted"
    said = split_thinking(with_image.response.content).visible
    if _NAMED.search(said if said.strip() else with_image.text):
        return ok(NAME, f"{n_tokens}, and the reply names its colour")
    if said.strip():
        return fail(NAME, f"{n_tokens}, but the {COLOUR} image is called {excerpt(said, 40)}", advice)
    return warn(NAME, f"{n_tokens}, but no answer to judge by")


def _prompt_tokens(asked: Asked) -> int | None:
    return asked.response.usage.prompt_tokens if asked.response.usage else None
