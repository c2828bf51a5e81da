"""Two typings of one wish beside each other."""

from drretail.querygen.review.typings import compared, matched
from drretail.records.money import Money
from drretail.records.wish import Want, Wish
from tests.querygen.review.conftest import FEEDER, LAMP, TYPED


def named(name: str, *kinds: str) -> Want:
    return Want(name=name, kinds=kinds or (name,))


def differing(first: Wish, second: Wish) -> list[tuple[str, str, str]]:
    return [(typed.about, typed.first, typed.second) for typed in compared(first, second) if typed.differs]


def test_wants_are_matched_by_the_words_of_their_names_and_kinds_wherever_they_stand() -> None:
    press, mug, kettle = named("press", "French press"), named("mug"), named("kettle")
    mugs, coffee = named("mugs for two"), named("coffee maker", "French Presses")
    assert matched((press, mug, kettle), (mugs, coffee)) == [(press, coffee), (mug, mugs), (kettle, None)]
    assert matched((), (mug,)) == [(None, mug)]


def test_one_want_is_matched_with_one_only() -> None:
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
