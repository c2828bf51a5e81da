"""The numbers of a review."""

from collections.abc import Sequence

import pytest

from drretail.addons.people.review.decisions import current_decisions, summary_of
from drretail.addons.people.review.records import Answers, Review
from drretail.stats.agreement import ONE_ANSWER, Agreement
from tests.addons.people.review.scripted import reviewed, simple

FOUR = [simple(number, "one two three four five six seven eight nine ten") for number in range(4)]
NO = Answers(deep_research=False, answerable=True, fits_profile=True)
ANN = [
    reviewed(FOUR[0], "ann", answers=NO),
    reviewed(FOUR[1], "ann", text="one two three four five six seven eight nine eleven"),
    reviewed(FOUR[2], "ann", "reject", answers=NO),
    reviewed(FOUR[3], "ann", text="one two three"),
]
BOB = [
    reviewed(FOUR[0], "bob"),
    reviewed(FOUR[1], "bob", text="one two"),
    reviewed(FOUR[2], "bob", "reject", answers=NO),
]


def test_decisions_and_edit_rate_are_counted_by_reviewer() -> None:
    ann, bob = summary_of(FOUR, current_decisions([*BOB, *ANN], FOUR)).reviewers
    assert (ann.name, ann.decided, ann.accepted, ann.edited, ann.rejected) == ("ann", 4, 1, 2, 1)
    assert ann.edit_rate == 0.5
    assert (ann.answers["deep_research"]["yes"], ann.answers["deep_research"]["no"]) == (2, 2)
    assert (bob.decided, bob.edit_rate) == (3, pytest.approx(1 / 3))


def by_about(reviews: Sequence[Review], count: int) -> dict[str, Agreement]:
    queries = [simple(number) for number in range(count)]
    found = summary_of(queries, current_decisions(reviews, queries)).agreements
    assert {(each.first, each.second) for each in found} == {("ann", "bob")}
    return {each.about: each for each in found}


def test_only_queries_that_both_decided_count_and_each_question_on_its_own() -> None:
    no = Answers(deep_research=True, answerable=False)
    found = by_about(
        [
            reviewed(simple(0), "ann"),
            reviewed(simple(0), "bob", "reject", answers=no),
            reviewed(simple(1), "bob"),
            reviewed(simple(1), "ann"),
            reviewed(simple(2), "ann"),
        ],
        3,
    )
    assert (found["decision"].n, found["decision"].share, found["decision"].kappa) == (2, 0.5, 0)
    assert (found["deep_research"].share, found["deep_research"].kappa) == (1, None)
    assert found["deep_research"].na == ONE_ANSWER
    assert (found["answerable"].n, found["fits_profile"].n) == (2, 1)
