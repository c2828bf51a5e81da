"""Answers of several raters: who agrees with whom, and on what they differ."""

import pytest

from drretail.stats.raters import (
    NOT_ANSWERED,
    ONE_ANSWER,
    Agreement,
    Answered,
    agreement_on,
    agreement_table,
    differences,
    pairs_of,
)

ANSWERS = [
    Answered("ann", 1, "depth", "a"),
    Answered("ann", 2, "depth", "b"),
    Answered("bob", 1, "depth", "b"),
    Answered("bob", 1, "depth", "a"),
    Answered("bob", 3, "depth", "a"),
    Answered("ann", 1, "clarity", "a"),
    Answered("cat", 2, "clarity", "tie"),
]


def test_two_raters_are_paired_in_each_question_on_what_both_answered_last() -> None:
    assert [tuple(pair) for pair in pairs_of(ANSWERS)] == [
        ("ann", "bob", "depth", ["a"], ["a"]),
        ("ann", "cat", "clarity", [], []),
    ]


@pytest.mark.parametrize(("place", "na"), [(0, ONE_ANSWER), (1, NOT_ANSWERED)])
def test_without_a_kappa_the_reason_is_said(place: int, na: str) -> None:
    agreement = agreement_on(list(pairs_of(ANSWERS))[place])
    assert (agreement.n, agreement.kappa, agreement.na) == (1 - place, None, na)


def test_differences_name_each_rater_where_not_all_say_the_same() -> None:
    given = [*ANSWERS, Answered("cat", 2, "depth", "a")]
    assert differences(given) == {(2, "depth"): {"ann": "b", "cat": "a"}}


def test_agreements_of_many_raters_are_summarised_by_question() -> None:
    found = [Agreement("ann", f"p{n}", "depth", 2, 0.5, n / 20) for n in range(21)]
    (row,) = agreement_table("Agreement", found, "pairs", str).rows
    assert [cell.value for cell in row.cells if cell] == [21, 21, 0.0, 0.5, 1.0]
    assert len(agreement_table("Agreement", found[:20], "pairs", str).rows) == 20
