"""The numbers of a review, and what reviewers say where they disagree."""

from collections.abc import Sequence

import pytest

from drretail.addons.people.review.decisions import current_decisions, summary_of
from drretail.addons.people.review.records import Answers, Review, edits_by_reviewer, review_lines
from drretail.records.wish import Want, Wish
from drretail.stats.agreement import ONE_ANSWER, Agreement
from tests.addons.people.review.conftest import LAMP, QUERIES, TYPED
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


def test_decisions_edit_rate_and_size_are_counted_by_reviewer() -> None:
    ann, bob = summary_of(FOUR, current_decisions([*BOB, *ANN], FOUR, [])).reviewers
    assert (ann.name, ann.decided, ann.accepted, ann.edited, ann.rejected) == ("ann", 4, 1, 2, 1)
    assert ann.edit_rate == 0.5
    assert ann.words_changed == pytest.approx((0.1 + 0.7) / 2)
    assert (ann.answers["deep_research"]["yes"], ann.answers["deep_research"]["no"]) == (2, 2)
    assert ann.accepted_with_a_no == ("q-0",)
    assert (bob.decided, bob.edit_rate, bob.accepted_with_a_no) == (3, pytest.approx(1 / 3), ())


def test_edits_that_differ_are_a_disagreement_whoever_typed_them() -> None:
    one, two = (Wish(wants=(Want(name="lamp", kinds=("lamp",), quantity=count),)) for count in (1, 2))
    reviews = [reviewed(FOUR[0], name, wish=wish) for name, wish in (("ann", one), ("bob", two))]
    reviews += [reviewed(FOUR[1], name, wish=one) for name in ("ann", "bob")]
    found = summary_of(FOUR, current_decisions(reviews, FOUR, [])).disagreements
    assert [(each.query_id, each.about, [*each.answers]) for each in found] == [("q-0", "edit", ["ann", "bob"])]


def by_about(reviews: Sequence[Review], count: int) -> dict[str, Agreement]:
    queries = [simple(number) for number in range(count)]
    found = summary_of(queries, current_decisions(reviews, queries, [])).agreements
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
