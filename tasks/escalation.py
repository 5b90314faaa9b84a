"""Ask truncated samples again with larger budgets, beside the response as served and never in its place."""

from dataclasses import dataclass

from inspect_ai.model import GenerateConfig, ModelOutput, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from tasks.request_failed import RequestFailed
from tasks.response_record import read_record, response_of
from verifiers.ending import Finish, finish_kind

_OUTPUT, _MAX_TOKENS = "escalated_output", "escalated_max_tokens"  # keys of the sample's store


@dataclass(frozen=True, kw_only=True)
class Escalation:
    """The last response of larger budget, ``None`` where its request failed, and that budget in tokens."""

    output: ModelOutput | None
    max_tokens: int


@solver
def escalate_truncated(max_tokens: int, escalate_to: int) -> Solver:
    """Ask again with budgets doubled from ``max_tokens`` up to ``escalate_to`` while the budget ends the response.

    The seed and the messages are those of the response as served. What comes back lies in the sample's
    store until the scorer takes it (:func:`take_escalation`); the state's own output is left alone.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001  # Inspect's signature
        budget, output = max_tokens, state.output
        asked = state.messages[:-1] if state.messages[-1].role == "assistant" else state.messages
        while _is_truncated(output) and budget < escalate_to:
            budget = min(2 * budget, escalate_to)
            config = GenerateConfig(max_tokens=budget, seed=read_record(state.output).get("seed"))
            try:
                output = await get_model().generate(asked, config=config)
            except RequestFailed:
                state.store.set(_OUTPUT, None)
                state.store.set(_MAX_TOKENS, budget)
                break
            state.store.set(_OUTPUT, output)
            state.store.set(_MAX_TOKENS, budget)
        return state

    return solve


def take_escalation(state: TaskState) -> Escalation | None:
    """Return what the larger budgets brought and clear it away; ``None`` where the sample was not truncated."""
    max_tokens = state.store.get(_MAX_TOKENS)
    if not isinstance(max_tokens, int):
        return None
    output = state.store.get(_OUTPUT)
    state.store.delete(_OUTPUT)  # the text stands in the transcript already
    state.store.delete(_MAX_TOKENS)
    return Escalation(output=output if isinstance(output, ModelOutput) else None, max_tokens=max_tokens)


def _is_truncated(output: ModelOutput) -> bool:
    return finish_kind(response_of(output).finish_reason) is Finish.TRUNCATED
