"""Headlines over all planned runs (METRICS 0): what each way of leaving nothing earns."""

import pytest

from drretail.eval.scores.gathering import (
    FAILED_RUNS,
    NOT_IMPORTED,
    NOT_JUDGED,
    PENDING_RUNS,
    SPOILED_RUNS,
    Plan,
    RunResult,
)
from drretail.eval.scores.planned import attendance, counted
from drretail.eval.values import Value
from drretail.records.query import Query
from tests.eval.compare.crafted import CODE, JUDGE, gathered, runs

HEADLINE = "overall"


def earned(values: list[float | str | None], label: str = "a") -> list[float | None]:
    others = [5.0] * len(values)
    held = gathered(("quality", HEADLINE, JUDGE, {"a": runs(values), "b": runs(others)}))
    return [
        counted(answers.result, HEADLINE) for plan, answers in held.judged_runs("quality", JUDGE) if plan.label == label
    ]


def test_a_run_that_failed_earns_0_and_what_a_judge_failed_on_is_left_out() -> None:
    assert earned([7.0, None, "failed", "unverifiable", "not judged"]) == [7.0, 0.0, None, None, None]


def test_a_headline_that_no_report_on_a_query_can_have_is_not_earned_by_failing() -> None:
    held = gathered(("basket", "feasible", CODE, {"a": runs([1.0, None]), "b": runs([1.0, "na"])}))
    a = [counted(answers.result, "feasible") for plan, answers in held.judged_runs("basket", CODE) if plan.label == "a"]
    assert a == [1.0, None]


def test_a_report_that_lacks_what_the_headline_is_about_earns_what_its_family_says() -> None:
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


def test_one_missing_run_in_twenty_is_allowed_and_two_are_not() -> None:
    def held(lost: int) -> bool:
        reports = [RunResult(f"q{at}", {"x": Value("x", "scored", 1.0)}) for at in range(20 - lost)]
        return attendance(
            [*reports, *(RunResult(f"l{at}", {}, SPOILED_RUNS) for at in range(lost))], "x"
        ).allows_conclusions

    assert held(1)
    assert not held(2)


def test_a_report_without_a_word_is_not_done() -> None:
    query = Query(query_id="q1", text="?", source="test")
    assert not Plan("a", query, 1, "a/q1-r1", "sha", words=0).is_done
    assert Plan("a", query, 1, "a/q1-r1", "sha", words=3).is_done
