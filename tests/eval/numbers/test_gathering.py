"""Verdicts of all judges, run by run: repeats of a judge, counts, and how they read."""

from dataclasses import replace
from pathlib import Path

import pytest

from drretail.eval.metric import Value
from drretail.eval.numbers.gathering import averaged, gather, means_by_query
from drretail.stats.intervals import binomial_ends, pooled_ends
from tests import build
from tests.eval import own


def test_repeats_of_a_judge_are_averaged_and_one_that_failed_counts_in_items_alone() -> None:
    repeats = [
        {"FP": Value("FP", "scored", 1.0, {"claims": 4, "web": 2}), "FR": Value("FR", "na")},
        {"FP": Value("FP", "scored", 0.5, {"claims": 2}), "FR": Value("FR", "unverifiable", None, {"claims": 2})},
        {"FP": Value("FP", "failed", None, {"claims": 3})},
    ]
    assert averaged(repeats) == {
        "FP": Value("FP", "scored", 0.75, {"claims": 3.0, "web": 2 / 3}),
        "FR": Value("FR", "unverifiable", None, {"claims": 1.0}),
    }
    assert averaged(repeats[:1]) is repeats[0]
    assert averaged([]) == {}
    assert means_by_query([("q2", 1.0), ("q1", 0.0), ("q2", None), ("q2", 0.0), ("q3", None)]) == {"q1": 0, "q2": 0.5}
    assert list(means_by_query([("q2", 1.0), ("q1", 0.0)])) == ["q1", "q2"]


def test_a_share_whose_values_leave_0_to_1_is_a_count_for_all_systems(tmp_path: Path) -> None:
    for at, (value, is_count) in enumerate((("0.0", False), ("1.0", False), ("1.5", True), ("-0.5", True))):
        folder = build.experiment(tmp_path / str(at), {"a@m": {"q1-r1": value}, "b@m": {"q1-r1": "0.5"}})
        described = build.scored(folder, own.SILENT).metrics["stub"]
        assert described.counts == (("said", "half") if is_count else ()), value
        declared = own.SILENT.description.model_copy(update={"differences": ("said",)})
        described = gather(folder, [replace(own.SILENT, description=declared)]).metrics["stub"].description
        assert described.counts == (("half",) if is_count else ()), "a difference may be below 0"
        rated = own.SILENT.description.model_copy(update={"scale": "rating"})
        assert gather(folder, [replace(own.SILENT, description=rated)]).metrics["stub"].description.counts == ()


def test_a_judge_s_share_has_an_exact_interval_for_as_many_cases_as_reports_are_worth() -> None:
    from scipy.stats import binomtest

    exact = binomtest(18, 20).proportion_ci(0.9)
    assert pooled_ends([(10, 10), (0, 0), (8, 10)]) == pytest.approx((exact.low, exact.high))
    assert pooled_ends([]) == pooled_ends([(0, 0)]) == (0.0, 1.0)
    even, uneven = [(9, 10)] * 10, [(10, 10)] * 9 + [(0, 10)]
    exact = binomtest(90, 100).proportion_ci(0.9)
    assert pooled_ends(even) == pytest.approx((exact.low, exact.high)), (
        "even reports are worth no more than their cases"
    )
    # Each of the ten is right or wrong as a whole.
    assert pooled_ends(uneven) == pytest.approx(binomial_ends(0.9, 9, 0.9))
