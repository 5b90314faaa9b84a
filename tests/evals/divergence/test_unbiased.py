"""The estimates against a divergence that is known exactly: a model small enough to be summed up."""

import numpy as np
import pytest

from evals.simulator.token_model import N_CLASSES, TokenModel
from reports.divergence.clustered import mean_per_token
from reports.divergence.records import TokenChunk
from reports.divergence.sums import Sum, token_columns

BASELINE = TokenModel()
N_TOKENS, FIRST_CLASS = 30, 3


def drawn_log_probs(candidate, n_texts, rng):
    """Log-probabilities of both models, (texts, tokens), for texts drawn from the baseline."""
    previous = np.full(n_texts, FIRST_CLASS)
    ours, theirs = np.zeros((n_texts, N_TOKENS)), np.zeros((n_texts, N_TOKENS))
    for position in range(1, N_TOKENS):
        places = np.full(n_texts, position)
        rows = BASELINE.class_log_probs(previous, places)
        sums = np.exp(rows).cumsum(axis=1)
        chosen = (sums < rng.random((n_texts, 1)) * sums[:, -1:]).sum(axis=1)
        ours[:, position] = rows[np.arange(n_texts), chosen]
        other = candidate.class_log_probs(previous, places)
        theirs[:, position] = other[np.arange(n_texts), chosen]
        previous = chosen
    return ours[:, 1:], theirs[:, 1:]


def sums_by_text(ours, theirs):
    """One row a text, one column a sum, by the code that reads records."""

    def chunk(logprobs):
        ids = np.arange(logprobs.size)
        return TokenChunk(
            start=0, ids=ids, logprobs=logprobs.ravel(), ranks=ids + 1, tops=ids, texts=[""] * len(ids)
        )

    return token_columns(chunk(ours), chunk(theirs), 10).reshape(*ours.shape, len(Sum)).sum(axis=1)


@pytest.mark.parametrize("drift", [0.05, 0.15, 0.6], ids=lambda drift: f"drift {drift}")
@pytest.mark.parametrize("which", [Sum.LOG_RATIO, Sum.CONTROLLED], ids=lambda which: which.name.lower())
def test_estimates_have_the_exact_divergence_as_their_mean_and_intervals_hold_it(drift, which):
    candidate = TokenModel(drift=drift)
    exact = BASELINE.exact_divergence(candidate, FIRST_CLASS, N_TOKENS).mean()
    rng = np.random.default_rng(11)
    replicates, n_texts = 200, 60
    sums = sums_by_text(*drawn_log_probs(candidate, replicates * n_texts, rng))
    found = [mean_per_token(rows[:, which], rows[:, Sum.TOKENS], 0.95) for rows in np.split(sums, replicates)]
    values = np.array([one.value for one in found])
    error = values.std(ddof=1) / np.sqrt(replicates)
    assert abs(values.mean() - exact) < 3.5 * error
    assert error < 0.15 * exact  # or the line above would prove nothing
    held = np.mean([one.interval.low <= exact <= one.interval.high for one in found])
    assert 0.9 <= held <= 0.99


def test_the_exact_divergence_is_what_enumerating_every_text_gives():
    """Three tokens of sixteen classes: 256 texts, each with its probability under both."""
    candidate, n_tokens = TokenModel(drift=0.3, late_drift=0.1), 3
    classes = np.arange(N_CLASSES)
    ours, theirs = (
        [model.class_log_probs(classes, np.full(N_CLASSES, position)) for position in (1, 2)]
        for model in (BASELINE, candidate)
    )
    total = 0.0
    for first in classes:
        for second in classes:
            log_p = ours[0][FIRST_CLASS, first] + ours[1][first, second]
            log_q = theirs[0][FIRST_CLASS, first] + theirs[1][first, second]
            total += np.exp(log_p) * (log_p - log_q)
    assert BASELINE.exact_divergence(candidate, FIRST_CLASS, n_tokens).sum() == pytest.approx(total)


def test_the_companion_of_mean_zero_makes_the_estimate_far_sharper():
    rng = np.random.default_rng(12)
    sums = sums_by_text(*drawn_log_probs(TokenModel(drift=0.05), 400, rng))
    plain, controlled = (
        mean_per_token(sums[:, which], sums[:, Sum.TOKENS], 0.95) for which in (Sum.LOG_RATIO, Sum.CONTROLLED)
    )
    assert controlled.interval.width < plain.interval.width / 10


def test_texts_that_another_model_wrote_shift_the_ratio_that_checks_them():
    rng = np.random.default_rng(13)
    candidate = TokenModel(drift=0.6)
    ours, theirs = drawn_log_probs(candidate, 2_000, rng)
    right = sums_by_text(ours, theirs)
    ratio = mean_per_token(right[:, Sum.RATIO], right[:, Sum.TOKENS], 0.99)
    assert ratio.interval.low <= 0 <= ratio.interval.high
    swapped = sums_by_text(theirs, ours)  # as if the candidate's texts were passed off as the baseline's
    wrong = mean_per_token(swapped[:, Sum.RATIO], swapped[:, Sum.TOKENS], 0.99)
    assert wrong.interval.low > 0
