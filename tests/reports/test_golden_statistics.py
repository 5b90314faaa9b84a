"""Every number of tests/golden/statistics.json, made with independent software, to its stated tolerance.

A field the product does not compute stands in ``NOT_OURS`` with the reason, so that none is skipped unseen.
"""

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reports.arm import Arm, arm_from_scores
from reports.delta import Delta, paired_delta
from reports.intervals import (
    Interval,
    Limits,
    critical_value,
    mover_difference,
    mover_ratio,
    scaled_tango,
    shrunk_correlation,
    wilson,
)
from reports.metrics import ToolCounts, ratio_of_means, schema_accuracy, trigger_f1
from reports.multiplicity import benjamini_hochberg, holm
from reports.pairing import pair_scores
from reports.permutation import exact_test, exact_test_of, normal_test
from reports.power import items_for_paired_t, responses_for_accuracies
from reports.sequential import Spending, boundaries, crossing_probabilities, information_fractions
from tests.reports.score_rows import score_rows

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "statistics.json").read_text(encoding="utf-8"))

NOT_OURS: dict[str | tuple[str, str], str] = {
    "bonett_price95": "another interval; Tango's is the one used",
    "clopper95": "another interval; Wilson's is the one used",
    "jeffreys95": "another interval; Wilson's is the one used",
    "mn95": "another interval; Newcombe's is the one used",
    "tang_ratio95": "another interval of a paired ratio; MOVER-R is the one used",
    "signflip_exact_p": "another test; the stratified exact one is used",
    "bonferroni": "never sharper than Holm",
    "schema_base_se_svyratio": "the interval is Wilson's, no standard error is shown",
    "schema_cand_se_svyratio": "the interval is Wilson's, no standard error is shown",
    "schema_delta_se_linearised": "zero width near 1; MOVER is used",
    "f1_base_se_svyratio": "the interval is Wilson's, no standard error is shown",
    "f1_cand_se_svyratio": "the interval is Wilson's, no standard error is shown",
    ("paired_60x1", "t_p"): "another test; the stratified exact one is used",
}


def ends(value: Limits | Interval) -> list[float]:
    return [float(value.low), float(value.high)]


Fields = Mapping[str, Callable[[], Any]]


def paired_table(counts: Mapping[str, int]) -> Fields:
    pairs = (
        ["11"] * counts["both"]
        + ["10"] * counts["cand_only"]
        + ["01"] * counts["base_only"]
        + ["00"] * counts["neither"]
    )
    base, cand = score_rows([p[1] for p in pairs]), score_rows([p[0] for p in pairs])
    delta, n = paired_delta(base, cand), len(pairs)
    arms = pair_scores(base, cand)
    z = critical_value(0.95)

    def newcombe() -> list[float]:
        pb, pc = arms.baseline_arm.accuracy, arms.candidate_arm.accuracy
        rho = shrunk_correlation(arms.candidate_arm.means, arms.baseline_arm.means)
        return ends(mover_difference(pc, wilson(pc, n, z), pb, wilson(pb, n, z), rho))

    return {
        "delta": lambda: delta.value,
        "tango95": lambda: ends(delta.interval),
        "tango90": lambda: ends(paired_delta(base, cand, confidence=0.9).interval),
        "newcombe10_95": newcombe,
        "mcnemar_exact": lambda: delta.test.exact,
        "mcnemar_midp": lambda: delta.p_value,
        "mcnemar_chi2_nocc_p": lambda: normal_test(arms.baseline_arm, arms.candidate_arm).exact,
    }


def single_proportions(pairs: list[Mapping[str, int]]) -> Fields:
    z = critical_value(0.95)
    return {"wilson95": lambda: [ends(wilson(p["x"] / p["n"], p["n"], z)) for p in pairs]}


