"""A budget that the endpoint's context cannot hold is refused with the numbers, or cut on request."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals import budget as budget_module
from evals.budget import BudgetError, settle_budget
from evals.endpoint import Endpoint
from evals.endpoint_facts import EndpointFacts
from evals.prompts.prompt_length import PromptLength, estimate_tokens, longest_prompt
from tasks.benchmark import Item
from tasks.spec import DatasetFacts, Sampling, TaskSpec, ThinkMode

ENDPOINT = Endpoint(base_url="http://127.0.0.1:9/v1", model="m", label="m")
SPEC = TaskSpec(
    task="aime25",
    variant=None,
    preset="sglang",
    dataset=DatasetFacts(
        name="d", source="s", revision=None, content_hash="c", n_items=1, is_pinned_content=None
    ),
    prompt_hash="p",
    scorer="s",
    sampling=Sampling(temperature=1.0, top_p=0.95),
    max_tokens=131_072,
    epochs=1,
    think_mode=ThinkMode.NONE,
    thinking=None,
    effort=None,
)


def item(prompt="x" * 400, sample_id="a", images=()):
    return Item(sample_id=sample_id, prompt=prompt, target="1", content_hash=sample_id, images=images)


def settle(max_tokens, context, *, clamp=False, engine="vllm", items=None, **spec):
    facts = EndpointFacts(models=("m",), engine=engine, context_tokens=context, n_slots=4)
    spec = replace(SPEC, max_tokens=max_tokens, **spec)
    items = (item(),) if items is None else items
    return settle_budget(spec, items, ENDPOINT, facts, clamp=clamp)


PROMPT = 264  # tokens of the item above: 400 characters at two a token, and the template


@pytest.mark.parametrize("max_tokens", [1, 8192, 131_072, 262_144 - PROMPT])
def test_a_budget_that_fits_is_left_alone(max_tokens):
    budget = settle(max_tokens, 262_144)
    assert (budget.max_tokens, budget.is_clamped, budget.prompt.tokens) == (max_tokens, False, PROMPT)


@pytest.mark.parametrize(
    ("engine", "flag"),
    [
        ("vllm", f"--max-model-len {131_072 + PROMPT}"),
        ("sglang", f"--context-length {131_072 + PROMPT}"),
        ("llama.cpp", f"--ctx-size {4 * (131_072 + PROMPT)}"),
        (None, f"a context of {131_072 + PROMPT} tokens"),
    ],
)
def test_a_budget_beyond_the_context_is_refused_with_the_numbers(engine, flag):
    with pytest.raises(BudgetError) as refused:
        settle(131_072, 2048, engine=engine)
    for part in ("131,072", "2,048", f"--max-tokens {2048 - PROMPT} or less fits", "--clamp-budget", flag):
        assert part in str(refused.value)


def test_the_prompt_counts(monkeypatch):
    monkeypatch.setattr(budget_module, "count_longest", lambda *_: None)
    assert settle(2048 - PROMPT, 2048).max_tokens == 2048 - PROMPT
    with pytest.raises(BudgetError):
        settle(2048 - PROMPT + 1, 2048)


def test_the_endpoints_own_count_decides_where_the_estimate_is_too_long(monkeypatch):
    counted = PromptLength(tokens=100, sample_id="a", is_exact=True)
    monkeypatch.setattr(budget_module, "count_longest", lambda *_: counted)
    assert settle(1900, 2048).prompt == counted
    with pytest.raises(BudgetError, match=r"100 prompt tokens \(counted\)"):
        settle(1949, 2048)


def test_nothing_is_counted_where_the_budget_alone_is_too_large(monkeypatch):
    monkeypatch.setattr(budget_module, "count_longest", lambda *_: pytest.fail("asked the endpoint"))
    with pytest.raises(BudgetError):
        settle(2048, 2048)


def test_a_cut_budget_is_what_the_estimate_leaves(monkeypatch):
    counted = PromptLength(tokens=100, sample_id="a", is_exact=True)
    monkeypatch.setattr(budget_module, "count_longest", lambda *_: counted)
    for asked in (1949, 131_072):  # the same cut, whether or not the endpoint counts
        budget = settle(asked, 2048, clamp=True)
        assert (budget.max_tokens, budget.asked, budget.is_clamped) == (2048 - PROMPT, asked, True)
        assert "fingerprint" in budget.warnings[0]


def test_a_cut_budget_makes_another_fingerprint():
    cut = settle(131_072, 2048, clamp=True)
    assert replace(SPEC, max_tokens=cut.max_tokens).fingerprint != SPEC.fingerprint


def test_a_prompt_longer_than_the_context_is_refused_even_when_cutting():
    with pytest.raises(BudgetError, match="no budget fits beside the prompt of a"):
        settle(256, 200, clamp=True)


def test_an_unknown_context_is_said_not_guessed():
    budget = settle(131_072, None)
    assert budget.max_tokens == 131_072 and "does not tell" in budget.notes[0]


@pytest.mark.parametrize(
    ("max_tokens", "spec", "is_warned"),
    [
        pytest.param(4096, {}, True, id="small, thinking by default"),
        pytest.param(8192, {}, False, id="livable"),
        pytest.param(4096, {"think_mode": ThinkMode.KIMI, "thinking": True}, True, id="small, thinking on"),
        pytest.param(4096, {"think_mode": ThinkMode.KIMI, "thinking": False}, False, id="instant"),
        pytest.param(
            4096, {"extra_body": {"chat_template_kwargs": {"thinking": False}}}, False, id="instant by body"
        ),
    ],
)
def test_a_budget_that_thinking_cannot_live_on_is_warned_about(max_tokens, spec, is_warned):
    warnings = settle(max_tokens, 262_144, **spec).warnings
    assert bool(warnings) is is_warned
    assert not is_warned or "4,096" in warnings[0]


def test_the_longest_prompt_is_found_and_images_cost_tokens():
    items = [item("x" * 100, "short"), item("x" * 900, "long"), item("", "picture", images=("i",))]
    longest = longest_prompt(items)
    assert longest is not None and longest.sample_id == "picture"
    shortest_two = longest_prompt(items[:2])
    assert shortest_two is not None and shortest_two.sample_id == "long"
    assert longest_prompt([]) is None


@given(st.text(max_size=300), st.text(max_size=300))
def test_estimates_grow_with_the_text(first, second):
    assert estimate_tokens(first + second) >= max(estimate_tokens(first), estimate_tokens(second))


@given(st.integers(1, 200_000), st.integers(1, 300_000), st.booleans())
def test_what_is_settled_always_fits(max_tokens, context, clamp):
    try:
        budget = settle(max_tokens, context, clamp=clamp, engine=None, items=())
    except BudgetError:
        assert max_tokens > context
    else:
        assert 1 <= budget.max_tokens <= min(max_tokens, context)
