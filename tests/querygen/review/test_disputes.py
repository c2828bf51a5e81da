"""What reviewers say of a query on which they disagree."""

from drretail.querygen.review.disputes import edits_by_reviewer, review_lines
from drretail.querygen.review.records import Answers
from tests.querygen.review.conftest import LAMP, QUERIES, TYPED
from tests.querygen.review.scripted import reviewed

QUERY = QUERIES[0]
THREE = TYPED.model_copy(update={"wants": (TYPED.wants[0].model_copy(update={"quantity": 3}), LAMP)})


def test_decisions_are_told_with_noes_notes_and_what_was_changed() -> None:
    no = Answers(deep_research=True, answerable=False, fits_profile=True)
    ann = reviewed(QUERY, "ann", text=f"{QUERY.text} Thanks.").model_copy(update={"note": "kinder"})
    bob = reviewed(QUERY, "bob", wish=THREE)
    lines = list(review_lines([ann, bob, reviewed(QUERY, "carl", "reject", answers=no)]))
    assert lines[:2] == ["ann: edit", "ann's note: kinder"]
    assert lines[2].startswith("ann's edit: ")
    assert lines[2].endswith("{+Thanks.+}")
    assert lines[3] == "bob: edit"
    assert lines[4].startswith("bob's edit: no longer: 2 × bird feeder: ")
    assert lines[5].startswith("bob's edit: now: 3 × bird feeder: ")
    assert lines[6:] == ["carl: reject (no to: Can the nine tools answer it?)"]


def test_of_edits_that_make_the_same_query_one_is_offered_whoever_typed_it() -> None:
    reviews = [
        reviewed(QUERY, "ann", wish=THREE),
        reviewed(QUERY, "bob", wish=THREE),
        reviewed(QUERY, "carl", text="x"),
    ]
    edits = edits_by_reviewer([*reviews, reviewed(QUERY, "dora")], QUERY)
    assert list(edits) == ["ann", "carl"]
    assert edits["ann"].after.typed_by == "ann"
