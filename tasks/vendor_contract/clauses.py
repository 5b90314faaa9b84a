"""Which probes a kind of endpoint must pass, may refuse, or is merely told about."""

from collections.abc import Callable
from dataclasses import dataclass

from tasks.spec import SpecError, ThinkMode
from tasks.vendor_contract.basic_probes import basic_probes, plain_ask
from tasks.vendor_contract.image_probes import image_probes
from tasks.vendor_contract.probe import Budgets, Demand, Probe
from tasks.vendor_contract.profiles import Profile
from tasks.vendor_contract.round_trip_probes import message_tools_probe, round_trip_probe, turn_probes
from tasks.vendor_contract.sampling_probes import fixed_probes, honoured_probes, recommended_probes
from tasks.vendor_contract.schema_directory import GivenSchema
from tasks.vendor_contract.schema_probes import (
    INVALID_SCHEMAS,
    format_probes,
    given_schema_probes,
    schema_probes,
)
from tasks.vendor_contract.thinking_probes import place_probe, thinking_probes
from tasks.vendor_contract.token_counts import TokenCount, token_count_probe
from tasks.vendor_contract.tool_probes import call_probes, choice_probes, thinking_choice_probe
from tasks.vendor_contract.usage_probes import limit_probes, usage_probes


@dataclass(frozen=True, kw_only=True)
class Clause:
    """A probe and what a profile makes of it."""

    probe: Probe
    demand: Demand


@dataclass(frozen=True, kw_only=True)
class GivenData:
    """What files of the user's add to a contract."""

    token_counts: tuple[TokenCount, ...] = ()
    schemas: tuple[GivenSchema, ...] = ()

    def probes(self, budgets: Budgets) -> tuple[Probe, ...]:
        """Return the probes of what is given."""
        return (
            *((token_count_probe(self.token_counts, budgets),) if self.token_counts else ()),
            *(given_schema_probes(self.schemas, budgets) if self.schemas else ()),
        )


def clauses_of(
    profile: Profile, budgets: Budgets, *, think_mode: ThinkMode, given: GivenData | None = None
) -> tuple[Clause, ...]:
    """Return the probes of ``profile`` and of what is ``given`` with their demands, as the report has them.

    ``think_mode`` of none leaves out whatever needs thinking to be switched. Raises :class:`SpecError`
    where names are not unique or a profile speaks of a probe that it does not have.
    """
    can_switch = think_mode is not ThinkMode.NONE
    fitted = budgets.within_context()
    probes = [*basic_probes(fitted)]
    for is_asked, build in _sections(profile, can_switch=can_switch):
        probes += build(fitted) if is_asked else ()
    probes += given.probes(fitted) if given is not None else ()
    clauses = tuple(Clause(probe=probe, demand=_demand(profile, probe)) for probe in probes)
    return checked(clauses, profile if can_switch else None)


def checked(clauses: tuple[Clause, ...], profile: Profile | None) -> tuple[Clause, ...]:
    """Return ``clauses`` whose names are unique and whose relations, and the profile's, exist."""
    names = [clause.probe.name for clause in clauses]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise SpecError(f"contract: probes {', '.join(twice)} stand twice; give each a name of its own")
    spoken = profile.advisory if profile is not None else frozenset()
    if unknown := sorted(spoken - set(names)):
        raise SpecError(f"contract: the profile speaks of {', '.join(unknown)}; there are no such probes")
    return clauses


def _sections(
    profile: Profile, *, can_switch: bool
) -> list[tuple[bool, Callable[[Budgets], tuple[Probe, ...]]]]:
    thinks = profile.thinks and can_switch
    fixed = profile.has_fixed_sampling

    def tools(budgets: Budgets) -> tuple[Probe, ...]:
        return (
            *choice_probes(budgets),
            *((thinking_choice_probe(budgets),) if thinks else ()),
            *call_probes(budgets, native_ids=profile.has_native_ids),
            *turn_probes(budgets),
            round_trip_probe(budgets, thinking=False),
            *((round_trip_probe(budgets, thinking=True),) if thinks else ()),
            *((message_tools_probe(budgets),) if fixed else ()),
        )

    return [
        (thinks, recommended_probes),
        (fixed and thinks, fixed_probes),
        (not fixed, honoured_probes),
        (thinks, thinking_probes),
        (not thinks, lambda budgets: (place_probe(plain_ask(budgets)),)),
        (True, tools),
        (True, schema_probes),
        (True, format_probes),
        (True, usage_probes),
        (True, lambda budgets: limit_probes(budgets, thinking=thinks)),
        (True, image_probes),
    ]


def _demand(profile: Profile, probe: Probe) -> Demand:
    if probe.name in profile.advisory or probe.name == INVALID_SCHEMAS:
        return Demand.ADVISORY
    return Demand.OPTIONAL if probe.group in profile.optional_groups else Demand.REQUIRED
