"""Two typings of one wish beside each other, and what reviewers say of a query on which they disagree."""

from drretail.querygen.review.disputes import edits_by_reviewer, review_lines
from drretail.querygen.review.records import Answers
from drretail.querygen.review.typings import compared, matched
from drretail.records.money import Money
from drretail.records.wish import Want, Wish
from tests.querygen.review.conftest import FEEDER, LAMP, QUERIES, TYPED
from tests.querygen.review.scripted import reviewed


def named(name: str, *kinds: str) -> Want:
    return Want(name=name, kinds=kinds or (name,))


def differing(first: Wish, second: Wish) -> list[tuple[str, str, str]]:
    return [(typed.about, typed.first, typed.second) for typed in compared(first, second) if typed.differs]


def test_a_want_is_matched_with_one_by_the_words_of_names_and_kinds_wherever_they_stand() -> None:
    press, mug, kettle = named("press", "French press"), named("mug"), named("kettle")
    mugs, coffee = named("mugs for two"), named("coffee maker", "French Presses")
    assert matched((press, mug, kettle), (mugs, coffee)) == [(press, coffee), (mug, mugs), (kettle, None)]
    assert matched((), (mug,)) == [(None, mug)]
    lamp, lamps = named("lamp"), named("desk lamp")
    assert matched((lamp, lamps), (lamps,)) == [(lamp, None), (lamps, lamps)]


def test_each_field_that_differs_is_told_with_both_values() -> None:
    other = FEEDER.model_copy(update={"quantity": 3, "rating_min": None})
    second = TYPED.model_copy(update={"wants": (LAMP, other, named("birdhouse")), "budget": None})
    assert differing(TYPED, second) == [
        ("budget for everything", "90 USD", "–"),
        ("bird feeder: how many", "2", "3"),
        ("bird feeder: least stars", "3.8 stars", "–"),
        ("birdhouse: wanted at all", "no", "yes"),
    ]


def test_forms_and_order_of_words_and_the_name_are_no_difference() -> None:
    first = Wish(
        wants=(Want(name="mug", kinds=("coffee mug", "Mugs"), must=("Dishwasher-safe",)),), budget=Money(amount="60")
    )
    same = Want(name="the mugs", kinds=("mug", "coffee mugs"), must=("dishwasher safe",))
    assert differing(first, Wish(wants=(same,), budget=Money(amount="60.00"))) == []


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
