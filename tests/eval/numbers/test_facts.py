"""Rows over runs, and over slices of queries. facts_of: tests/eval/numbers/test_comparing.py."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from drretail.eval.metric import OPEN, Value
from drretail.eval.numbers.facts import Facts, missing_of, query_slices, slice_scores, summaries
from drretail.eval.numbers.gathering import FAILED_RUNS, JudgedRun, PlannedRun
from drretail.eval.numbers.judges import Assessor
from drretail.eval.registry import load_metric
from drretail.records.score import JudgeRef, Score, SliceBy, VerdictState
from drretail.stats.intervals import Clusters, Ratio, mean_interval, ratio_interval, share_interval
from tests import build
from tests.build import query
from tests.eval.numbers.crafted import JUDGE
from tests.eval.own import JUDGED
from tests.eval.own import SILENT as METRIC

REF = JudgeRef(spec="p:m", kind="llm", params_hash="x")
FACTS = Facts(JUDGED, "a@model", Assessor(REF, "default"), (), Clusters())


def said(query_id: str, value: float | VerdictState) -> JudgedRun:
    if isinstance(value, str):
        both = {variant: Value(variant, value) for variant in METRIC.variants}
    else:
        both = {variant: Value(variant, "scored", value, {"read": 1}) for variant in METRIC.variants}
    return JudgedRun(query_id, both)


def of(facts: Facts, results: Sequence[JudgedRun]) -> Facts:
    """The same of runs with these results."""
    return replace(facts, runs=[(PlannedRun("a", query(result.query_id), 1, "", ""), result) for result in results])


def rows(facts: Facts, results: Sequence[JudgedRun]) -> list[Score]:
    """Of one system, before one judge."""
    return [*summaries([of(facts, results)])]


def made(*reports: JudgedRun) -> Mapping[str, Score]:
    return {row.variant: row for row in rows(FACTS, reports)}


def test_what_is_na_everywhere_is_never_0_and_what_these_rules_do_not_ask_has_no_row() -> None:
    assert set(made(said("q1", "na"), said("q2", "na"))) == {"said", "half"}
    undecided = said("q2", "unverifiable"), JudgedRun("q2", {"said": Value("said", "unverifiable", None, {OPEN: 1})})
    lost = [JudgedRun("q3", values, FAILED_RUNS) for values in ({}, {"said": Value("said", "scored", 0.0)})]
    counted = made(said("q1", 1.0), said("q1", 0.0), said("q2", "na"), *undecided, *lost)["said"]
    assert counted.items == {"read": 2, OPEN: 1, FAILED_RUNS: 1}, "a failed run that counts 0 lacks no value"
    assert missing_of(counted) == {"n/a": 1, OPEN: 1, "unverifiable": 1, "run failed": 1}, "each run once"
    left_out = JudgedRun("q1", {"said": Value("said", "scored", 1.0)})
    other = of(replace(FACTS, system="b@model"), [JudgedRun("q1", {}, FAILED_RUNS)])
    found = [*summaries([of(FACTS, [left_out]), other])]
    asked, lost = ([each for each in found if each.system == label] for label in ("a@model", "b@model"))
    assert [each.variant for each in asked] == ["said"]
    assert {(each.variant, each.n_failed) for each in lost} == {("said", 1)}


def test_the_interval_is_that_of_queries_and_where_users_are_known_of_users() -> None:
    values = [0.1, 0.9, 1.4, 2.0, 2.1, 2.6, 3.0, 3.3, 4.2, 5.4]
    reports = [said(f"q{n}", value) for n, value in enumerate(values)]
    users = {f"q{n}": f"u{n // 2}" for n in range(10)}
    counting = replace(JUDGED, description=JUDGED.description.model_copy(update={"counts": ("said",)}))
    by_user = [(one + other) / 2 for one, other in zip(values[::2], values[1::2], strict=True)]
    for clusters, counts_of, n_users in ((Clusters(), values, None), (Clusters(users), by_user, 5)):
        row = {row.variant: row for row in rows(replace(FACTS, metric=counting, clusters=clusters), reports)}["said"]
        expected = mean_interval(counts_of).within(0, None)
        assert (row.ci_low, row.ci_high) == (pytest.approx(expected.low), pytest.approx(expected.high))
        assert (row.n_users, row.no_interval) == (n_users, None)


def test_an_end_below_zero_is_cut_only_where_no_value_is_below_it_and_none_lies_above_the_scale() -> None:
    described = JUDGED.description

    def ends(values: list[float], **fields: object) -> tuple[bool, bool]:
        """Whether the interval reaches below 0, and beyond the highest value of the scale."""
        metric = replace(JUDGED, description=described.model_copy(update=fields))
        reports = [said(f"q{at}", value) for at, value in enumerate(values)]
        row = {row.variant: row for row in rows(replace(FACTS, metric=metric), reports)}["said"]
        uncut = mean_interval(values)
        assert row.value == pytest.approx(uncut.value)
        return row.ci_low == pytest.approx(uncut.low), row.ci_high == pytest.approx(uncut.high)

    low, high = [0.0, 0.0, 0.0, 1.0, 9.0], [10.0, 10.0, 10.0, 9.0, 1.0]
    assert ends(low, counts=("said",)) == (False, True)
    assert ends([-1.0, *low], counts=("said",)) == (True, True)
    assert ends(high, counts=("said",)) == (True, True)
    assert ends(high, scale="rating") == (True, False)
    assert ends(low, scale="rating") == (False, True)
    assert ends([0.0, 0.0, 0.0, 0.1, 0.9], differences=("said",)) == (True, True)
    assert ends([1.0, 1.0, 1.0, 0.9, 0.1], differences=("said",)) == (True, True)
    shares = share_interval([0.0, 0.0, 0.0, 0.1, 0.9])
    row = made(*(said(f"q{at}", value) for at, value in enumerate((0.0, 0.0, 0.0, 0.1, 0.9))))["said"]
    assert (row.ci_low, row.ci_high) == (shares.low, shares.high)


def test_slices_are_the_categories_then_the_kinds_of_need_or_modes_then_the_turns() -> None:
    queries = [query("q1", kind="gift"), query("q2", mode="generic"), query("q3", after="q2"), query("q4", after="q3")]
    definition = build.definition(queries, {}, categories={"q1": ("Cups", "Pans"), "q3": ("Pans",), "q4": ()})
    assert list(query_slices(definition).items()) == [
        (("category", "Cups"), {"q1"}),
        (("category", "Pans"), {"q1", "q3"}),
        (("category", "none named"), {"q2", "q4"}),
        (("kind", "generic"), {"q2"}),
        (("kind", "gift"), {"q1"}),
        (("kind", "profile_aware"), {"q3", "q4"}),
        (("turn", "1"), {"q2"}),
        (("turn", "2"), {"q3"}),
        (("turn", "3"), {"q4"}),
    ]
    turns = [query(f"q{turn}", after=f"q{turn - 1}" if turn > 1 else None) for turn in range(1, 12)]
    numbers = [part for by, part in query_slices(build.definition(turns, {})) if by == "turn"]
    assert numbers == [str(turn) for turn in range(1, 12)]


def test_of_a_pooled_mean_a_query_counts_once_however_often_it_was_repeated() -> None:
    def result(query_id: str, recall: float | None) -> JudgedRun:
        values = {"refusal_recall": recall, "false_refusal": 0.25, "J": 1.0}
        return JudgedRun(
            query_id, {name: Value(name, "na" if value is None else "scored", value) for name, value in values.items()}
        )

    facts = Facts(load_metric("outcome"), "a@model", JUDGE, (), Clusters())
    reports = [result("q1", 1.0), result("q1", 1.0), result("q2", 0.0), result("q3", None)]
    found = {row.variant: row for row in rows(facts, reports)}
    # The difference of both columns as they are printed.
    assert (found["refusal_recall"].value, found["J"].value) == (0.5, 0.25)
    assert found["J"].n_queries == 2, "those of the part with the fewest"


ALL = frozenset({"q1", "q2", "q3", "q4"})
SLICES: dict[tuple[SliceBy, str], frozenset[str]] = {
    ("category", "all"): ALL,
    ("kind", "gift"): frozenset({"q1", "q3", "q4"}),
    ("kind", "lost"): frozenset({"q4"}),
}
REPORTS = [
    JudgedRun("q1", {"said": Value("said", "scored", 1.0)}),
    JudgedRun("q1", {"said": Value("said", "scored", 0.0)}),
    JudgedRun("q2", {"said": Value("said", "scored", 0.0)}),
    JudgedRun("q3", {"said": Value("said", "na")}),
    JudgedRun("q3", {"said": Value("said", "scored", 1.0)}),
    JudgedRun("q4", {}, FAILED_RUNS),
]


def test_only_the_slice_s_queries_count_and_a_slice_of_all_is_the_score_itself() -> None:
    found = {row.part: row for row in slice_scores([of(FACTS, REPORTS)], SLICES)}
    whole, row, lost = found["all"], found["gift"], found["lost"]
    assert slice_scores([of(FACTS, [said("q1", "na")])], SLICES) == [], "none of what has no value"
    (score,) = [row for row in rows(FACTS, REPORTS) if row.variant == "said"]
    assert (whole.value, whole.ci_low, whole.ci_high) == (score.value, score.ci_low, score.ci_high)
    assert (whole.n_planned, whole.n_scored) == (score.n_planned, score.n_scored) == (6, 4)
    assert (whole.n_asked, whole.n_counted) == (4, 3), "a value of 0 is one"
    assert row.value == 0.75, "repeats stay in their query"
    assert (row.n_asked, row.n_counted, row.n_planned, row.n_scored) == (3, 2, 5, 3)
    assert (row.by, row.judge, row.judge_kind, row.judge_params) == ("kind", "p:m", "llm", "x")
    assert (lost.value, lost.ci_low, lost.n_asked, lost.n_counted, lost.n_planned) == (None, None, 1, 0, 1)


def test_repeats_of_a_query_add_up_in_a_pooled_variant() -> None:
    of_said = replace(JUDGED, pooled={"half": lambda of: [(of["said"].value or 0.0, 2.0)]})
    repeats = [said("q1", 2.0), said("q1", 0.0), said("q2", 1.0)]
    found = {row.variant: row for row in rows(replace(FACTS, metric=of_said), repeats)}
    assert found["half"].value == 0.5  # (2 + 0 + 1) of 6
    # A part may be more than what it is a part of: then it is no share.
    beyond = {row.variant: row for row in rows(replace(FACTS, metric=of_said), [said(f"q{at}", at) for at in range(6)])}
    ratio = ratio_interval([Ratio([0, 1, 2, 3, 4, 5], [2] * 6)])
    assert (beyond["half"].value, beyond["half"].ci_high) == (15 / 12, ratio.high)
