"""Comparisons that were asked for before anything was scored."""

from dataclasses import replace
from pathlib import Path

import pytest

from drretail.errors import UnknownName, UserError
from drretail.eval.compare.differences import keep_plan, plan_of
from drretail.experiment import read_plan
from drretail.records.comparison import PlannedPair
from tests.eval.compare.crafted import CODE, JUDGE, comparison, gathered, runs

LABELS = ("hybrid_react@m", "react@m", "react+ws@m")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("react", "is no comparison: write A~B:FP,feasible"),
        ("react~:FP", "is no comparison"),
        ("react~hybrid_react: ,", "names no headline: write A~B:FP,feasible"),
        (
            "react~hybrid_react:feasable",
            "There is no headline 'feasable'. Known are FP, .*side by side, truth",
        ),
        ("react~other", "There is no system 'other'"),
        ("react~react@m", "twice: name two systems"),
    ],
)
def test_a_plan_that_names_nothing_is_refused(text: str, fault: str) -> None:
    with pytest.raises((UserError, UnknownName), match=fault):
        plan_of([text], LABELS)


def test_a_plan_is_kept_once_and_not_after_something_was_scored(tmp_path: Path) -> None:
    (tmp_path / "verdicts" / "checks").mkdir(parents=True)
    plan = plan_of(["react~hybrid:FP, quality", "react~react+ws"], LABELS)
    assert plan[0] == PlannedPair(a="hybrid_react@m", b="react@m", headlines=("FP", "quality"))
    with pytest.raises(UserError, match="was scored before"):
        keep_plan(tmp_path, plan)
    (tmp_path / "verdicts" / "checks").rmdir()
    keep_plan(tmp_path, plan)
    (tmp_path / "verdicts" / "checks").mkdir()
    keep_plan(tmp_path, plan)
    assert read_plan(tmp_path) == tuple(plan)
    with pytest.raises(UserError, match="another plan"):
        keep_plan(tmp_path, plan[:1])


def test_what_was_planned_is_corrected_over_what_it_asks_and_all_else_over_all_pairs() -> None:
    labels = {label: runs([9.0 - at] * 8 + [5.0]) for at, label in enumerate("abcd")}
    held = gathered(("quality", "overall", JUDGE, labels), ("basket", "feasible", CODE, labels))
    held = replace(held, planned=(PlannedPair(a="a", b="b", headlines=("quality",)),))

    def tests(a: str, b: str) -> dict[str, tuple[int, bool, float]]:
        rows = [row for table in comparison(held, a, b).tables for row in table.rows if row.is_primary]
        return {row.variant: (row.tests, row.is_planned, round(row.failures_added, 2)) for row in rows}

    assert tests("a", "b") == tests("b", "a") == {"overall": (1, True, 1.5), "feasible": (12, False, 2.05)}
    assert tests("a", "c") == {"overall": (12, False, 2.05), "feasible": (12, False, 2.05)}
    assert comparison(held).conclusions[0].startswith("Asked for before anything was scored, and corrected over 1 such")
