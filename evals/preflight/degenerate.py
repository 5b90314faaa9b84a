"""Does any reply degenerate: one sign for ever, or a loop?"""

from collections.abc import Sequence

from evals.preflight.asker import Asked
from evals.preflight.finding import Finding, fail, ok, skip, warn
from verifiers.repetition import Repetition, RepetitionKind, find_repetition

NAME = "degenerate_output"


def degenerate_finding(asked: Sequence[Asked]) -> Finding:
    """Judge the text of all replies; a flood says that numbers broke, a loop may be the model's own."""
    answered = [one for one in asked if one.is_answered and one.text.strip()]
    if not answered:
        return skip(NAME, "no text to look at")
    found = [repetition for one in answered if (repetition := _repetition(one)) is not None]
    if not found:
        return ok(NAME, f"none in {len(answered)} replies")
    amount = f"{len(found)} of {len(answered)} replies"
    floods = [one for one in found if one.kind is RepetitionKind.FLOOD and not one.unit.strip().isdigit()]
    flags = ("degenerate_repetition",)
    if floods:
        return fail(NAME, f"{floods[0].unit[:12]!r} over and over in {amount}", _FLOODED, flags)
    judge = fail if 2 * len(found) > len(answered) and len(found) > 1 else warn
    return judge(NAME, f"{found[0].unit[:30]!r} repeated to the end in {amount}", _LOOPED, flags)


_FLOODED = "a serving fault, not a quantization loss: look for NaN logits, kernels and KV-cache scales"
_LOOPED = "compare sampling with the checkpoint's recommendation; look at KV-cache type and scales"


def _repetition(asked: Asked) -> Repetition | None:
    return find_repetition(asked.response.reasoning) or find_repetition(asked.response.content)