def independent(counts: Mapping[str, int]) -> Fields:
    (x1, n1), (x2, n2), z = (counts["x1"], counts["n1"]), (counts["x2"], counts["n2"]), critical_value(0.95)
    one, other = wilson(x1 / n1, n1, z), wilson(x2 / n2, n2, z)
    table = [np.array([v]) for v in (x1, n1, x1 + x2, n1 + n2)]
    return {
        "newcombe95": lambda: ends(mover_difference(x1 / n1, one, x2 / n2, other)),
        "ratio_moverR95": lambda: ends(mover_ratio(x1 / n1, one, x2 / n2, other)),
        "fisher_p": lambda: exact_test(*table).exact,
    }


def epochs(scores: Mapping[str, list[str]]) -> Fields:
    base, cand = score_rows(scores["base"]), score_rows(scores["cand"])
    delta, pairing = paired_delta(base, cand), pair_scores(base, cand)
    b, c = pairing.baseline_arm, pairing.candidate_arm

    def paired_t() -> dict[str, Any]:
        assert delta.item_error is not None
        return {"t": delta.value / delta.item_error, "df": b.n_items - 1, "se": delta.item_error}

    return {
        "n_items": lambda: delta.n_items,
        "acc_base": lambda: delta.baseline.accuracy,
        "acc_cand": lambda: delta.candidate.accuracy,
        "delta": lambda: delta.value,
        "V_fixed_base": lambda: b.sampling_variance,
        "V_fixed_cand": lambda: c.sampling_variance,
        "wilson_fixed_base95": lambda: ends(delta.baseline.interval),
        "wilson_fixed_cand95": lambda: ends(delta.candidate.interval),
        "fixed_items_delta95": lambda: ends(delta.interval),
        "fixed_items_delta90": lambda: ends(paired_delta(base, cand, confidence=0.9).interval),
        "recovery95": lambda: ends(recovery_of(delta)),
        "scaled_tango95": lambda: ends(scaled_tango(c.means - b.means, critical_value(0.95))),
        "paired_t": paired_t,
        "cluster_CR0_se": lambda: (delta.item_error or 0) * np.sqrt((b.n_items - 1) / b.n_items),
        "exact_stratified_p": lambda: delta.test.exact,
        "exact_stratified_midp": lambda: delta.p_value,
        "exact_less": lambda: delta.test.worse,
        "cmh_chi2_p": lambda: normal_test(b, c).exact,
        "p_no_difference": lambda: delta.p_value,
    }


def recovery_of(delta: Delta) -> Interval:
    assert delta.recovery is not None
    return delta.recovery.interval


def one_epoch(scores: Mapping[str, str]) -> Fields:
    delta = paired_delta(score_rows(list(scores["base"])), score_rows(list(scores["cand"])))

    def table() -> dict[str, int]:
        both = round(delta.baseline.accuracy * delta.n_items) - delta.flips.worse
        worse, better = delta.flips.worse, delta.flips.better
        neither = delta.n_items - both - worse - better
        return {"both": both, "base_only": worse, "cand_only": better, "neither": neither}

    def t_interval() -> list[float]:
        half = 2.00099537808827 * (delta.item_error or 0)  # R: qt(.975, 59)
        return [delta.value - half, delta.value + half]

    return {"table": table, "t_ci": t_interval, "mcnemar_exact": lambda: delta.test.exact}


def tool_calls(marks: Mapping[str, str]) -> Fields:
    bits = {name: np.array([float(mark) for mark in text]) for name, text in marks.items()}
    base, cand = (
        ToolCounts(
            expected=bits["ref_trigger"],
            triggered=bits[f"{side}_trigger"],
            correct_triggers=bits["ref_trigger"] * bits[f"{side}_trigger"],
            valid=bits[f"{side}_valid"],
        )
        for side in ("base", "cand")
    )
    schema, f1 = schema_accuracy(base, cand), trigger_f1(base, cand)
    assert schema is not None and f1 is not None

    def counts() -> dict[str, list[float]]:
        unions = {
            name: [
                side.correct_triggers.sum(),
                (side.expected + side.triggered - side.correct_triggers).sum(),
            ]
            for name, side in (("base", base), ("cand", cand))
        }
        return {name: [float(v) for v in pair] for name, pair in unions.items()}

    return {
        "schema_base": lambda: schema.baseline.value,
        "schema_cand": lambda: schema.candidate.value,
        "wilson_schema_base": lambda: ends(schema.baseline.interval),
        "wilson_schema_cand": lambda: ends(schema.candidate.interval),
        "f1_base": lambda: f1.baseline.value,
        "f1_cand": lambda: f1.candidate.value,
        "f1_base_wilson_indirect": lambda: ends(f1.baseline.interval),
        "f1_cand_wilson_indirect": lambda: ends(f1.candidate.interval),
        "counts": counts,
    }


