"""Ask one question once, in the form of its epoch, with its images and a seed of its own."""

from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.model import ChatMessageUser, Content, ContentImage, ContentText
from inspect_ai.solver import Generate, Solver, TaskState, solver

from tasks.images import load_image
from tasks.pairs import Pair, pair_of
from tasks.response_record import RAW_REQUEST, REQUEST_IDENTITY, REQUEST_IMAGES
from tasks.seeds import response_seed
from tasks.stream_way import drawn_epoch, in_its_way

OWN_PROVIDER = "endpoint"


@solver
def seeded_generate(
    run_seed: int = 0, options: Mapping[str, Any] | None = None, send_seed: bool = True
) -> Solver:
    """Generate with :func:`tasks.seeds.response_seed`, and note on the message which response it is.

    ``options`` are the task's own settings. Without ``send_seed`` the endpoint draws as it likes.
    """
    ways = options or {}

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        pair = pair_of(state.sample_id, state.epoch, state.metadata)
        drawn = drawn_epoch(ways, pair.epoch)
        seed = response_seed(run_seed, pair.sample_id, drawn) if send_seed else None
        identity = {"sample_id": pair.sample_id, "epoch": pair.epoch, "seed": seed, "salt": pair.text}
        prompt = _take_form(state, pair)
        state.messages = [
            _asked(
                message,
                prompt or message.text,
                state,
                _metadata(message, ways, pair.epoch) | {REQUEST_IDENTITY: identity},
            )
            if isinstance(message, ChatMessageUser)
            else message
            for message in state.messages
        ]
        # tools are never run: the calls of a response are what is graded
        if seed is None:
            return await generate(state, tool_calls="none")
        return await generate(state, tool_calls="none", seed=seed)

    return solve


def _metadata(message: ChatMessageUser, options: Mapping[str, Any], epoch: int) -> dict[str, Any]:
    """Return what else the message carries: the whole request, where one is sent in place of the text."""
    request = (message.metadata or {}).get(RAW_REQUEST)
    return {} if request is None else {RAW_REQUEST: in_its_way(request, options, epoch)}


def _take_form(state: TaskState, pair: Pair) -> str | None:
    """Return the prompt of the epoch's form and leave its target and grading for the scorer."""
    forms = state.metadata.get("forms")
    if not forms:
        return None
    form = forms[(pair.epoch - 1) % len(forms)]
    state.metadata = {**state.metadata, "target": form["target"], "grading": form["grading"]}
    return str(form["prompt"])


def _asked(
    message: ChatMessageUser, prompt: str, state: TaskState, metadata: dict[str, Any]
) -> ChatMessageUser:
    """Return the message as it is sent: our own provider gets images as references, any other their bytes."""
    content: str | list[Content] = prompt
    references: Sequence[str] = state.metadata.get("images", ())
    images_first = bool(state.metadata.get("images_first"))
    if references and state.model.api == OWN_PROVIDER:
        metadata = metadata | {REQUEST_IMAGES: {"references": list(references), "first": images_first}}
    elif references:
        pictures: list[Content] = [ContentImage(image=load_image(reference)) for reference in references]
        text: list[Content] = [ContentText(text=prompt)]
        content = pictures + text if images_first else text + pictures
    return message.model_copy(update={"content": content, "metadata": metadata})
