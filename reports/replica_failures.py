"""Which replicas fail more often than the others: a server that answers nothing has no accuracy to compare."""

from collections.abc import Mapping

from reports.distributions import hypergeometric

FAILING_LEVEL = 0.001  # small: failures of a server come in bursts, and are no independent draws


def failing(n_failed: Mapping[str, int], n_answered: Mapping[str, int]) -> frozenset[str]:
    """Return the replicas that failed more of their tries than the others of theirs (Fisher's exact test).

    Both are counts by replica. One that was restarted in mid-run failed too, and is named.
    """
    tries = {name: n_failed[name] + n_answered[name] for name in n_failed}
    n_tries, n_all_failed = sum(tries.values()), sum(n_failed.values())

    def chance_of_more(name: str) -> float:
        drawn = hypergeometric(n_tries, n_all_failed, tries[name])
        return float(drawn.mass[n_failed[name] - drawn.start :].sum())

    return frozenset(name for name in n_failed if n_failed[name] and chance_of_more(name) < FAILING_LEVEL)
