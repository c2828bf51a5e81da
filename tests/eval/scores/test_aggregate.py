"""Rows over reports and over all planned runs (METRICS 0)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_1samp

from drretail.eval.families.quality.score import METRIC as QUALITY
from drretail.eval.registry import load_metric
from drretail.eval.scores.aggregate import About, rows, rows_of_all
from drretail.eval.scores.gathering import (
    FAILED_RUNS,
    NOT_IMPORTED,
    NOT_JUDGED,
    PENDING_RUNS,
    SPOILED_RUNS,
    Assessor,
    Plan,
    RunResult,
)
from drretail.eval.scores.planned import attendance, counted
from drretail.eval.values import Value
from drretail.records.query import Query
from drretail.records.score import JudgeRef, Score, VerdictState
from drretail.stats.clusters import Clusters
from tests.eval.compare.crafted import CODE, JUDGE, gathered, runs
from tests.eval.own import JUDGED
from tests.eval.own import SILENT as METRIC

ABOUT = About(JUDGED, "a@model", JUDGE, "", Clusters())


def said(query_id: str, value: float | VerdictState) -> RunResult:
    if isinstance(value, str):
        both = {variant: Value(variant, value) for variant in METRIC.variants}
    else:
        both = {variant: Value(variant, "scored", value, {"read": 1}) for variant in METRIC.variants}
    return RunResult(query_id, both)


def made(*reports: RunResult) -> Mapping[tuple[str, str], Score]:
    return {(row.variant, row.policy): row for row in rows(ABOUT, reports)}


def counts(row: Score) -> tuple[int, int, int, int, int]:
    return row.n_planned, row.n_scored, row.n_na, row.n_unverifiable, row.n_failed


def test_what_is_na_everywhere_is_never_0_and_what_these_rules_do_not_ask_has_no_row() -> None:
    assert set(made(said("q1", "na"), said("q2", "na"))) == {("said", "answered"), ("half", "answered")}
    left_out = RunResult("q1", {"said": Value("said", "scored", 1.0)})
    other = About(JUDGED, "b@model", JUDGE, "", Clusters())
    asked, lost = rows_of_all([(ABOUT, [left_out]), (other, [RunResult("q1", {}, FAILED_RUNS)])])
    assert [each.variant for each in asked] == ["said"]
    assert {(each.variant, each.n_failed) for each in lost} == {("said", 1)}


def test_the_interval_is_that_of_queries_and_where_users_are_known_of_users() -> None:
    values = [0.1, 0.9, 1.4, 2.0, 2.1, 2.6, 3.0, 3.3, 4.2, 5.4]
    reports = [said(f"q{n}", value) for n, value in enumerate(values)]
    users = {f"q{n}": f"u{n // 2}" for n in range(10)}
    by_user = [(one + other) / 2 for one, other in zip(values[::2], values[1::2], strict=True)]
    for clusters, counts_of, n_users in ((Clusters(), values, None), (Clusters(users), by_user, 5)):
        row = {row.variant: row for row in rows(replace(ABOUT, clusters=clusters), reports)}["said"]
        expected: Any = ttest_1samp(counts_of, 0.0)
        low, high = expected.confidence_interval()
        assert (row.ci_low, row.ci_high) == (pytest.approx(max(low, 0.0)), pytest.approx(high))
        assert (row.n_users, row.no_interval) == (n_users, None)


def test_a_pooled_variant_is_micro_and_has_one_policy() -> None:
    found = made(said("q1", 1.0), said("q2", 0.0), said("q3", "failed"), RunResult("q4", {}, FAILED_RUNS))
    row = found["half", "answered"]
    assert (row.aggregation, row.value, row.ci_low, row.ci_high) == ("micro", 0.5, None, None)
    assert counts(row) == (4, 2, 0, 0, 2)


def test_a_rule_based_judge_s_ratings_are_not_shown_as_numbers() -> None:
    reports = [RunResult(f"q{n}", {"clarity": Value("clarity", "scored", 9.0, {"read": 1})}) for n in (1, 2)]
    shown = {
        kind: rows(
            About(QUALITY, "a", Assessor(JudgeRef(spec="offline:judge", kind=kind), "default"), "", Clusters()), reports
        )[0]
        for kind in ("rule_based", "scripted")
    }
    hidden = shown["rule_based"]
    assert (hidden.value, hidden.ci_low, hidden.note) == (None, None, "not rated (rule-based)")
    assert (hidden.n_scored, hidden.items) == (2, {})
    assert (shown["scripted"].value, shown["scripted"].note) == (9.0, None)


@given(st.lists(st.tuples(st.integers(1, 4), st.sampled_from(["na", "failed", "unverifiable", 0.0, 0.25, 1.0]))))
def test_every_row_accounts_for_every_planned_report(planned: list[tuple[int, VerdictState | float]]) -> None:
    for row in rows(ABOUT, [said(f"q{query}", value) for query, value in planned]):
        assert row.n_planned == len(planned)
        assert row.n_planned == row.n_scored + row.n_na + row.n_unverifiable + row.n_failed
        assert (row.value is None) == (row.n_scored == 0 and row.policy == "answered")


def test_of_a_pooled_mean_a_query_counts_once_however_often_it_was_repeated() -> None:
    def result(query_id: str, web: float) -> RunResult:
        values = {"FP_web": Value("FP_web", "scored", web), "FP_product": Value("FP_product", "scored", 1.0)}
        return RunResult(query_id, {"FP_eq2": Value("FP_eq2", "scored", (web + 1) / 2), **values})

    about = About(load_metric("faithfulness"), "a@model", JUDGE, "", Clusters())
    reports = [result("q1", 1.0), result("q1", 1.0), result("q1", 1.0), result("q2", 0.0)]
    found = {row.variant: row for row in rows(about, reports)}
    # Half of both columns as they are printed.
    assert (found["FP_web"].value, found["FP_eq2"].value) == (0.5, 0.75)
    assert (found["FP_web"].n_queries, found["FP_eq2"].n_queries) == (None, 2)


def test_a_headline_that_no_report_on_a_query_can_have_earns_nothing_unless_its_family_says_so() -> None:
    held = gathered(("basket", "feasible", CODE, {"a": runs([1.0, None]), "b": runs([1.0, "na"])}))
    a = [counted(answers.result, "feasible") for plan, answers in held.judged_runs("basket", CODE) if plan.label == "a"]
    assert a == [1.0, None]
    lacking = RunResult("q1", {"FP": Value("FP", "na", earns=0.0)}, earned={"FP": 0.0})
    assert counted(lacking, "FP") == 0.0
    assert counted(RunResult("q1", {"FP": Value("FP", "na")}), "FP") is None


@pytest.mark.parametrize(
    ("lacks", "missing", "pending", "planned"),
    [
        (SPOILED_RUNS, 1, 0, 2),
        (NOT_JUDGED, 1, 0, 2),
        (PENDING_RUNS, 0, 1, 2),
        (NOT_IMPORTED, 0, 0, 1),
        (FAILED_RUNS, 0, 0, 1),  # it earned nothing, not even 0: the headline isn't defined for its query
    ],
)
def test_what_is_lost_and_what_is_pending_are_told_apart(lacks: str, missing: int, pending: int, planned: int) -> None:
    held = attendance([RunResult("q1", {"x": Value("x", "scored", 1.0)}), RunResult("q2", {}, lacks)], "x")
    assert (held.planned, held.scored, held.missing, held.pending) == (planned, 1, missing, pending)


def test_a_report_without_a_word_is_not_done() -> None:
    query = Query(query_id="q1", text="?", source="test")
    assert not Plan("a", query, 1, "a/q1-r1", "sha", words=0).is_done
    assert Plan("a", query, 1, "a/q1-r1", "sha", words=3).is_done
