"""The numbers of a review."""

import pytest

from drretail.querygen.review.decisions import current_decisions
from drretail.querygen.review.records import Answers
from drretail.querygen.review.summary import summary_of
from drretail.records.wish import Want, Wish
from tests.querygen.review.scripted import reviewed, simple

QUERIES = [simple(number, "one two three four five six seven eight nine ten") for number in range(4)]
NO = Answers(deep_research=False, answerable=True, fits_profile=True)
ANN = [
    reviewed(QUERIES[0], "ann", answers=NO),
    reviewed(QUERIES[1], "ann", text="one two three four five six seven eight nine eleven"),
    reviewed(QUERIES[2], "ann", "reject", answers=NO),
    reviewed(QUERIES[3], "ann", text="one two three"),
]
BOB = [
    reviewed(QUERIES[0], "bob"),
    reviewed(QUERIES[1], "bob", text="one two"),
    reviewed(QUERIES[2], "bob", "reject", answers=NO),
]


def test_decisions_edit_rate_and_size_are_counted_by_reviewer() -> None:
    ann, bob = summary_of(QUERIES, current_decisions([*BOB, *ANN], QUERIES, [])).reviewers
    assert (ann.name, ann.decided, ann.accepted, ann.edited, ann.rejected) == ("ann", 4, 1, 2, 1)
    assert ann.edit_rate == 0.5
    assert ann.words_changed == pytest.approx((0.1 + 0.7) / 2)
    assert (ann.answers["deep_research"].yes, ann.answers["deep_research"].no) == (2, 2)
    assert ann.accepted_with_a_no == ("q-0",)
    assert (bob.decided, bob.edit_rate, bob.accepted_with_a_no) == (3, pytest.approx(1 / 3), ())


def test_wishes_that_differ_are_listed_by_field() -> None:
    one, two = (Wish(wants=(Want(name="lamp", kinds=("lamp",), quantity=count),)) for count in (1, 2))
    reviews = [
        reviewed(QUERIES[0], "ann", wish=one),
        reviewed(QUERIES[0], "bob", wish=two),
        reviewed(QUERIES[0], "carl"),
    ]
    found = summary_of(QUERIES, current_decisions(reviews, QUERIES, [])).disagreements
    assert [(each.about, each.answers) for each in found] == [
        ("decision", {"ann": "edit", "bob": "edit", "carl": "accept"}),
        ("wish", {"ann": "typed", "bob": "typed", "carl": "not typed"}),
        ("wish: lamp: how many", {"ann": "1", "bob": "2"}),
    ]
