"""The kinds of endpoint that a contract knows; which probes each must pass is in :mod:`tasks.vendor_contract.clauses`."""

from collections.abc import Mapping
from dataclasses import dataclass

from tasks.spec import SpecError, ThinkMode
from tasks.vendor_contract.probe import Group

KIMI_CONTEXT_TOKENS = 262_144


@dataclass(frozen=True, kw_only=True)
class Profile:
    """A kind of endpoint. Probes outside ``optional_groups`` and ``advisory`` are required.

    ``thinks``: its model thinks and can be told not to. ``has_fixed_sampling``: it refuses any sampling
    values but its own. ``context_tokens`` stands in where the endpoint does not tell its context length.
    """

    name: str
    summary: str
    think_mode: ThinkMode
    thinks: bool
    has_fixed_sampling: bool
    has_native_ids: bool
    context_tokens: int | None
    optional_groups: frozenset[Group] = frozenset()
    advisory: frozenset[str] = frozenset()


OPEN = Profile(
    name="kimi-k2.6-open",
    summary="Kimi-K2.6's open weights on vLLM, SGLang or KTransformers",
    think_mode=ThinkMode.OPENSOURCE,
    thinks=True,
    has_fixed_sampling=False,
    has_native_ids=True,
    context_tokens=KIMI_CONTEXT_TOKENS,
    advisory=frozenset({"thinking_effort"}),  # later templates grade effort; K2.6's own may not
)
OFFICIAL = Profile(
    name="kimi-k2.6-official",
    summary="Moonshot's own API for Kimi-K2.6, or a vendor that offers the same",
    think_mode=ThinkMode.KIMI,
    thinks=True,
    has_fixed_sampling=True,
    has_native_ids=True,
    context_tokens=KIMI_CONTEXT_TOKENS,
    advisory=frozenset({"thinking_effort", "dynamic_tools"}),  # documented for later models of the family
)
GENERIC = Profile(
    name="generic",
    summary="any OpenAI-compatible endpoint of a model with tools",
    think_mode=ThinkMode.NONE,
    thinks=False,
    has_fixed_sampling=False,
    has_native_ids=False,
    context_tokens=None,
    optional_groups=frozenset({Group.IMAGES}),
)
PROFILES: Mapping[str, Profile] = {profile.name: profile for profile in (OPEN, OFFICIAL, GENERIC)}


def find_profile(name: str) -> Profile:
    """Return the profile called ``name``; raise :class:`SpecError` that lists the known ones."""
    if name not in PROFILES:
        raise SpecError(f"profile {name!r}: not a profile; choose one of {', '.join(PROFILES)}")
    return PROFILES[name]
