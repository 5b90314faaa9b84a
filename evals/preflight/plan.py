"""What is checked: an endpoint, as a certain run would use it."""

from dataclasses import dataclass

from evals.endpoint import Endpoint
from evals.endpoint_facts import EndpointFacts
from evals.preflight.asker import RETRY_WAIT_S
from tasks.spec import Sampling
from verifiers.thinking_switch import thinking_asked

TINY_TOKENS = 16  # less than any story
SHORT_TOKENS = 48  # enough to tell two draws apart
THOUGHT_TOKENS = 64  # enough to see where reasoning goes
_LONG_S = 15.0  # how long one whole answer may take
_MAX_LONG_TOKENS = 1024


@dataclass(frozen=True, kw_only=True)
class PlannedRun:
    """The run that is to follow. ``refusal`` says why its budget does not fit, ``warning`` why it may be small."""

    task: str
    n_requests: int
    max_tokens: int
    mean_tokens: int
    max_connections: int
    prompt_tokens: int | None = None
    refusal: str | None = None
    warning: str | None = None


@dataclass(frozen=True, kw_only=True)
class CheckPlan:
    """What is to be probed. ``wants_images``: the task shows pictures; ``is_tool_task``: it lives on tool calls."""

    endpoint: Endpoint
    facts: EndpointFacts
    sampling: Sampling
    run: PlannedRun | None = None
    wants_images: bool = False
    is_tool_task: bool = False
    timeout_s: float = 60.0
    retry_wait_s: float = RETRY_WAIT_S

    @property
    def thinking(self) -> bool | None:
        """Whether the run asks for thinking, however it is asked for."""
        body = {**self.endpoint.thinking_parameters(), **self.endpoint.extra_body}
        return thinking_asked(body)

    def fitting(self, n_tokens: int) -> int:
        """Return ``n_tokens``, less where a small context would refuse them."""
        context = self.facts.context_tokens
        return n_tokens if context is None else max(1, min(n_tokens, context // 2))

    def long_tokens(self, tokens_per_s: float | None) -> int:
        """Return the budget of a whole answer at the speed measured."""
        affordable = THOUGHT_TOKENS if tokens_per_s is None else round(tokens_per_s * _LONG_S)
        return self.fitting(min(max(affordable, THOUGHT_TOKENS), _MAX_LONG_TOKENS))
