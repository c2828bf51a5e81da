import pytest

from drretail.grounding.user_places import wrong_places
from drretail.grounding.verifying import verify
from tests.grounding.shelf import a_case  # the profile says Norman, OK


@pytest.mark.parametrize(
    "said",
    [
        "It lasts through the winters at your home in Fairbanks, Alaska [U:profile].",
        "You live in Texas, where summers are hot.",
        "Based on your location in Dallas, OK, choose shade.",
        "Your profile says Austin, TX.",
    ],
)
def test_another_home_than_the_profiles_is_found(said: str) -> None:
    (finding,) = wrong_places(a_case(said))
    assert (finding.code, finding.found) == ("wrong_place", "profile says Norman, OK")
    assert said[finding.start : finding.end] == finding.said
    assert finding in verify(a_case(said))


@pytest.mark.parametrize(
    "said",
    [
        "It lasts at your home in Norman, Oklahoma [U:profile].",
        "You live in Norman, OK.",
        "You're based in Oklahoma, where winds are strong.",
        "Buyers in Texas like it.",
        "Your garden in the Great Plains needs shade.",
        "Hang it in your yard in May.",
    ],
)
def test_the_home_and_what_is_no_home_are_left_alone(said: str) -> None:
    assert wrong_places(a_case(said)) == []


def test_without_a_profile_nothing_is_said() -> None:
    case = a_case("You live in Texas.")
    bare = {key: entry for key, entry in case.evidence.items() if key != "U:profile"}
    assert wrong_places(type(case)(report=case.report, evidence=bare, query=case.query)) == []
