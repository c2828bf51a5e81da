"""Which decisions count, and what is to be done with each query."""

from collections.abc import Sequence

import pytest

from drretail.querygen.review.decisions import CurrentDecisions, current_decisions, outcomes
from drretail.querygen.review.records import Review
from drretail.querygen.review.revisions import Revision
from drretail.records.query import Query
from drretail.records.wish import Want, Wish
from tests.querygen.review.scripted import NOON, reviewed, simple

QUERY = simple(0)
EDITED = simple(0, "What is this about?")
BETTER = simple(0, "What is this all about?")


def decided(before: Query, after: Query | None) -> Revision:
    what = "rejected" if after is None else "edited"
    return Revision(
        query_id=before.query_id, at=NOON, by="ann", what=what, attempt=1, before=before, reasons=(), after=after
    )


def alive(reviews: Sequence[Review], query: Query = QUERY, revisions: Sequence[Revision] = ()) -> CurrentDecisions:
    return current_decisions(reviews, [query], revisions)


def outcome(reviews: Sequence[Review], query: Query = QUERY, revisions: Sequence[Revision] = ()) -> str:
    (found,) = outcomes([query], alive(reviews, query, revisions))
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
        ([reviewed(QUERY, "ann"), reviewed(QUERY, "bob", "reject")], "disputed"),
        ([EDIT, reviewed(QUERY, "bob")], "disputed"),
        ([EDIT, reviewed(QUERY, "bob", text=EDITED.text)], "edited"),
        ([EDIT, reviewed(QUERY, "bob", text=BETTER.text)], "disputed"),
    ],
)
def test_one_reviewer_is_enough_and_two_who_decide_otherwise_dispute_it(reviews: list[Review], found: str) -> None:
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
    assert outcome([ann, reviewed(QUERY, "bob", wish=two)]) == "disputed"
    # Once it is applied, both have made it.
    applied = found.result
    assert outcome(reviews, applied, [decided(QUERY, applied)]) == "accepted"
    assert alive(reviews, applied, [decided(QUERY, applied)]).undecided_by("bob", [applied]) == ()


def test_the_last_decision_of_a_reviewer_counts_and_who_settles_has_the_last_word() -> None:
    ann, bob = reviewed(QUERY, "ann"), reviewed(QUERY, "bob", "reject")
    changed = [ann, bob, reviewed(QUERY, "bob", minute=1)]
    assert outcome(changed) == "accepted"
    assert (len(alive(changed).reviews), alive(changed).stale) == (2, 0)
    first = reviewed(QUERY, "carl", "reject", settles=True, minute=5)
    later = reviewed(QUERY, "ann", text=BETTER.text, settles=True, minute=6)
    assert outcome([ann, bob, first]) == "rejected"
    assert outcome([ann, bob, later, first]) == "edited"


def test_decisions_on_another_version_count_only_for_who_made_it_by_an_applied_edit() -> None:
    stale = alive([reviewed(QUERY, "ann")], EDITED)
    assert (stale.reviews, stale.stale, stale.undecided_by("ann", [EDITED])) == ((), 1, (EDITED,))
    assert outcome([reviewed(QUERY, "ann")], EDITED) == "undecided"
    applied = alive([EDIT], EDITED, [decided(QUERY, EDITED)])
    assert (len(applied.reviews), applied.stale) == (1, 0)
    assert applied.undecided_by("ann", [EDITED]) == ()
    assert applied.undecided_by("bob", [EDITED]) == (EDITED,)
    assert outcome([EDIT], EDITED, [decided(QUERY, EDITED)]) == "accepted"
