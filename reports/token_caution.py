"""Say where two sides write so unlike in length that they were hardly asked the same."""

from collections.abc import Iterator

from reports import numbers
from reports.diagnosis import Diagnosis

FAR_APART = 1.5  # times: a larger drift is no longer the drift of the same model asked the same


def token_caution(diagnosis: Diagnosis) -> Iterator[str]:
    """Yield a caution where one side surely writes far more tokens, whatever accuracy says."""
    found = diagnosis.output_tokens
    if found is None or found.interval is None:
        return
    if found.interval.low > FAR_APART or found.interval.high < 1 / FAR_APART:
        yield (
            f"output tokens, candidate / baseline {numbers.ratio(found.value, found.interval)}: more than"
            " quantization does; compare thinking, chat template and sampling of both servers"
        )
