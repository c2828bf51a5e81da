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


@pytest.mark.parametrize(
    "place",
    [
        *("MN", "in Rochester", "Rochester, MN 55902", "Rochester, Minnesota, USA", "the United States", "U.S."),
        "8126 Proctor Locks",
    ],
)
def test_any_part_of_the_address_in_any_form_is_verified(place: str) -> None:
    assert state_of(place) == "verified"


def test_a_city_may_be_named_like_another_state() -> None:
    assert state_of("Kansas City, Missouri", KANSAS_CITY) == "verified"


@pytest.mark.parametrize(
    "place",
    [
        *("New York", "Rochester, NY", "Rochester 14604", "Mobile, Alabama", "Canada", "Duluth", "Duluth, MN"),
        "St. Paul, Minnesota",
    ],
)
def test_another_city_state_or_country_is_contradicted(place: str) -> None:
    assert state_of(place) == "contradicted"


@pytest.mark.parametrize(
    ("place", "address"),
    [
        ("southeast Minnesota", ROCHESTER),
        ("the Upper Midwest", ROCHESTER),
        ("Proctor Locks", ROCHESTER),
        ("Washington County, Oregon", BEAVERTON),
        ("Mexico", BEAVERTON.model_copy(update={"city": "Taos", "state": "NM", "zip": "87571"})),
    ],
)
def test_regions_and_parts_of_the_address_are_not_decided(place: str, address: Address) -> None:
    assert state_of(place, address) == "underivable"


def test_a_place_that_is_said_of_a_page_is_not_the_shoppers() -> None:
    assert state_of("New York", ROCHESTER, "W:aaaaaaaa") == "underivable"


def test_names_of_states_and_countries_are_found_by_their_codes() -> None:
    assert len(STATES) == 52
    assert {country_names()[one] for one in ("us", "usa", "united states", "america")} == {"US"}
    assert (country_names()["uk"], country_names()["deu"], country_names()["germany"]) == ("GB", "DE", "DE")
