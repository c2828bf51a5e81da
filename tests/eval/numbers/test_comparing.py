"""Which judges are heard; rows, their tests, states and noise. Also tests contrast.py."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drretail.errors import UnknownName
from drretail.eval.numbers.comparing import with_margins
from drretail.eval.numbers.family import assessors_of
from drretail.eval.numbers.gathering import Gathered
from drretail.stats.intervals import Clusters
from drretail.stats.significance import difference_test
from tests.build import known
from tests.eval.numbers import crafted
from tests.eval.numbers.crafted import CODE, JUDGE, OTHER, Runs, beside, comparison, gathered, noisy, only_row, runs


def by_all(both: Mapping[str, Runs]) -> Gathered:
    """Two systems as two judges and code judged them."""
    judges = [("quality", "overall", judge, both) for judge in (OTHER, JUDGE)]
    return gathered(*judges, ("basket", "right", CODE, both))


def test_judges_are_heard_all_or_by_name_and_code_always_last() -> None:
    held = by_all({"a": runs([1.0]), "b": runs([0.0])})
    assert assessors_of(held) == [JUDGE, OTHER, CODE]
    assert assessors_of(held, judges=["openai"]) == [OTHER, CODE]


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


@pytest.mark.parametrize(
    ("margin", "failed", "said"),
    [(0.5, 0, "equal"), (0.05, 0, "not shown to be equal"), (0.5, 3, "not shown to be equal")],
)
def test_systems_are_equal_within_a_margin_if_a_larger_difference_is_excluded_with_failures(
    margin: float, failed: int, said: str
) -> None:
    a, b = noisy(40, 0.0)
    held = comparison(beside([*a[failed:], *[None] * failed], b))
    (made,) = with_margins([held], {"overall": margin}, Clusters({}))
    row = only_row(made)
    ends = f"{row.margin_low:+.2f} to {row.margin_high:+.2f}, n = {40 - failed}"
    assert made.conclusions[-1] == f"A and B are {said} within {margin} in overall by anthropic:claude ({ends})."
    assert only_row(held).margin is None
    assert row.turned.is_equal == row.is_equal == (said == "equal")
    with pytest.raises(UnknownName, match="'depth'"):
        list(with_margins([held], {"depth": margin}, Clusters({})))


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


def test_headlines_of_all_judges_and_of_code_are_corrected_together_and_nothing_else_is_tested() -> None:
    a, b = [10.0] * 9 + [9.0], [1.0] * 10
    made = comparison(by_all({"a": runs(a), "b": runs(b)}))
    assert [table.judge for table in made.tables] == ["anthropic:claude", "openai:gpt", "code"]
    *rows, done = (row for table in made.tables for row in table.rows if row.variant in ("overall", "right", "done"))
    assert [row.tests for row in rows] == [3, 3, 3]
    assert (done.name, done.mean_a, done.difference, done.is_primary, done.tests) == ("done", 1, 0, False, 0)
    assert all(row.p_holm == pytest.approx(3 * known(row.p)) for row in rows)

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
