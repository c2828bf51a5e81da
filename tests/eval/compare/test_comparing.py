"""Which systems and judges are compared, and what was asked for before; rows, states and noise."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drretail.errors import UnknownName, UserError
from drretail.eval.compare.comparing import assessors_of, chosen_pairs
from drretail.eval.compare.fail_if import GateRule, judged_gates, read_rule
from drretail.eval.compare.wording import family_of, needed
from drretail.eval.scores.gathering import Assessor, Gathered
from drretail.experiment import Definition
from drretail.records.run import RoleModel
from drretail.stats.significance import flip_test
from tests.build import SYSTEM, known, measure
from tests.eval.compare import crafted
from tests.eval.compare.crafted import (
    CODE,
    JUDGE,
    OTHER,
    RULES,
    Runs,
    beside,
    comparison,
    gathered,
    noisy,
    only_row,
    runs,
)

FLOOR = SYSTEM.model_copy(update={"agent": "null_empty", "models": {}})


def definition(*labels: str) -> Definition:
    systems = dict.fromkeys(labels, SYSTEM) | {"null_empty": FLOOR}
    return Definition(world_fingerprint="f", systems=systems, tool_schema_hash="t")


def test_without_labels_all_that_research_are_paired_and_what_names_no_pair_is_refused_with_what_would() -> None:
    held = definition("a@m", "b@m", "c@m")
    assert chosen_pairs(held) == [("a@m", "b@m"), ("a@m", "c@m"), ("b@m", "c@m")]
    assert chosen_pairs(held, "b@m") == [("b@m", "a@m"), ("b@m", "c@m")]
    assert chosen_pairs(held, "null", "a") == [("null_empty", "a@m")]

    held = definition("react@m", "react+ws@m")
    with pytest.raises(UnknownName, match=r"There is no system 'raect@m'. Did you mean react@m"):
        chosen_pairs(held, "raect@m", "react@m")
    with pytest.raises(UserError, match=r"'rea' could be react\+ws@m, react@m"):
        chosen_pairs(held, "rea", "react@m")
    with pytest.raises(UserError, match="name two systems"):
        chosen_pairs(held, "react@m", "react@m")
    with pytest.raises(UserError, match="nothing to compare"):
        chosen_pairs(definition("react@m"))


def by_all(both: Mapping[str, Runs]) -> Gathered:
    """Two systems as two judges and code judged them."""
    judges = [("quality", "overall", judge, both) for judge in (OTHER, JUDGE)]
    return gathered(*judges, ("checks", "clean", CODE, both))


def test_judges_are_heard_all_or_by_name_and_code_always_last() -> None:
    held = by_all({"a": runs([1.0]), "b": runs([0.0])})
    assert assessors_of(held) == [JUDGE, OTHER, CODE]
    assert assessors_of(held, judges=["openai"]) == [OTHER, CODE]
    with pytest.raises(UnknownName, match="There is no judge with verdicts here 'gemini'"):
        assessors_of(held, judges=["gemini"])


VALUES = st.lists(st.one_of(st.none(), st.integers(0, 10)), min_size=1, max_size=9)


def test_a_row_holds_the_paired_difference_its_tests_and_what_so_many_queries_show() -> None:
    from scipy.stats import permutation_test, ttest_1samp

    a, b = noisy(12, 1.0)
    row = only_row(comparison(beside(a, b)))
    assert row.mean_a == pytest.approx(sum(a) / 12)
    assert row.mean_b == pytest.approx(sum(b) / 12)
    assert row.difference == pytest.approx((row.mean_a or 0) - (row.mean_b or 0), abs=1e-9)
    apart = np.array(a) - np.array(b)
    theirs: Any = permutation_test(
        (apart, np.zeros(12)), lambda x, y: np.mean(x - y), permutation_type="samples", n_resamples=10_000
    )
    assert row.p == pytest.approx(theirs.pvalue, abs=1e-3)
    ends = ttest_1samp(apart, 0.0).confidence_interval()
    assert (row.ci_low, row.ci_high) == pytest.approx((ends.low, ends.high), abs=1e-9)
    assert row.above + row.equal + row.below == row.n_pairs == row.n_planned == 12
    assert 0 < known(row.detectable) < (row.difference or 0)
    assert (row.outcome, row.p_holm) == ("higher", row.p)
    assert known(row.queries_at_least) <= known(row.queries_needed) <= known(row.queries_at_most)


def test_a_difference_is_at_most_as_large_as_the_scale() -> None:
    row = only_row(comparison(beside([10.0, 10.0, 10.0, 10.0, 0.0, 0.0], [0.0] * 6)))
    assert (row.difference, row.ci_high) == (pytest.approx(20 / 3), 10.0)  # Student's interval goes on to 12
    assert 0 < known(row.ci_low) < 2


@settings(max_examples=40, deadline=None)
@given(VALUES, VALUES)
def test_swapping_the_systems_swaps_all_there_is(a: list[int | None], b: list[int | None]) -> None:
    n = min(len(a), len(b))
    held = beside(a[:n], b[:n])
    if not held.tables_of_judges or all(value is None for value in [*a[:n], *b[:n]]):
        return
    one, other = only_row(comparison(held)), only_row(comparison(held, "b", "a"))
    assert (one.mean_a, one.above, one.p) == (other.mean_b, other.below, other.p)
    assert one.difference == (None if other.difference is None else pytest.approx(-other.difference))
    swapped = {"higher": "lower", "lower": "higher"}
    assert one.outcome == swapped.get(other.outcome, other.outcome)
    assert one.n_planned - one.n_pairs == sum(one.dropped.values()) == sum(other.dropped.values())


def test_queries_without_one_of_the_values_are_dropped_and_why_is_counted() -> None:
    a = [5.0, 6.0, None, "na", 7.0, "not judged", "failed", 3.0]
    b = [5.0, None, None, "na", 6.0, 5.0, 4.0, "unverifiable"]
    row = only_row(comparison(beside(a, b)))
    assert (row.n_planned, row.n_due, row.n_pairs, row.above, row.equal) == (8, 7, 2, 1, 1)
    failed = ("A and B: run failed", "B: run failed")
    reasons = (*failed, "A and B: na", "A: judge failed", "A: not judged", "B: sources unreadable")
    assert row.dropped == dict.fromkeys(reasons, 1)
    assert row.outcome == "missing"


def test_at_most_one_pair_in_ten_may_lack_a_value_and_what_neither_can_have_is_none() -> None:
    for lacking, outcome in ((1, "higher"), (2, "missing")):
        a, b = [9.0] * (10 - lacking) + [None] * lacking, [1.0] * 10
        assert only_row(comparison(beside([*a, "na"], [*b, "na"]))).outcome == outcome
    bought: Any = {"metric": "basket", "variant": "feasible", "assessor": CODE}
    (row, _) = crafted.only_table(comparison(beside([1.0] * 10, [*[0.0] * 7, None, None, None], **bought))).rows
    assert (row.n_due, row.n_pairs, row.outcome) == (10, 10, "higher"), "a failed run is 0 in what counts success"


def test_headlines_of_a_judge_and_of_code_are_corrected_together_and_what_is_exploratory_by_metric() -> None:
    a, b = [10.0] * 9 + [9.0], [1.0] * 10
    made = comparison(by_all({"a": runs(a), "b": runs(b)}))
    assert [table.judge for table in made.tables] == ["anthropic:claude", "openai:gpt", "code"]
    *rows, done = (row for table in made.tables for row in table.rows)
    assert [row.tests for row in rows] == [2, 2, 2]
    assert (done.name, done.mean_a, done.difference, done.is_primary, done.tests) == ("done", 1, 0, False, 1)
    after = flip_test([*np.subtract(a, b), -1.5], tuple(range(11)))
    assert all(row.p_holm == pytest.approx(2 * known(after)) for row in rows)

    both = {"a": runs(a), "b": runs(b)}
    one = only_row(comparison(gathered(("quality", "overall", JUDGE, both))))
    texts = [("quality", dimension, JUDGE, both) for dimension in ("overall", "depth", "clarity")]
    table = crafted.only_table(comparison(gathered(*texts)))
    assert [row.variant for row in table.rows] == ["clarity", "depth", "overall"]
    assert [row.is_primary for row in table.rows] == [False, False, True]
    assert [row.p_holm for row in table.rows] == [pytest.approx(p) for p in (*[2 * known(one.p)] * 2, one.p_holm)]


@pytest.mark.parametrize(
    ("spec", "family"),
    [
        ("anthropic:claude-sonnet-5", "anthropic"),
        ("bedrock:anthropic.claude-4", "anthropic"),
        ("openai:o3-mini", "openai"),
        ("ollama:llama3.3:70b", "meta"),
        ("openai:qwen/qwen3-32b", "qwen"),
        ("openrouter:openai/gpt-5", "openai"),
        ("vllm:own", "own"),
    ],
)
def test_models_go_by_their_family(spec: str, family: str) -> None:
    assert family_of(spec) == family


def test_a_judge_of_the_family_of_an_agents_model_is_told() -> None:
    made = comparison(beside([6.0, 7.0], [6.0, 7.5]))
    assert not any("of one family" in conclusion for conclusion in made.conclusions)
    held = beside([6.0, 7.0], [6.0, 7.5])
    claude = SYSTEM.model_copy(update={"models": {"researcher": RoleModel(spec="anthropic:claude-5", kind="llm")}})
    kin = held.definition.model_copy(update={"systems": {"a": claude, "b": claude}})
    made = comparison(replace(held, definition=kin))
    assert any("anthropic:claude and the models behind A and B are of one family" in each for each in made.conclusions)


def test_queries_of_one_user_are_one_in_interval_test_and_power() -> None:
    a, b = noisy(21, 1.0)
    both = {"a": runs(a), "b": runs(b)}
    users = {f"q{at:03}": f"u{at % 7}" for at in range(21)}
    alone = only_row(comparison(gathered(("quality", "overall", JUDGE, both))))
    of_seven = only_row(comparison(gathered(("quality", "overall", JUDGE, both), users=users)))
    assert (alone.n_pairs, alone.n_users, of_seven.n_pairs, of_seven.n_users) == (21, None, 21, 7)
    assert of_seven.p == 2 / 2**7  # all seven alike
    assert (alone.p or 1) < 2 / 2**7
    assert (of_seven.users_needed or 0) * 3 == of_seven.queries_needed
    assert alone.users_needed is None


def test_repeats_tell_noise_of_agent_and_judge_apart_and_how_often_all_pass_the_bar() -> None:
    a = {"q1": [[8, 6], [9, 7]], "q2": [[4, 4], [8, 8]]}
    b = {"q1": [[5, 5], [5, 5]], "q2": [[7, 7], None]}
    table = crafted.only_table(comparison(gathered(("quality", "overall", JUDGE, {"a": a, "b": b}))))
    mine, its = table.reliability
    assert (mine.system, mine.k, mine.bar, mine.n_queries) == ("a", 2, 7, 2)
    assert mine.sd_judge == 1.0  # (2 + 2 + 0 + 0) / 4 degrees of freedom
    assert (mine.pass_1, mine.pass_k) == (0.75, 0.5)
    assert (mine.mean, mine.worst_of_k) == (6.75, 5.5)
    assert (its.pass_1, its.pass_k) == (0.25, 0.0)  # a run without a report does not pass …
    assert (its.mean, its.worst_of_k) == (5.0, 5.0)  # … and has no value

    share = {label: {"q1": [0.6, 0.8]} for label in ("a", "b")}
    held = gathered(
        ("faithfulness", "FP", JUDGE, share),
        *((metric, variant, CODE, share) for metric, variant in (("process", "words"), ("basket", "cost_ratio"))),
    )
    made = comparison(held, bar=6)
    bars = [(each.variant, each.bar, each.pass_k) for table in made.tables for each in table.reliability]
    assert bars[::2] == [("FP", 0.6, 1.0), ("words", None, None), ("cost_ratio", None, None)]


@pytest.mark.parametrize(
    ("judge", "again"), [(JUDGE, "--judge anthropic:claude --retry failed"), (RULES, "--judge PROVIDER:MODEL")]
)
def test_reports_on_which_the_judge_failed_are_missing_and_asked_again(judge: Assessor, again: str) -> None:
    held = beside([0.5, 0.6], [0.6, 0.7], metric="faithfulness", variant="FP", assessor=judge)
    (table_key,) = held.tables_of_judges
    runs_judged = held.tables_of_judges[table_key]
    failed = replace(runs_judged["a/q000-r1"], errors=("refused", "refused"))
    made = comparison(replace(held, tables_of_judges={table_key: {**runs_judged, "a/q000-r1": failed}}))
    commands = {each.what: each.command for each in made.missing}
    command = f"drretail score exp --metrics faithfulness {again}"
    assert commands[f"A: 2 questions in faithfulness without a usable answer by {judge.judge.spec}"] == command


def test_a_gate_on_the_rise_of_a_score_of_which_more_is_better_is_refused() -> None:
    held = beside([7.0] * 9, [7.0] * 9)
    rule = read_rule("quality:rise=.5")
    assert isinstance(rule, GateRule)
    with pytest.raises(UserError, match="more is better here: write 'quality:drop"):
        judged_gates([comparison(held)], [rule], held.clusters)


def test_a_number_that_nobody_runs_is_not_said_to_be_about_so_many() -> None:
    row = measure("FP", "undecided", queries_needed=20_000)
    assert (needed(row), needed(row.model_copy(update={"queries_needed": 90}))) == (
        "more than 10,000 queries",
        "about 90 queries",
    )
