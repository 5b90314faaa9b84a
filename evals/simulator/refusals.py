"""How the simulator says no: the status codes and error bodies of vLLM 0.32."""

from typing import Any


class RefusedError(Exception):
    """A request is refused with an HTTP status and a JSON body."""

    def __init__(self, status: int, message: str, *, param: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.param = param

    def as_json(self) -> dict[str, Any]:
        """Return the error body."""
        return error_body(self.status, self.message, param=self.param)


_TYPES = {
    400: "BadRequestError",
    401: "AuthenticationError",
    403: "PermissionDeniedError",
    404: "NotFoundError",
}


def error_body(status: int, message: str, *, param: str | None = None) -> dict[str, Any]:
    """Return ``{"error": ...}`` as vLLM words it."""
    kind = _TYPES.get(status, "InternalServerError" if status >= 500 else "InvalidRequestError")
    return {"error": {"message": message, "type": kind, "param": param, "code": status}}


def bad_value(problem: str, param: str, value: object) -> RefusedError:
    """Return the refusal of one parameter's value."""
    return RefusedError(400, f"{problem} (parameter={param}, value={value})", param=param)


def budget_beyond_context(field: str, budget: int, max_model_len: int) -> RefusedError:
    """Return the refusal of a budget that alone is larger than the context."""
    problem = (
        f"{field}={budget} cannot be greater than max_model_len={max_model_len}. "
        "Please request fewer output tokens."
    )
    return bad_value(problem, field, budget)


def context_exceeded(budget: int, prompt_tokens: int, max_model_len: int) -> RefusedError:
    """Return the refusal of a prompt that leaves no room for the budget.

    vLLM stops counting the prompt one token past what would fit, so it says "at least" that many.
    """
    counted = min(prompt_tokens, max_model_len - budget + 1)
    problem = (
        f"This model's maximum context length is {max_model_len} tokens. However, you requested {budget} "
        f"output tokens and your prompt contains at least {counted} input tokens, for a total of at least "
        f"{budget + counted} tokens. Please reduce the length of the input prompt or the number of requested "
        "output tokens."
    )
    return bad_value(problem, "input_tokens", counted)
