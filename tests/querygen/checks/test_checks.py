"""Near-duplicates, and what tells who writes. Tests names.py, privacy.py, wording.py and records/criteria.py."""

import pytest

from drretail.env.world import World
from drretail.querygen.checks.privacy import identifying
from drretail.querygen.checks.wording import near_duplicates
from drretail.records.shop import UserProfile
from drretail.records.wish import Want, Wish
from tests.build import query


def test_the_same_words_with_other_numbers_and_the_same_need_are_asked_twice_and_twins_are_not() -> None:
    feeder = Wish(wants=(Want(name="feeder", kinds=("feeder",)),), owned=("B1",))
    asked = [
        query("a", "A feeder for $20, please.", wish=feeder),
        query("b", "a feeder for $30 please", task_id="t"),
        query("c", "A feeder for $40, please!", task_id="t"),
        query("d", "What would you put in its place?", wish=feeder),
        query("e", "Another feeder, for less than $20, please."),
    ]
    assert near_duplicates(asked).keys() == {"b", "c", "d"}
    assert near_duplicates(asked[1:3]) == {}


PRIVATE = ["John.Smith@example.co.uk", "(555) 123-4567", "+44 20 7946 0958", "12 Elm Street", "P:B0ABCDEFGH"]


def found(text: str, profile: UserProfile | None = None) -> list[str]:
    return [text[each.start : each.end] for each in identifying(text, profile)]


@pytest.mark.parametrize("private", PRIVATE)
def test_it_is_found_as_one_piece(private: str) -> None:
    assert found(f"I need a lamp, and {private}, is where I am.") == [private]


def test_a_shoppers_own_name_is_found(world: World) -> None:
    anna = world.store.user("ANNA")
    name = f"{anna.first_name} {anna.last_name}"
    assert found(f"My name is {name}, and my sister is Jane Doe.", anna) == [name]
