"""Make the runs of a campaign: those on different endpoints at the same time, else one after the other."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from evals.campaigns.campaign import Campaign, PlannedRun, has_parallel_runs, startable
from evals.commands.campaign_text import run_title
from evals.commands.one_run import run_one
from evals.commands.runs_at_once import Job, RunsAtOnce, make_in_turn
from evals.run_state import RunState, RunStatus


def make_runs(
    campaign: Campaign,
    states: dict[str, RunState],
    *,
    on_change: Callable[[], None],
    on_end: Callable[[], object],
) -> None:
    """Make the runs of a campaign that are not complete; ``states`` is kept up to date as they are made.

    ``on_change`` is called where other runs are under way than before, ``on_end`` after one has ended.
    """

    def start(under_way: Sequence[str]) -> list[Job]:
        jobs = list(_jobs(campaign, states, under_way))
        states.update({job.name: RunState(status=RunStatus.RUNNING) for job in jobs})
        if jobs or under_way:
            on_change()
        return jobs

    def end(identity: str, state: RunState) -> None:
        states[identity] = state
        on_end()

    if has_parallel_runs(_waiting(campaign, states), campaign.parallel):
        RunsAtOnce(start, end).make()
    else:
        make_in_turn(start, end)


def _jobs(campaign: Campaign, states: Mapping[str, RunState], under_way: Sequence[str]) -> Iterator[Job]:
    """Yield every run that no other one keeps from its endpoint."""
    running = [run for run in campaign.runs if run.identity in under_way]
    for planned in startable(_waiting(campaign, states), running, campaign.parallel):
        title = run_title(planned, campaign.runs.index(planned) + 1, len(campaign.runs))
        yield Job(name=planned.identity, title=title, work=partial(run_one, planned.parameters))


def _waiting(campaign: Campaign, states: Mapping[str, RunState]) -> list[PlannedRun]:
    return [run for run in campaign.runs if states[run.identity].status is RunStatus.WAITING]
