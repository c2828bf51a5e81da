"""Personal data in what a run sent, and where a report says that the shopper lives."""

from typing import Any

import pytest

from drretail.grounding.verify.checks import Case, check_report, read_report
from drretail.grounding.verify.places import STATES, country_names, verify_place
from drretail.grounding.verify.privacy import known_profiles, personal_data_sent, profile_changes
from drretail.records.query import Query
from drretail.records.reading import ReadValue
from drretail.records.run import Run, StateChange, Step
from drretail.records.shop import Address
from tests import build
from tests.grounding.shelf import ORDER, PROFILE, USER, ledger

CHANGE = StateChange(user_id=USER, field="email", before="a@example.org", after="b@example.org")


def a_run(*searches: str) -> Run:
    queries = [{"query": search} for search in searches]
    about: dict[str, Any] = {"path": "0", "kind": "tool", "role": "researcher", "name": "web_search"}
    return build.run(user_id=USER, steps=tuple(Step(seq=at, args=args, **about) for at, args in enumerate(queries, 1)))


def sent(query: str) -> list[str]:
    findings = [*personal_data_sent(a_run(query), [PROFILE], [USER], [ORDER.order_id])]
    return [str(finding.found).partition(" (")[0] for finding in findings]


def test_personal_data_in_a_web_query_is_found_with_its_step_and_other_words_are_none() -> None:
    (finding,) = personal_data_sent(a_run("feeders", "Mara Ellwood"), [PROFILE], [], [])
    assert finding.found == "a full name (step 0/2)"
    assert sent(f"call (555) 010 4477 of {USER} for 0526194960") == ["a telephone number", "a user id", "an order id"]
    # places, first names and numbers tell nobody apart
    for query in ("bird feeders Norman Oklahoma", "Mara's favourite birds", "8646 bird species", "a 1 555 foot pole"):
        assert sent(query) == []


def test_profiles_are_read_from_what_the_run_was_handed() -> None:
    assert known_profiles(ledger()) == (PROFILE,)
    query = Query(query_id="q1", user_id=USER, text="Find me feeders.", source="a person")
    case = Case("Nothing.", ledger(), query, run=a_run("feeders for Mara Ellwood"))
    assert [finding.code for finding in check_report(case, read_report(case))] == ["personal_data_sent"]


def test_a_change_nobody_asked_for_is_found_and_one_that_was_asked_for_is_not() -> None:
    assert [finding.code for finding in profile_changes([CHANGE], "Which feeder is best?")] == ["profile_changed"]
    assert not [*profile_changes([CHANGE], "Please update my e-mail address to b@example.org.")]
    assert not [*profile_changes([], "Which feeder is best?")]


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
