import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from inspect_ai.model import ChatMessageUser, ContentImage, ModelName
from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState

from tasks.images import STORE, load_image
from tasks.response_record import REQUEST_IMAGES
from tasks.solvers import seeded_generate

FORMS = [{"prompt": f"form {n}", "target": letter, "grading": {"n": n}} for n, letter in enumerate("AB")]


def asked(metadata: dict[str, Any], *, model: str = "endpoint/m", epoch: int = 1) -> TaskState:
    """Return the state that a model is given, after the solver prepared it."""
    state = TaskState(
        model=ModelName(model),
        sample_id="s",
        epoch=epoch,
        input="text",
        messages=[ChatMessageUser(content="text")],
        target=Target("A"),
        metadata=metadata,
    )

    async def generate(state: TaskState, **_: Any) -> TaskState:
        return state

    return asyncio.run(seeded_generate()(state, generate))  # type: ignore[arg-type]


@pytest.mark.parametrize("first", [False, True])
def test_our_provider_gets_references_and_the_log_no_bytes(png: Callable[..., bytes], first: bool) -> None:
    references = [STORE.keep(png((n, 1, 1))) for n in range(2)]
    (message,) = asked({"images": references, "images_first": first}).messages
    assert message.content == "text"
    assert (message.metadata or {})[REQUEST_IMAGES] == {"references": references, "first": first}


def test_another_provider_gets_the_images_themselves(png: Callable[..., bytes]) -> None:
    reference = STORE.keep(png("red"))
    state = asked({"images": [reference]}, model="openai/m")
    content = state.messages[0].content
    assert [part.image for part in content if isinstance(part, ContentImage)] == [load_image(reference)]


@pytest.mark.parametrize(("epoch", "form"), [(1, 0), (2, 1), (3, 0)])
def test_epochs_take_the_forms_in_turn(epoch: int, form: int) -> None:
    state = asked({"forms": FORMS, "grading": {}}, epoch=epoch)
    assert state.messages[0].text == f"form {form}"
    assert (state.metadata["target"], state.metadata["grading"]) == ("AB"[form], {"n": form})


def test_without_forms_every_epoch_asks_the_same() -> None:
    assert asked({}, epoch=3).messages[0].text == "text"
