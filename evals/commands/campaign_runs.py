"""Make runs of a campaign on different endpoints at the same time."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from evals.campaigns.campaign import Campaign, startable
from evals.commands.campaign_text import run_title
from evals.commands.one_run import run_one
from evals.commands.runs_at_once import Job, RunsAtOnce
from evals.run_state import RunState, RunStatus


def make_at_once(
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

    RunsAtOnce(start, end).make()


def _jobs(campaign: Campaign, states: dict[str, RunState], under_way: Sequence[str]) -> Iterator[Job]:
    """Yield every run that no other one keeps from its endpoint."""
    waiting = [run for run in campaign.runs if states[run.identity].status is RunStatus.WAITING]
    running = [run for run in campaign.runs if run.identity in under_way]
    for planned in startable(waiting, running, campaign.parallel):
        title = run_title(planned, campaign.runs.index(planned) + 1, len(campaign.runs))
        yield Job(name=planned.identity, title=title, work=partial(run_one, planned.parameters))
