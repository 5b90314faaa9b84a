"""Ask one question once, with a seed of its own."""

from inspect_ai.model import ChatMessageUser, Content, ContentImage, ContentText
from inspect_ai.solver import Generate, Solver, TaskState, solver

from tasks.response_record import REQUEST_IDENTITY
from tasks.seeds import response_seed


@solver
def seeded_generate(run_seed: int = 0) -> Solver:
    """Generate with :func:`tasks.seeds.response_seed`, and note on the message which response it is."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        sample_id = str(state.sample_id)
        seed = response_seed(run_seed, sample_id, state.epoch)
        identity = {"sample_id": sample_id, "epoch": state.epoch, "seed": seed}
        identity["salt"] = f"{sample_id}/{state.epoch}"
        state.messages = [
            message.model_copy(update={"metadata": {REQUEST_IDENTITY: identity}})
            if isinstance(message, ChatMessageUser)
            else message
            for message in state.messages
        ]
        return await generate(state, seed=seed)

    return solve


def user_message(prompt: str, images: tuple[str, ...]) -> ChatMessageUser:
    """Return the message that asks ``prompt``; images follow the text in order of mention, as references."""
    if not images:
        return ChatMessageUser(content=prompt)
    contents: list[Content] = [ContentText(text=prompt)]
    contents.extend(ContentImage(image=image) for image in images)
    return ChatMessageUser(content=contents)
