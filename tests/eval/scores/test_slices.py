"""Slices of queries, and scores of the reports on each."""

from dataclasses import replace

import pytest

from drretail.eval.families.quality.score import METRIC as QUALITY
from drretail.eval.scores.aggregate import About, rows
from drretail.eval.scores.gathering import FAILED_RUNS, Assessor, RunResult
from drretail.eval.scores.slices import parts_of, query_slices, slice_scores
from drretail.eval.values import Value
from drretail.experiment import Definition
from drretail.records.money import Money
from drretail.records.score import JudgeRef, SliceBy
from drretail.records.wish import Want, Wish
from drretail.stats.clusters import Clusters
from tests.build import query
from tests.eval.own import JUDGED


def wish(of_want: dict[str, object] | None = None, **of_wish: object) -> Wish:
    want = {"name": "bowl", "kinds": ("bowl",), **(of_want or {})}
    return Wish.model_validate({"wants": (want,), **of_wish})


@pytest.mark.parametrize(
    ("found", "parts"),
    [
        (None, ("not typed",)),
        (Wish(), ("nothing to buy",)),
        (wish(), ("none",)),
        (wish(owned=("B1",)), ("none",)),
        (wish({"must": ("red",)}, budget=Money(amount="20")), ("budget", "must")),
        (
            wish({"price_max": Money(amount="20"), "rating_min": 4, "ratings_min": 50}),
            ("price_max", "stars", "ratings"),
        ),
        (wish({"brands_wanted": ("A",), "must_not": ("glass",), "quantity": 2}), ("brands", "must_not", "quantity")),
        (wish({"brands_unwanted": ("A",), "optional": True}), ("brands", "optional")),
        (wish({"kinds": ("bowl", "plate"), "again": True}), ("alternatives", "again")),
        (wish(room=True, deadline="Friday"), ("room", "deadline")),
    ],
)
def test_a_wish_has_the_parts_that_any_of_its_wants_has(found: Wish | None, parts: tuple[str, ...]) -> None:
    plain = Want(name="plate", kinds=("plate",))
    beside = found.model_copy(update={"wants": (plain, *found.wants)}) if found and found.wants else found
    assert parts_of(found) == parts_of(beside) == parts


def test_slices_come_by_category_then_kind_then_part_of_the_wish_in_a_fixed_order() -> None:
    queries = (
        query("q1", kind="gift", wish=wish(deadline="Friday"), level=7),
        query("q2", wish=wish({"quantity": 2}, budget=Money(amount="1"), deadline="Friday"), level=0),
        query("q3"),
    )
    definition = Definition(
        world_fingerprint="f", tool_schema_hash="t", queries=queries, categories={"q1": ("b",), "q2": ("a",)}
    )
    slices = query_slices(definition)
    assert {key: sorted(ids) for key, ids in slices.items()} == {
        ("category", "a"): ["q2"],
        ("category", "b"): ["q1"],
        ("category", "none named"): ["q3"],
        ("kind", "gift"): ["q1"],
        ("kind", "profile_aware"): ["q2", "q3"],
        ("constraint", "budget"): ["q2"],
        ("constraint", "quantity"): ["q2"],
        ("constraint", "deadline"): ["q1", "q2"],
        ("constraint", "not typed"): ["q3"],
        ("level", "level 0"): ["q2"],
        ("level", "level 7"): ["q1"],
    }
    assert [name for by, name in slices if by == "constraint"] == ["budget", "quantity", "deadline", "not typed"]


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


def test_only_the_slice_s_queries_count_and_a_slice_of_all_is_the_score_itself() -> None:
    found = {row.name: row for row in slice_scores([(ABOUT, REPORTS)], SLICES)}
    whole, row, lost = found["all"], found["budget"], found["lost"]
    (score,) = [row for row in rows(ABOUT, REPORTS) if (row.variant, row.policy) == ("said", "answered")]
    assert (whole.value, whole.ci_low, whole.ci_high) == (score.value, score.ci_low, score.ci_high)
    assert (whole.n_planned, whole.n_scored) == (score.n_planned, score.n_scored) == (6, 4)
    assert row.value == 0.75, "repeats stay in their query"
    assert (row.n_queries, row.n_counted, row.n_planned, row.n_scored) == (3, 2, 5, 3)
    assert (row.by, row.judge, row.judge_kind, row.judge_params) == ("constraint", "p:m", "llm", "x")
    assert (lost.value, lost.ci_low, lost.n_queries, lost.n_counted, lost.n_planned) == (None, None, 1, 0, 1)


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
