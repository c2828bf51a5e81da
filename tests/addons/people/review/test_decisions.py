"""Which decisions count, what is to be done with each query, and what comes out of a review."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from drretail.addons.people.review.decisions import CurrentDecisions, current_decisions, outcomes, write_reviewed
from drretail.addons.people.review.form import Items
from drretail.addons.people.review.records import Review, Revision, keep_reviews, read_history_of, read_reviews_of
from drretail.querygen.reading import read_queries
from drretail.records.query import Query
from drretail.records.wish import Want, Wish
from tests.addons.people.review.conftest import QUERIES
from tests.addons.people.review.scripted import NOON, reviewed, simple

QUERY = simple(0)
EDITED = simple(0, "What is this about?")
BETTER = simple(0, "What is this all about?")


def revision(before: Query, after: Query | None) -> Revision:
    what = "rejected" if after is None else "edited"
    return Revision(query_id=before.query_id, at=NOON, by="ann", what=what, attempt=1, before=before, after=after)


def test_a_revision_of_version_1_is_read_without_the_findings_on_what_it_replaced() -> None:
    made = revision(QUERY, EDITED)
    assert Revision.model_validate_json(made.model_copy().model_dump_json()[:-1] + ',"reasons":[]}') == made


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
    assert outcome(reviews, applied, [revision(QUERY, applied)]) == "accepted"
    assert alive(reviews, applied, [revision(QUERY, applied)]).undecided_by("bob", [applied]) == ()


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
    applied = alive([EDIT], EDITED, [revision(QUERY, EDITED)])
    assert (len(applied.reviews), applied.stale) == (1, 0)
    assert applied.undecided_by("ann", [EDITED]) == ()
    assert applied.undecided_by("bob", [EDITED]) == (EDITED,)
    assert outcome([EDIT], EDITED, [revision(QUERY, EDITED)]) == "accepted"


def test_a_new_file_holds_what_was_accepted_and_edited_and_its_history_says_by_whom(
    tmp_path: Path, file: Path, items: Items
) -> None:
    text = f"{QUERIES[0].text} Write to me@example.com."
    reviews = [
        reviewed(QUERIES[0], "ann", text=text),
        reviewed(QUERIES[0], "bob", text=text),
        reviewed(QUERIES[1], "ann", "reject"),
    ]
    decided = outcomes(QUERIES, current_decisions(reviews, QUERIES, []))
    before, to = file.read_bytes(), tmp_path / "reviewed.jsonl"
    applied = write_reviewed(to, decided, items, NOON)
    (only,) = read_queries(to)
    assert only.text.endswith("me@example.com.")
    assert (applied.edited, applied.rejected) == ((QUERIES[0].query_id,), (QUERIES[1].query_id,))
    assert applied.waiting == (QUERIES[2].query_id,)
    assert file.read_bytes() == before
    edited, rejected = read_history_of(to)
    assert (edited.what, edited.by, edited.before, edited.after) == ("edited", "ann, bob", QUERIES[0], only)
    assert [finding.code for finding in edited.findings] == ["email_in_text"]
    assert (rejected.what, rejected.by, rejected.after) == ("rejected", "ann", None)

    first = to.read_bytes()
    write_reviewed(to, decided, items, NOON)
    assert (to.read_bytes(), len(read_history_of(to))) == (first, 2), "writing twice adds nothing"


def test_the_same_word_twice_is_kept_once_but_whoever_settles_after_another_has_the_last(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    for _ in range(2):
        keep_reviews(file, [reviewed(QUERY, "ann")])
    for who in ("ann", "ann", "bob", "ann"):
        keep_reviews(file, [reviewed(QUERY, who, "reject", settles=True)])
    assert [(each.reviewer, each.settles) for each in read_reviews_of(file)] == [
        ("ann", False), ("ann", True), ("bob", True), ("ann", True),
    ]  # fmt: skip
