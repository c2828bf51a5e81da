"""Correlations of what runs did with what their reports score."""

from collections.abc import Mapping

import pytest

from drretail.eval.families.checks.score import METRIC as CHECKS
from drretail.eval.families.process.score import METRIC as PROCESS
from drretail.eval.families.quality.score import METRIC as QUALITY
from drretail.eval.scores.correlation import correlations
from drretail.eval.scores.gathering import Assessor, Gathered, JudgedRun, Plan, RunResult, TableKey
from drretail.eval.values import Value
from drretail.experiment import Definition
from drretail.records.query import Query
from drretail.records.run import ModelKind
from drretail.records.score import JudgeRef
from drretail.stats.significance import holm
from tests.build import SYSTEM

CODE = Assessor(JudgeRef(spec="code", kind="rule_based"), "default")
QUERIES = [f"q{number:02}" for number in range(12)]
Numbers = Mapping[str, float]


def judge(kind: ModelKind = "llm") -> Assessor:
    return Assessor(JudgeRef(spec="test:judge", kind=kind), "default")


def heard(query_id: str, values: Numbers) -> JudgedRun:
    return JudgedRun(RunResult(query_id, {name: Value(name, "scored", value) for name, value in values.items()}))


def gathered(
    said: Mapping[tuple[str, Assessor], Numbers],
    *,
    agent: str = "react",
    self_checked: bool = False,
    queries: list[str] = QUERIES,
    repeats: int = 1,
) -> Gathered:
    """One system; every value is its number times the query's, so all go up together; -1 turns one around."""
    plans = [
        Plan("a", Query(query_id=name, text="?", source="test"), repeat, f"a/{name}-r{repeat}", "sha")
        for repeat in range(1, repeats + 1)
        for name in queries
    ]
    tables_of_judges = {
        TableKey(metric, assessor): {
            plan.run_id: heard(
                plan.query.query_id,
                {name: times * queries.index(plan.query.query_id) for name, times in values.items()},
            )
            for plan in plans
        }
        for (metric, assessor), values in said.items()
    }
    system = SYSTEM.model_copy(update={"agent": agent, "self_checked": self_checked})
    definition = Definition(world_fingerprint="f", systems={"a": system}, tool_schema_hash="t")
    families = {metric.name: metric for metric in (QUALITY, CHECKS, PROCESS)}
    return Gathered(definition, families, tuple(plans), tables_of_judges)


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


def test_repeats_of_a_query_are_one_pair() -> None:
    (row,) = correlations(gathered({("process", CODE): {"tool_calls": 1, "words": 1}}, repeats=3))
    assert (row.n, row.n_queries) == (12, 12)


def test_fewer_than_ten_pairs_are_not_told() -> None:
    said = {("process", CODE): {"tool_calls": 1.0, "words": 1.0}}
    assert correlations(gathered(said, queries=QUERIES[:9])) == []
    assert len(correlations(gathered(said, queries=QUERIES[:10]))) == 1


def test_opinions_of_a_rule_based_judge_are_no_scores() -> None:
    said = {("process", CODE): {"tool_calls": 1.0}, ("quality", judge("rule_based")): {"Avg": 1.0}}
    assert correlations(gathered(said)) == []


def test_floors_research_nothing_and_checks_of_self_checked_systems_say_nothing() -> None:
    said = {("process", CODE): {"tool_calls": 1.0}, ("checks", CODE): {"clean": 1.0}}
    assert len(correlations(gathered(said))) == 1
    assert correlations(gathered(said, agent="null_keywords")) == []
    assert correlations(gathered(said, agent="oracle")) == []
    assert correlations(gathered(said, self_checked=True)) == []


def test_without_process_there_is_nothing_to_correlate() -> None:
    assert correlations(gathered({("checks", CODE): {"clean": 1.0}})) == []
