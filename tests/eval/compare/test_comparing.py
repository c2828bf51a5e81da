"""Which systems and judges are compared; rows, their tests, states and noise."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drretail.errors import UnknownName, UserError
from drretail.eval.compare.comparing import assessors_of
from drretail.eval.compare.family import chosen_pairs, family_of
from drretail.eval.scores.gathering import Gathered
from drretail.experiment import Definition, Experiment, read_definition
from drretail.records.run import BASELINES
from drretail.stats.significance import difference_test
from tests.build import SYSTEM, known
from tests.eval.compare import crafted
from tests.eval.compare.crafted import CODE, JUDGE, OTHER, Runs, beside, comparison, gathered, noisy, only_row, runs

FLOOR = SYSTEM.model_copy(update={"agent": "null_empty", "models": {}})


def definition(*labels: str, baseline: str | None = None) -> Definition:
    systems = dict.fromkeys(labels, SYSTEM) | {"null_empty": FLOOR}
    return Definition(world_fingerprint="f", systems=systems, tool_schema_hash="t", baseline=baseline)


def test_each_system_is_compared_with_the_baseline_and_all_pairs_only_on_request() -> None:
    held = definition("a@m", "b@m", "c@m", baseline="b@m")
    against_b = [("a@m", "b@m"), ("c@m", "b@m")]
    assert chosen_pairs(held) == (against_b, against_b)
    assert chosen_pairs(held, baseline="c")[0] == [("a@m", "c@m"), ("b@m", "c@m")]
    assert chosen_pairs(held, "c") == ([("c@m", "b@m")], against_b)
    # A pair that is named belongs to all that are compared with its second system.
    assert chosen_pairs(held, "c", "a") == ([("c@m", "a@m")], [("b@m", "a@m"), ("c@m", "a@m")])
    every = [("a@m", "b@m"), ("a@m", "c@m"), ("b@m", "c@m")]
    assert chosen_pairs(held, baseline="all") == (every, every)
    assert chosen_pairs(held, "c", baseline="all") == ([("c@m", "a@m"), ("c@m", "b@m")], every)
    assert chosen_pairs(held, "null", "b") == ([("null_empty", "b@m")], [*against_b, ("null_empty", "b@m")])
    assert chosen_pairs(definition("a@m", "b@m"))[0] == [("b@m", "a@m")], "without a first one, by name"


def test_what_names_no_pair_is_refused_with_what_would() -> None:
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
    return gathered(*judges, ("basket", "right", CODE, both))


def test_judges_are_heard_all_or_by_name_and_code_always_last() -> None:
    held = by_all({"a": runs([1.0]), "b": runs([0.0])})
    assert assessors_of(held) == [JUDGE, OTHER, CODE]
    assert assessors_of(held, judges=["openai"]) == [OTHER, CODE]
    with pytest.raises(UnknownName, match="There is no judge with verdicts here 'gemini'"):
        assessors_of(held, judges=["gemini"])


VALUES = st.lists(st.one_of(st.none(), st.integers(0, 10)), min_size=1, max_size=9)


@settings(max_examples=40, deadline=None)
@given(VALUES, VALUES)
def test_swapping_the_systems_swaps_all_there_is(a: list[int | None], b: list[int | None]) -> None:
    n = min(len(a), len(b))
    held = beside(a[:n], b[:n])
    if not held.tables_of_judges or all(value is None for value in [*a[:n], *b[:n]]):
        return
    one, other = only_row(comparison(held)), only_row(comparison(held, "b", "a"))
    assert (one.mean_a, one.p) == (other.mean_b, other.p)
    assert one.difference == (None if other.difference is None else pytest.approx(-other.difference))
    swapped = {"higher": "lower", "lower": "higher"}
    assert one.outcome == swapped.get(other.outcome, other.outcome)
    assert one.n_due - one.n_pairs == sum(one.dropped.values()) == sum(other.dropped.values())


def test_at_most_one_pair_in_ten_may_lack_a_value_and_what_neither_can_have_is_none() -> None:
    for lacking, outcome in ((1, "higher"), (2, "missing")):
        a, b = [9.0] * (10 - lacking) + [None] * lacking, [1.0] * 10
        assert only_row(comparison(beside([*a, "na"], [*b, "na"]))).outcome == outcome


@pytest.mark.parametrize(("floor", "outcome"), [(0.9, "higher"), (1.0, "missing")])
def test_where_a_floor_does_as_well_as_the_oracle_nothing_is_concluded_of_carts(floor: float, outcome: str) -> None:
    by_label = {"a": [1.0] * 10, "b": [0.0] * 10, "null_search": [floor] * 10, "oracle": [1.0] * 10}
    held = gathered(("basket", "right", CODE, {label: runs(values) for label, values in by_label.items()}))
    systems = {
        label: system.model_copy(update={"agent": label}) if label in BASELINES else system
        for label, system in held.definition.systems.items()
    }
    held = replace(held, definition=held.definition.model_copy(update={"systems": systems}))
    row = only_row(comparison(held))
    assert (row.outcome, "tell no systems apart" in row.why) == (outcome, outcome == "missing")


def test_failures_are_compared_exactly_by_user_and_only_where_a_test_can_show_any() -> None:
    def done(failed: int, users: int = 20) -> Any:
        ended = {"a": runs([7.0] * 20), "b": runs([None] * failed + [7.0] * (20 - failed))}
        held = gathered(("quality", "overall", JUDGE, ended), users={f"q{at:03}": f"u{at % users}" for at in range(20)})
        (row,) = (row for table in comparison(held).tables for row in table.rows if row.metric == "done")
        return row

    assert (done(7).p, done(7).outcome, done(7).ci_low) == (2 / 2**7, "higher", None)
    assert (done(5).p, done(5).outcome) == (None, "undecided"), "five users who differ can't reach 5 %"
    assert done(7, users=4).p is None, "seven failures of four users"
    assert (done(0).outcome, done(0).is_primary) == ("exploratory", False)


def test_headlines_of_a_judge_and_of_code_are_corrected_together_and_nothing_else_is_tested() -> None:
    a, b = [10.0] * 9 + [9.0], [1.0] * 10
    made = comparison(by_all({"a": runs(a), "b": runs(b)}))
    assert [table.judge for table in made.tables] == ["anthropic:claude", "openai:gpt", "code"]
    *rows, done = (row for table in made.tables for row in table.rows if row.variant in ("overall", "right", "done"))
    assert [row.tests for row in rows] == [2, 2, 2]
    assert (done.name, done.mean_a, done.difference, done.is_primary, done.tests) == ("done", 1, 0, False, 0)
    assert all(row.p_holm == pytest.approx(2 * known(row.p)) for row in rows)

    both = {"a": runs(a), "b": runs(b)}
    texts = [("quality", dimension, JUDGE, both) for dimension in ("overall", "depth", "clarity")]
    table = crafted.only_table(comparison(gathered(*texts)))
    assert [(row.variant, row.is_primary, row.p is None) for row in table.rows] == [
        ("clarity", False, True),
        ("depth", False, True),
        ("overall", True, False),
    ]


def test_queries_of_one_user_are_one_in_interval_and_test() -> None:
    a, b = noisy(21, 1.0)
    both = {"a": runs(a), "b": runs(b)}
    users = {f"q{at:03}": f"u{at % 7}" for at in range(21)}
    alone = only_row(comparison(gathered(("quality", "overall", JUDGE, both))))
    of_seven = only_row(comparison(gathered(("quality", "overall", JUDGE, both), users=users)))
    assert (alone.n_pairs, alone.n_users, of_seven.n_pairs, of_seven.n_users) == (21, None, 21, 7)
    differences = [one - other for one, other in zip(a, b, strict=True)]
    for row, users_of in ((alone, 21), (of_seven, 7)):
        interval, p = difference_test(differences, tuple(at % users_of for at in range(21)))
        assert (row.difference, row.ci_low, row.p) == pytest.approx((interval.value, interval.low, p))


def test_all_systems_against_one_are_one_family_of_tests() -> None:
    a, b = noisy(12, 1.0)
    held = gathered(("quality", "overall", JUDGE, {"a": runs(a), "b": runs(b), "c": runs(b[::-1])}))
    for baseline, tests in (("b", 2), ("all", 3)):
        family = family_of(held, chosen_pairs(held.definition, baseline=baseline)[1], [JUDGE])
        assert [row.tests for row in family.values()] == [tests] * tests


def test_the_baseline_is_the_first_agent_that_the_experiment_named_whatever_came_later(tmp_path: Path) -> None:
    for label in ("react@m", "another@m"):
        named = {"null_empty": FLOOR, label: SYSTEM, "last@m": SYSTEM}
        planned = Definition(world_fingerprint="f", systems=named, tool_schema_hash="t")
        with Experiment(tmp_path / "exp", planned) as experiment:
            assert experiment.definition.baseline == "react@m"
    assert chosen_pairs(read_definition(tmp_path / "exp"))[0] == [("another@m", "react@m"), ("last@m", "react@m")]
