"""What beside scores is told of them: correlations with what runs did, attacks, and the parts that are printed."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from drretail.eval.scores.correlation import correlations
from drretail.eval.scores.file import attack_rows
from drretail.eval.scores.gathering import Assessor, Gathered
from drretail.eval.scores.selection import other_families, rows_of_families
from drretail.records.pairs import PairScore
from drretail.records.run import INJECTED, ModelKind
from drretail.records.score import Agreement, JudgeRef, Judging, Score, Scores, SliceScore
from drretail.stats.significance import holm
from tests.build import known
from tests.eval.compare import crafted
from tests.eval.compare.crafted import CODE


def judge(kind: ModelKind = "llm") -> Assessor:
    return Assessor(JudgeRef(spec="test:judge", kind=kind), "default")


def gathered(
    multiples: Mapping[tuple[str, Assessor], Mapping[str, float]],
    *,
    agent: str = "react",
    queries: int = 12,
    repeats: int = 1,
    **given: Any,
) -> Gathered:
    """One system; every value is its number times the query's, so all go up together; -1 turns one around."""
    held = crafted.gathered(
        *(
            (metric, variant, seat, {"a": {f"q{at:02}": [times * at] * repeats for at in range(queries)}})
            for (metric, seat), values in multiples.items()
            for variant, times in values.items()
        ),
        **given,
    )
    system = held.definition.systems["a"].model_copy(update={"agent": agent})
    return replace(held, definition=held.definition.model_copy(update={"systems": {"a": system}}))


def test_every_measure_meets_every_headline_of_every_judge() -> None:
    rows = correlations(
        gathered(
            {
                ("process", CODE): {"tool_calls": 2, "turns": -1, "words": 3},
                ("quality", judge()): {"Avg": 1},
                ("checks", CODE): {"clean": 1},
            }
        )
    )
    found = {(row.process, row.metric, row.variant, row.judge): row.rho for row in rows}
    assert found == {
        (process, metric, variant, spec): pytest.approx(rho)
        for process, rho in (("turns", -1), ("tool_calls", 1))
        for metric, variant, spec in (
            ("quality", "Avg", "test:judge"),
            ("checks", "clean", "code"),
            ("process", "words", "code"),
        )
    }
    assert [row.p_holm for row in rows] == holm([row.p for row in rows])


def test_repeats_of_a_query_are_one_pair_and_fewer_than_ten_pairs_are_not_told() -> None:
    fields = {("process", CODE): {"tool_calls": 1.0, "words": 1.0}}
    (row,) = correlations(gathered(fields, repeats=3))
    assert (row.n, row.n_queries) == (12, 12)
    assert [len(correlations(gathered(fields, queries=queries))) for queries in (9, 10)] == [0, 1]


def test_opinions_of_rule_based_judges_floors_and_checks_of_self_checked_systems_say_nothing() -> None:
    fields = {("process", CODE): {"tool_calls": 1.0}, ("checks", CODE): {"clean": 1.0}}
    assert len(correlations(gathered(fields))) == 1
    assert correlations(gathered(fields, agent="null_keywords")) == []
    assert correlations(gathered(fields, agent="oracle")) == []
    assert correlations(gathered(fields, self_checked=["a"])) == []
    fields = {("process", CODE): {"tool_calls": 1.0}, ("quality", judge("rule_based")): {"Avg": 1.0}}
    assert correlations(gathered(fields)) == []


PLAIN = [1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0]
ATTACKED = [1.0, 0.0, None, 0.0, 1.0, 0.0, 1.0, 1.0]


def among_texts(held: Gathered, label: str) -> Gathered:
    system = held.definition.systems[label]
    systems = {**held.definition.systems, label: system.model_copy(update={"options": {INJECTED: "abc"}})}
    return replace(held, definition=held.definition.model_copy(update={"systems": systems}))


def test_utility_lost_is_paired_over_planned_runs_and_a_run_that_fails_under_attack_has_lost_it() -> None:
    held = among_texts(
        crafted.gathered(("basket", "feasible", CODE, {"a": crafted.runs(PLAIN), "b": crafted.runs(ATTACKED)})), "b"
    )
    obeyed = Score(
        metric="robustness", version=1, variant="obeyed", system="b", value=0.25, ci_low=0.1, ci_high=0.5,
        n_planned=8, n_scored=8, judge="code", judge_kind="rule_based",
    )  # fmt: skip
    (row,) = attack_rows(held, [obeyed])
    assert (row.system, row.plain, row.n_queries) == ("b", "a", 8)
    assert (row.utility, row.utility_attacked, row.lost) == (0.875, 0.5, 0.375)
    assert known(row.lost_low) < 0.375
    assert (row.obeyed, row.obeyed_low, row.obeyed_high) == (0.25, 0.1, 0.5)
    alone = crafted.gathered(("basket", "feasible", CODE, {"a": crafted.runs(PLAIN)}))
    assert list(attack_rows(alone, [])) == []
    assert list(attack_rows(among_texts(alone, "a"), [])) == []


JUDGE: dict[str, Any] = {"judge": "p:m", "judge_kind": "llm"}
COUNTS: dict[str, Any] = {"n_planned": 1, "n_scored": 1}


def held(*metrics: str) -> Scores:
    sliced = {"by": "kind", "name": "gift", "n_queries": 1, "n_counted": 1}
    return Scores(
        scores=tuple(Score(metric=metric, variant="v", version=1, system="a", **JUDGE, **COUNTS) for metric in metrics),
        judgings=tuple(Judging(metric=metric, system="a", judge="p:m", verdicts=1) for metric in metrics),
        slices=tuple(
            SliceScore(metric=metric, variant="v", system="a", **sliced, **JUDGE, **COUNTS) for metric in metrics
        ),
        agreements=tuple(
            Agreement(metric=metric, variant="v", first="a", second="b", n_reports=1, n_dropped=0, n_systems=1)
            for metric in metrics
        ),
        pairs=(PairScore(version=1, dimension="overall", a="a", b="b", **JUDGE, **COUNTS),),
    )


def test_the_named_families_alone_are_left_slices_and_agreements_too() -> None:
    scores = held("quality", "checks")
    shown = rows_of_families(scores, ["quality"])
    for rows in (shown.scores, shown.judgings, shown.slices, shown.agreements):
        assert [row.metric for row in rows] == ["quality"]
    assert shown.pairs == ()
    assert rows_of_families(scores, ["pairwise"]).pairs == scores.pairs
    assert rows_of_families(scores, ["pairwise"]).scores == ()
    assert other_families(held("quality", "checks"), ["checks"]) == ["quality", "pairwise"]
    assert other_families(held("quality"), ["quality", "pairwise"]) == []
