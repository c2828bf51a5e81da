"""Which decisions count, what is to be done with each query, and the numbers of a review."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from drretail.addons.people.review.decisions import (
    Answers,
    CurrentDecisions,
    Review,
    current_decisions,
    keep_reviews,
    outcomes,
    read_reviews_of,
    reviews_path,
    summary_of,
)
from drretail.records.query import Query
from drretail.records.wish import Want, Wish
from drretail.stats.agreement import ONE_ANSWER
from tests.addons.people.review.scripted import reviewed, simple

QUERY = simple(0)
EDITED = simple(0, "What is this about?")
BETTER = simple(0, "What is this all about?")


def alive(reviews: Sequence[Review], query: Query = QUERY) -> CurrentDecisions:
    return current_decisions(reviews, [query])


def outcome(reviews: Sequence[Review], query: Query = QUERY) -> str:
    (found,) = outcomes([query], alive(reviews, query))
    return found.what


EDIT = reviewed(QUERY, "ann", text=EDITED.text)


@pytest.mark.parametrize(
    ("reviews", "found"),
    [
        ([], "undecided"),
        ([reviewed(QUERY, "ann")], "accepted"),
        ([reviewed(QUERY, "ann", "reject")], "rejected"),
        ([EDIT], "edited"),
        ([reviewed(QUERY, "ann"), reviewed(QUERY, "bob")], "accepted"),
        ([reviewed(QUERY, "ann"), reviewed(QUERY, "bob", "reject")], "undecided"),
        ([EDIT, reviewed(QUERY, "bob")], "undecided"),
        ([EDIT, reviewed(QUERY, "bob", text=EDITED.text)], "edited"),
        ([EDIT, reviewed(QUERY, "bob", text=BETTER.text)], "undecided"),
    ],
)
def test_one_reviewer_is_enough_and_two_who_decide_otherwise_decide_nothing(reviews: list[Review], found: str) -> None:
    assert outcome(reviews) == found


def test_two_who_type_the_same_wish_agree_and_two_who_type_others_do_not() -> None:
    bath = Wish(wants=(Want(name="bird bath", kinds=("bird bath",)),))
    two = Wish(wants=(Want(name="bird bath", kinds=("bird bath",), quantity=2),))
    ann = reviewed(QUERY, "ann", wish=bath)
    reviews = [ann, reviewed(QUERY, "bob", wish=bath)]
    (found,) = outcomes([QUERY], alive(reviews))
    assert found.what == "edited"
    assert found.result is not None
    assert found.result.typed_by == "ann"
    assert outcome([ann, reviewed(QUERY, "bob", wish=two)]) == "undecided"
    # Once it is applied, both have made it.
    applied = found.result
    assert outcome(reviews, applied) == "accepted"
    assert alive(reviews, applied).undecided_by("bob", [applied]) == ()


def test_the_last_decision_of_a_reviewer_counts() -> None:
    ann, bob = reviewed(QUERY, "ann"), reviewed(QUERY, "bob", "reject")
    changed = [ann, bob, reviewed(QUERY, "bob", minute=1)]
    assert outcome(changed) == "accepted"
    assert (len(alive(changed).reviews), alive(changed).stale) == (2, 0)
    again = [EDIT, reviewed(EDITED, "ann", "reject", minute=1)]
    assert (outcome(again, EDITED), alive(again, EDITED).stale) == ("rejected", 0)


def test_decisions_on_another_version_count_only_for_who_made_it_by_an_applied_edit() -> None:
    stale = alive([reviewed(QUERY, "ann")], EDITED)
    assert (stale.reviews, stale.stale, stale.undecided_by("ann", [EDITED])) == ((), 1, (EDITED,))
    assert outcome([reviewed(QUERY, "ann")], EDITED) == "undecided"
    applied = alive([EDIT], EDITED)
    assert (len(applied.reviews), applied.stale) == (1, 0)
    assert applied.undecided_by("ann", [EDITED]) == ()
    assert applied.undecided_by("bob", [EDITED]) == (EDITED,)
    assert outcome([EDIT], EDITED) == "accepted"


def test_the_same_word_twice_is_kept_once(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    for decision in ("accept", "accept", "reject", "accept"):
        keep_reviews(file, [reviewed(QUERY, "ann", decision)])
    assert [review.decision for review in read_reviews_of(file)] == ["accept", "reject", "accept"]


def test_a_review_of_version_1_that_settled_a_disagreement_is_its_writers_decision(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    settling = reviewed(QUERY, "ann", "reject").model_dump(mode="json", exclude_none=True) | {"settles": True}
    del settling["answers"]
    reviews_path(file).write_text(json.dumps(settling) + "\n")
    assert outcome(read_reviews_of(file)) == "rejected"


def test_only_queries_that_both_decided_count_and_each_question_on_its_own() -> None:
    no = Answers(deep_research=True, answerable=False)
    queries = [simple(number) for number in range(3)]
    reviews = [
        reviewed(simple(0), "ann"),
        reviewed(simple(0), "bob", "reject", answers=no),
        reviewed(simple(1), "bob"),
        reviewed(simple(1), "ann"),
        reviewed(simple(2), "ann"),
    ]
    agreements = summary_of(queries, current_decisions(reviews, queries)).agreements
    assert {(each.first, each.second) for each in agreements} == {("ann", "bob")}
    found = {each.about: each for each in agreements}
    assert (found["decision"].n, found["decision"].share, found["decision"].kappa) == (2, 0.5, 0)
    assert (found["deep_research"].share, found["deep_research"].kappa) == (1, None)
    assert found["deep_research"].na == ONE_ANSWER
    assert (found["answerable"].n, found["fits_profile"].n) == (2, 1)
