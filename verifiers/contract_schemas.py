"""Judge many schemas at once: those that must be accepted and conformed to, and those that may be refused."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from verifiers.contract_evidence import (
    Evidence,
    Judge,
    ProbeStatus,
    ProbeVerdict,
    Tally,
    failed,
    not_applicable,
    nothing_shown,
    passed,
)
from verifiers.contract_tools import call_conforms

_SHOWN = 3


def all_conform(tools_of: Mapping[str, Sequence[Mapping[str, Any]]], *, left_out: str = "") -> Judge:
    """Return the judge of forced calls by request name, each conforming to the tools it declares.

    ``left_out`` says which schemas were not sent, and why.
    """
    judges = {name: call_conforms(name, tools) for name, tools in tools_of.items()}

    def judge(evidence: Evidence) -> ProbeVerdict:
        verdicts = {name: judge_one(evidence) for name, judge_one in judges.items()}
        counts = Counter(verdict.status for verdict in verdicts.values())
        n_kept, n_failed = counts[ProbeStatus.PASS], counts[ProbeStatus.FAIL]
        tally = Tally(kept=n_kept, judged=n_kept + n_failed)
        if n_failed:
            shown = failed(f"{n_failed} of {len(verdicts)} schemas: {_listed(verdicts, ProbeStatus.FAIL)}")
        elif counts[ProbeStatus.ERROR]:
            listed = _listed(verdicts, ProbeStatus.ERROR)
            shown = nothing_shown(f"{counts[ProbeStatus.ERROR]} of {len(verdicts)} schemas: {listed}")
        elif not n_kept:
            shown = not_applicable("no schema that can be judged")
        else:
            shown = passed(f"{n_kept} of {len(verdicts)} schemas accepted and conformed to")
        evidence_text = f"{shown.evidence}; {left_out}" if left_out else shown.evidence
        return replace(shown, evidence=evidence_text, tally=tally if tally.judged else None)

    return judge


def refusals_counted(names: Sequence[str]) -> Judge:
    """Return the judge that counts how many of ``names`` are refused; it never passes or fails anything."""

    def judge(evidence: Evidence) -> ProbeVerdict:
        refused = [name for name in names if evidence.replies[name].is_reasoned_refusal]
        served = [name for name in names if evidence.replies[name].response is not None]
        text = f"{len(refused)} of {len(names)} refused with a 400 and a reason, {len(served)} accepted"
        tally = Tally(kept=len(refused), judged=len(refused) + len(served))
        return replace(not_applicable(f"for information: {text}"), tally=tally if tally.judged else None)

    return judge


def _listed(verdicts: Mapping[str, ProbeVerdict], status: ProbeStatus) -> str:
    found = [f"{name} {verdict.evidence}" for name, verdict in verdicts.items() if verdict.status is status]
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return "; ".join(found[:_SHOWN]) + more
