"""Words that fill reasoning and answers: cheap to draw in bulk, varied, and free of anything gradable."""

import numpy as np

# One sentence is one token from each slot in turn. No slot may hold a lone capital letter, "answer",
# "option" or "boxed": a grader that reads filler as an answer would break the known truth.
# fmt: off
_OPENERS = (
    "First", "Next", "Then", "So", "Now", "Here", "Also", "Hence", "Thus", "Still", "Perhaps", "Again",
    "Otherwise", "Meanwhile", "Instead",
)
_VERBS = (
    "bound", "count", "compare", "check", "expand", "factor", "reduce", "test", "rewrite", "estimate",
    "verify", "isolate", "group", "order",
)
_ARTICLES = ("the", "every", "each", "this", "that", "some", "another", "either", "its", "one")
_ADJECTIVES = (
    "outer", "inner", "small", "large", "even", "odd", "prime", "central", "second", "final", "mixed",
    "nested", "simple", "linear",
)
_NOUNS = (
    "term", "case", "region", "value", "pattern", "symmetry", "residue", "factor", "figure", "edge",
    "vertex", "passage", "label",
)
_LINKS = ("against", "with", "near", "under", "over", "beside", "without", "before", "after", "modulo")
# fmt: on

_PROSE_SLOTS = (
    [f" {word}" for word in _OPENERS],
    [" we"],
    *([f" {word}" for word in words] for words in (_VERBS, _ARTICLES, _ADJECTIVES, _NOUNS, _LINKS)),
    *([f" {word}" for word in words] for words in (_ARTICLES, _ADJECTIVES, _NOUNS)),
    [",", ";", ":"],
    *([f" {word}" for word in words] for words in (_LINKS, _ARTICLES, _NOUNS)),
    [".", ".", ".", "?"],
)
_NUMBERS = [f" {number}" for number in range(1000)]
_REASONING_SLOTS = (*_PROSE_SLOTS[:7], _NUMBERS, *_PROSE_SLOTS[10:12], _NUMBERS, *_PROSE_SLOTS[14:])


class _Grammar:
    """Slots laid out as one flat table, so that a text is one vectorised draw of indices into it."""

    def __init__(self, slots: tuple[list[str], ...]) -> None:
        self.words = [word for slot in slots for word in slot]
        self.sizes = np.array([len(slot) for slot in slots])
        self.starts = np.concatenate(([0], np.cumsum(self.sizes)[:-1]))

    def draw(self, rng: np.random.Generator, n_tokens: int) -> list[str]:
        n_sentences = -(-n_tokens // len(self.sizes))
        draws = rng.random((n_sentences, len(self.sizes)))
        indices = (draws * self.sizes).astype(np.int64) + self.starts
        tokens = [self.words[index] for index in indices.ravel()[:n_tokens].tolist()]
        return [tokens[0].lstrip(), *tokens[1:]] if tokens else []


_PROSE = _Grammar(_PROSE_SLOTS)
_REASONING = _Grammar(_REASONING_SLOTS)


def reasoning_tokens(rng: np.random.Generator, n_tokens: int) -> list[str]:
    """Return ``n_tokens`` tokens of thinking aloud with numbers; a shorter draw begins a longer one."""
    return _REASONING.draw(rng, n_tokens)


def prose_tokens(rng: np.random.Generator, n_tokens: int) -> list[str]:
    """Return ``n_tokens`` tokens of explanation without digits or capital letters standing alone."""
    return _PROSE.draw(rng, n_tokens)
