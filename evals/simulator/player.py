"""Play the model: what is said to a request, a pure function of the profile, the sample and the seed."""

from dataclasses import dataclass, replace

import numpy as np

from evals.simulator.answers import AnswerEntry, AnswerKind
from evals.simulator.dice import generator
from evals.simulator.filler import reasoning_tokens
from evals.simulator.intent import Intent, chat_intent, draw_failure, known_intent
from evals.simulator.profile import EFFORT_FACTORS, Lengths, Profile
from evals.simulator.reply import Choice, Played, Reply
from evals.simulator.request import ChatRequest
from evals.simulator.tokens import split_tokens
from evals.simulator.tool_play import native_text, play_calls
from evals.simulator.truth import Truth

_LOOP_TOKENS = 12
_BEFORE_LOOP_TOKENS = 60


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What holds for one reply beyond the request: its seed, its budget in tokens, and what is forced."""

    seed: int
    budget: int
    thinks: bool
    forced: Played | None = None


@dataclass(frozen=True, kw_only=True)
class Player:
    """A checkpoint that answers. ``token_scale`` shortens or lengthens everything it says."""

    profile: Profile
    truth: Truth
    seed: int
    token_scale: float = 1.0

    def play(self, request: ChatRequest, entry: AnswerEntry | None, terms: Terms) -> Reply:
        """Return the reply to ``request``, which asks for ``entry`` (``None``: an unknown prompt)."""
        choices = tuple(self._choice(request, entry, terms, index) for index in range(request.sampling.n))
        return Reply(choices=choices, prompt_tokens=request.prompt_tokens)

    def _generator(
        self, request: ChatRequest, entry: AnswerEntry | None, terms: Terms, index: int
    ) -> np.random.Generator:
        sampling = request.sampling
        # Greedy decoding draws nothing, so the seed makes no difference to it.
        seed = None if sampling.is_greedy else terms.seed
        sample = (entry.task, entry.sample_id) if entry else ("", request.key.text_digest)
        who = (self.profile.name, self.seed)
        how = (terms.thinks, sampling.temperature, sampling.top_p, *sampling.penalties)
        return generator(*who, *sample, seed, index, *how)

    def _choice(self, request: ChatRequest, entry: AnswerEntry | None, terms: Terms, index: int) -> Choice:
        rng = self._generator(request, entry, terms, index)
        luck, style = float(rng.random()), float(rng.random())
        n_reasoning = self._reasoning_length(request, entry, rng)
        n_prose = self.profile.answer.draw(rng, self.token_scale)
        played = terms.forced or self._played(entry, luck, style)
        if played in (Played.LOOP, Played.FLOOD):
            return _endless(played, terms, rng)
        if entry is None:
            intent = chat_intent(request, rng)
        else:
            intent = known_intent(request, entry, played=played, n_prose=n_prose, rng=rng)
        # One token more than the budget is enough to see that it does not suffice.
        reasoning = reasoning_tokens(rng, min(n_reasoning, terms.budget + 1)) if terms.thinks else []
        return _within_budget(_said(request, intent, reasoning), terms.budget)

    def _played(self, entry: AnswerEntry | None, luck: float, style: float) -> Played:
        if entry is None:
            is_dead = self.profile.other_tasks.default == 0 and not self.profile.tasks
            return draw_failure(self.profile.failures, style) if is_dead else Played.UNKNOWN_PROMPT
        if luck < self.truth.probability(entry.task, entry.sample_id):
            return Played.CORRECT
        failure = draw_failure(self.profile.failures, style)
        # Whether a tool is called is right or wrong; there is no third way to fail at it by oneself.
        return Played.WRONG if (entry.kind, failure) == (AnswerKind.TOOL, Played.NO_ANSWER) else failure

    def _reasoning_length(
        self, request: ChatRequest, entry: AnswerEntry | None, rng: np.random.Generator
    ) -> int:
        lengths: Lengths = self.profile.chat
        if entry is not None:
            lengths = self.profile.task(entry.task).reasoning or self.profile.reasoning
        scale = self.token_scale * EFFORT_FACTORS.get(request.effort or "high", 1.0)
        return max(1, lengths.draw(rng, scale))


def _said(request: ChatRequest, intent: Intent, reasoning: list[str]) -> Choice:
    """Return ``intent`` put into words; a stop sequence ends the visible text before it."""
    if intent.calls_tool:
        calls = play_calls(request.tool_request, request.conversation)
        return Choice(reasoning=reasoning, calls=calls, finish_reason="tool_calls", played=intent.played)
    ends = [intent.text.find(stop) for stop in request.sampling.stop]
    end = min((end for end in ends if end >= 0), default=len(intent.text))
    return Choice(reasoning=reasoning, content=split_tokens(intent.text[:end]), played=intent.played)


def _endless(played: Played, terms: Terms, rng: np.random.Generator) -> Choice:
    """Return a choice that never ends by itself: one sign, or one phrase, until the budget is spent."""
    if played is Played.FLOOD:
        tokens = ["!"] * terms.budget
    else:
        opening = reasoning_tokens(rng, _BEFORE_LOOP_TOKENS + _LOOP_TOKENS)
        phrase = opening[-_LOOP_TOKENS:]
        tokens = [*opening, *phrase * (terms.budget // _LOOP_TOKENS + 1)][: terms.budget]
    reasoning, content = (tokens, []) if terms.thinks else ([], tokens)
    return Choice(reasoning=reasoning, content=content, finish_reason="length", played=played)


def _within_budget(choice: Choice, budget: int) -> Choice:
    """Cut ``choice`` to ``budget`` tokens; a call that is cut is left as native text, as vLLM leaves it."""
    if choice.n_tokens <= budget:
        return choice
    content = split_tokens(native_text(choice.calls)) if choice.calls else choice.content
    reasoning = choice.reasoning[:budget]
    known = choice.played is not Played.UNKNOWN_PROMPT
    return replace(
        choice,
        reasoning=reasoning,
        content=content[: budget - len(reasoning)],
        calls=(),
        finish_reason="length",
        played=Played.TRUNCATED if known else choice.played,
    )
