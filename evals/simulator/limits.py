"""What the simulated endpoint refuses by its settings: model, budget, context, images, fixed sampling."""

from evals.simulator.answers import AnswerEntry
from evals.simulator.config import SimulatorConfig
from evals.simulator.refusals import RefusedError, budget_beyond_context, context_exceeded
from evals.simulator.request import ChatRequest

# What the vendor's own API allows, by whether thinking is on.
_FIXED_TEMPERATURE = {True: 1.0, False: 0.6}
_FIXED_TOP_P = 0.95


def thinks(request: ChatRequest, config: SimulatorConfig) -> bool:
    """Return whether the model thinks before it answers: as the request says, else as the profile does."""
    return config.profile.thinking if request.thinking is None else request.thinking


def room_left(request: ChatRequest, config: SimulatorConfig) -> int:
    """Return how many tokens of the context the prompt leaves."""
    return config.max_model_len - request.prompt_tokens


def check_model(request: ChatRequest, config: SimulatorConfig) -> None:
    """Raise :class:`RefusedError` (404) for any model but the one served; none at all means that one."""
    if request.model not in (None, config.served_model):
        raise RefusedError(404, f"The model `{request.model}` does not exist.", param="model")


def _check_budget(request: ChatRequest, config: SimulatorConfig) -> None:
    budget, context = request.max_tokens or 0, config.max_model_len
    if budget > context:
        raise budget_beyond_context(request.max_tokens_field, budget, context)
    if request.prompt_tokens + max(budget, 1) > context:
        raise context_exceeded(budget, request.prompt_tokens, context)


def _check_fixed_sampling(request: ChatRequest, config: SimulatorConfig) -> None:
    sampling = request.sampling
    fixed = {
        "temperature": (sampling.temperature, _FIXED_TEMPERATURE[thinks(request, config)]),
        "top_p": (sampling.top_p, _FIXED_TOP_P),
        "n": (sampling.n, 1),
        "presence_penalty": (sampling.presence_penalty, 0.0),
        "frequency_penalty": (sampling.frequency_penalty, 0.0),
    }
    for name, (asked, allowed) in fixed.items():
        if asked is not None and asked != allowed:
            raise RefusedError(400, f"invalid {name}: only {allowed:g} is allowed for this model", param=name)


def check_request(request: ChatRequest, entry: AnswerEntry | None, config: SimulatorConfig) -> None:
    """Raise :class:`RefusedError` (400) for what this endpoint does not accept."""
    _check_budget(request, config)
    n_images = len(request.conversation.images)
    if entry is not None and n_images != entry.n_images:
        problem = f"{entry.task}/{entry.sample_id} has {entry.n_images} images; {n_images} were sent"
        raise RefusedError(400, problem, param="messages")
    if config.immutable_sampling:
        _check_fixed_sampling(request, config)
