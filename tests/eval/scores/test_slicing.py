from dataclasses import replace

from drretail.eval.families.quality.score import METRIC as QUALITY
from drretail.eval.scores.aggregate import About, rows
from drretail.eval.scores.gathering import FAILED_RUNS, Assessor, RunResult
from drretail.eval.scores.slices import headlines, slice_scores
from drretail.eval.values import Value
from drretail.records.score import JudgeRef, SliceBy, SliceScore
from drretail.stats.clusters import Clusters
from tests.eval.own import JUDGED

JUDGE = JudgeRef(spec="p:m", kind="llm", params_hash="x")
ABOUT = About(JUDGED, "a@model", Assessor(JUDGE, "default"), "", Clusters())
ALL = frozenset({"q1", "q2", "q3", "q4"})
SLICES: dict[tuple[SliceBy, str], frozenset[str]] = {
    ("category", "all"): ALL,
    ("constraint", "budget"): frozenset({"q1", "q3", "q4"}),
    ("kind", "lost"): frozenset({"q4"}),
}
REPORTS = [
    RunResult("q1", {"said": Value("said", "scored", 1.0)}),
    RunResult("q1", {"said": Value("said", "scored", 0.0)}),
    RunResult("q2", {"said": Value("said", "scored", 0.25)}),
    RunResult("q3", {"said": Value("said", "na")}),
    RunResult("q3", {"said": Value("said", "scored", 1.0)}),
    RunResult("q4", {}, FAILED_RUNS),
]


def by_name(found: list[SliceScore]) -> dict[str, SliceScore]:
    return {row.name: row for row in found}


def test_a_slice_of_all_queries_is_the_score_itself() -> None:
    whole = by_name(slice_scores([(ABOUT, REPORTS)], SLICES))["all"]
    (score,) = [row for row in rows(ABOUT, REPORTS) if (row.variant, row.policy) == ("said", "answered")]
    assert (whole.value, whole.ci_low, whole.ci_high) == (score.value, score.ci_low, score.ci_high)
    assert (whole.n_planned, whole.n_scored) == (score.n_planned, score.n_scored) == (6, 4)


def test_only_the_slice_s_queries_count_and_repeats_stay_in_their_query() -> None:
    row = by_name(slice_scores([(ABOUT, REPORTS)], SLICES))["budget"]
    assert row.value == 0.75
    assert (row.n_queries, row.n_counted, row.n_planned, row.n_scored) == (3, 2, 5, 3)
    assert (row.by, row.judge, row.judge_kind, row.judge_params) == ("constraint", "p:m", "llm", "x")


def test_a_slice_without_any_value_has_a_row_that_says_so() -> None:
    row = by_name(slice_scores([(ABOUT, REPORTS)], SLICES))["lost"]
    assert (row.value, row.ci_low, row.n_queries, row.n_counted, row.n_planned) == (None, None, 1, 0, 1)


def test_a_system_without_values_has_rows_beside_those_that_have_some_and_none_where_nobody_has() -> None:
    empty = [RunResult(query_id, {"said": Value("said", "na")}) for query_id in sorted(ALL)]
    other = replace(ABOUT, system="null_empty")
    both = slice_scores([(ABOUT, REPORTS), (other, empty)], SLICES)
    assert {(row.system, row.value is None) for row in both if row.name == "all"} == {
        ("a@model", False),
        ("null_empty", True),
    }
    assert slice_scores([(other, empty)], SLICES) == []


def test_ratings_of_a_rule_based_judge_have_no_slices() -> None:
    offline = JudgeRef(spec="offline:judge", kind="rule_based")
    reports = [RunResult("q1", {"clarity": Value("clarity", "scored", 7.0), "Avg": Value("Avg", "scored", 7.0)})]
    assert slice_scores([(About(QUALITY, "a@m", Assessor(offline, "default"), "", Clusters()), reports)], SLICES) == []
    assert slice_scores([(About(QUALITY, "a@m", Assessor(JUDGE, "default"), "", Clusters()), reports)], SLICES)


def test_families_that_nobody_named_are_sliced_by_their_first_variants() -> None:
    assert headlines(JUDGED) == ("said",)
