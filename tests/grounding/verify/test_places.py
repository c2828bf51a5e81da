"""Where a report says that the shopper lives, held against the address."""

import pytest

from drretail.grounding.verify.places import STATES, country_names, verify_place
from drretail.records.reading import ReadValue
from drretail.records.shop import Address
from tests.grounding.shelf import PROFILE

ROCHESTER = Address(address1="8126 Proctor Locks", city="Rochester", state="MN", zip="55902")
KANSAS_CITY = Address(address1="1 Oak Way", city="Kansas City", state="MO", zip="64108")
BEAVERTON = Address(address1="1 Oak Way", city="Beaverton", state="OR", zip="97005")


def state_of(place: str, address: Address = ROCHESTER, *of: str) -> str:
    profile = PROFILE.model_copy(update={"address": address})
    value = ReadValue(kind="place", amount=place, of=of or ("U:profile",), start=0, end=1)
    return verify_place(value, [profile]).state


TAOS = BEAVERTON.model_copy(update={"city": "Taos", "state": "NM", "zip": "87571"})
HERE = ("MN", "in Rochester", "Rochester, MN 55902", "Rochester, Minnesota, USA", "the United States", "U.S.")
ELSEWHERE = ("New York", "Rochester, NY", "Rochester 14604", "Mobile, Alabama", "Canada", "Duluth", "Duluth, MN")


@pytest.mark.parametrize(
    ("place", "address", "state"),
    [
        *((place, ROCHESTER, "verified") for place in (*HERE, "8126 Proctor Locks")),
        ("Kansas City, Missouri", KANSAS_CITY, "verified"),  # a city that is named like another state
        *((place, ROCHESTER, "contradicted") for place in (*ELSEWHERE, "St. Paul, Minnesota")),
        # regions and parts of the address
        *((place, ROCHESTER, "underivable") for place in ("southeast Minnesota", "the Upper Midwest", "Proctor Locks")),
        ("Washington County, Oregon", BEAVERTON, "underivable"),
        ("Mexico", TAOS, "underivable"),
    ],
)
def test_a_place_is_held_against_the_address_in_any_form(place: str, address: Address, state: str) -> None:
    assert state_of(place, address) == state
    assert state_of(place, address, "W:aaaaaaaa") == "underivable", "it is said of a page"


def test_names_of_states_and_countries_are_found_by_their_codes() -> None:
    assert len(STATES) == 52
    assert {country_names()[one] for one in ("us", "usa", "united states", "america")} == {"US"}
    assert (country_names()["uk"], country_names()["deu"], country_names()["germany"]) == ("GB", "DE", "DE")
