"""A language model small enough to be known: a Markov chain over classes of tokens, with drift on request.

Every simulated checkpoint shares one chain; ``drift`` adds the same fixed noise to its logits, ``late_drift``
more of it the later in the text. The divergence of two such checkpoints can be summed up exactly, token by
token, which is what estimates of it are tested against.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from evals.simulator.dice import generator

N_CLASSES = 16
VOCABULARY = 2**24
_PER_CLASS = VOCABULARY // N_CLASSES  # a class's tokens are equally likely, and on both sides alike
_SPREAD = 1.5  # of the logits
_LATE_FROM = 64  # late drift counts doublings of the position from here on

Floats = npt.NDArray[np.float64]


class TokenModelError(ValueError):
    """Settings of the token model that are none."""


@dataclass(frozen=True, kw_only=True)
class TokenScore:
    """What is said of one token: log-probability, rank among the classes, and the likeliest token."""

    logprob: float
    rank: int
    top: int
    top_logprob: float


@dataclass(frozen=True, kw_only=True)
class TokenModel:
    """One checkpoint's next-token distribution, its tokenizer and the engine that serves it.

    ``jitter`` is the standard deviation of the noise that each request adds to each log-probability;
    ``tokenizer`` is ``own`` or ``digits`` (every digit a token); ``engine`` what the endpoint says it is;
    ``prompt_logprobs`` whether it gives any.
    """

    drift: float = 0.0
    late_drift: float = 0.0
    jitter: float = 0.0
    tokenizer: str = "own"
    engine: str = "quantcheck-simulator"
    prompt_logprobs: bool = True

    @cached_property
    def _chain(self) -> Floats:
        return generator("token chain").normal(scale=_SPREAD, size=(N_CLASSES, N_CLASSES))

    @cached_property
    def _noise(self) -> Floats:
        return generator("token drift").normal(size=(N_CLASSES, N_CLASSES))

    def class_log_probs(self, previous: npt.NDArray[np.int64], positions: npt.NDArray[np.int64]) -> Floats:
        """Return log p of each class after the classes ``previous``, at ``positions``; one row each."""
        late = np.maximum(np.log2(np.maximum(positions, 1) / _LATE_FROM), 0.0)
        size = (self.drift + self.late_drift * late)[:, np.newaxis]
        logits = self._chain[previous] + size * self._noise[previous]
        peak = logits.max(axis=1, keepdims=True)
        return np.asarray(logits - peak - np.log(np.exp(logits - peak).sum(axis=1, keepdims=True)))

    def scores(self, ids: Sequence[int], request: int) -> list[TokenScore | None]:
        """Return what is said of each token, ``None`` of the first; ``request`` seeds the jitter."""
        classes = np.array(ids, dtype=np.int64) % N_CLASSES
        table = self.class_log_probs(classes[:-1], np.arange(1, len(ids)))
        if self.jitter:
            table = table + generator("jitter", request).normal(scale=self.jitter, size=table.shape)
        own = table[np.arange(len(table)), classes[1:]]
        ranks = 1 + (table > own[:, np.newaxis]).sum(axis=1)
        within = np.log(_PER_CLASS)
        found: list[TokenScore | None] = [None]
        for place, (row, rank) in enumerate(zip(table, ranks, strict=True)):
            top = int(row.argmax())
            found.append(
                TokenScore(
                    logprob=float(own[place] - within),
                    rank=int(rank),
                    top=ids[place + 1] if rank == 1 else top,
                    top_logprob=float(row[top] - within),
                )
            )
        return found

    def exact_divergence(self, other: "TokenModel", first_class: int, n_tokens: int) -> Floats:
        """Return KL(self || other) in nats for each token after the first of a text drawn from ``self``."""
        reached = np.zeros(N_CLASSES)
        reached[first_class] = 1.0
        every = np.arange(N_CLASSES)
        found = []
        for position in range(1, n_tokens):
            positions = np.full(N_CLASSES, position)
            ours, theirs = (model.class_log_probs(every, positions) for model in (self, other))
            found.append(float(reached @ (np.exp(ours) * (ours - theirs)).sum(axis=1)))
            reached = reached @ np.exp(ours)
        return np.array(found)

    def draw(self, first_class: int, n_tokens: int, rng: np.random.Generator) -> list[int]:
        """Return the ids of a text drawn from this model at temperature 1 and top_p 1."""
        classes = [first_class]
        for position in range(1, n_tokens):
            row = self.class_log_probs(np.array([classes[-1]]), np.array([position]))[0]
            classes.append(int(rng.choice(N_CLASSES, p=np.exp(row))))
        within = rng.integers(_PER_CLASS, size=n_tokens)
        return [int(group + N_CLASSES * place) for group, place in zip(classes, within, strict=True)]


_NUMBERS = ("drift", "late_drift", "jitter")
_WORDS = {
    "tokenizer": ("own", "digits"),
    "engine": ("quantcheck-simulator", "vllm", "sglang", "llamacpp"),
    "prompt_logprobs": ("yes", "no"),
}


def parse_token_model(settings: Sequence[str]) -> TokenModel:
    """Read ``KEY=VALUE`` settings; raise :class:`TokenModelError`."""
    given: dict[str, float | str | bool] = {}
    for setting in settings:
        name, _, value = setting.partition("=")
        if name in _NUMBERS:
            try:
                given[name] = float(value)
            except ValueError:
                raise TokenModelError(f"{setting}: {name} takes a number, such as {name}=0.1") from None
        elif name in _WORDS and value in _WORDS[name]:
            given[name] = value == "yes" if name == "prompt_logprobs" else value
        else:
            known = ", ".join([*_NUMBERS, *(f"{word}={'|'.join(may)}" for word, may in _WORDS.items())])
            raise TokenModelError(f"{setting}: is no setting of the token model; known: {known}")
    return TokenModel(**given)  # type: ignore[arg-type]  # each checked above