def tokens(counts: Mapping[str, list[float]]) -> Fields:
    ratio = ratio_of_means(np.array(counts["base"], float), np.array(counts["cand"], float), 0.95)
    assert ratio.interval is not None and ratio.geometric_interval is not None
    interval, geometric = ratio.interval, ratio.geometric_interval
    return {
        "ratio": lambda: ratio.value,
        "se": lambda: ratio.error,
        "log_t_ci95": lambda: ends(interval),
        "geo_ratio": lambda: ratio.geometric,
        "geo_ci95": lambda: ends(geometric),
    }


def multiplicity(values: Mapping[str, list[float]]) -> Fields:
    return {"holm": lambda: holm(values["p"]), "bh": lambda: benjamini_hochberg(values["p"])}


def spending(design: Mapping[str, Any]) -> Fields:
    kind = Spending.OBRIEN_FLEMING if "O'Brien" in design["kind"] else Spending.POCOCK
    fractions = information_fractions(design["looks"])
    bounds = boundaries(fractions, design["alpha_one_sided"], kind)
    return {
        "bounds": lambda: bounds,
        "cumulative_crossing": lambda: crossing_probabilities(fractions, bounds),
    }


def power(_: Mapping[str, Any]) -> Fields:
    return {
        "paired_t_n": lambda: items_for_paired_t(0.01, 0.05),
        "two_prop_n": lambda: responses_for_accuracies(0.99, 0.98),
    }


KINDS: dict[str, Callable[[Any], Fields]] = {
    "paired2x2": paired_table,
    "single_proportions": single_proportions,
    "indep": independent,
    "epochs": epochs,
    "paired_60x1": one_epoch,
    "tool_80": tool_calls,
    "tokens": tokens,
    "multiplicity": multiplicity,
    "spending": spending,
    "power": power,
}


@cache
def fields_of(name: str) -> Fields:
    case = next(case for case in GOLDEN if case["id"] == name)
    return next(build for kind, build in KINDS.items() if name.startswith(kind))(case["input"])


def is_ours(name: str, field: str) -> bool:
    return field not in NOT_OURS and (name, field) not in NOT_OURS


@pytest.mark.parametrize(
    ("case", "field"),
    [
        pytest.param(case, field, id=f"{case['id']}-{field}")
        for case in GOLDEN
        for field in case["expected"]
        if is_ours(case["id"], field)
    ],
)
def test_equals_independent_software(case: Mapping[str, Any], field: str) -> None:
    expected = case["expected"][field]
    found, want = fields_of(case["id"])[field](), expected["value"]
    if isinstance(found, dict):  # of the paired t-test only t, df and se are ours
        found, want = list(found.values()), [want[key] for key in found]
    np.testing.assert_allclose(found, want, rtol=0, atol=expected["tol"])


def test_single_stratum_is_the_arm_level_test() -> None:
    arm = arm_from_scores(np.array([0, 0, 0]), np.array([1.0, 0.0, 0.0]), 1)
    other = arm_from_scores(np.array([0, 0]), np.array([1.0, 1.0]), 1)
    direct = exact_test(*[np.array([v]) for v in (1, 3, 3, 5)])
    assert exact_test_of(other, arm) == direct
    assert isinstance(arm, Arm)
