import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from drretail.env.profiles import ProfilePool, default_pool, derive_profile
from drretail.records.shop import UserProfile


def test_the_shipped_pool_and_the_people_behind_two_ids_never_change_within_a_version() -> None:
    pool = default_pool()
    assert (pool.version, pool.hash) == (1, "0cbac16ca36f9022bd9156b4ac30db921f3b3f4216339d5609c87e463768eba1")
    assert derive_profile(pool, "42", "AEXGISIVX7WBUNI7UHHERVB3DF7Q").model_dump() == {
        "user_id": "AEXGISIVX7WBUNI7UHHERVB3DF7Q",
        "email": "mason.aguirre49@example.com",
        "first_name": "Mason",
        "last_name": "Aguirre",
        "phone_number": "203-555-0191",
        "address": {
            "address1": "3889 Abbott Fork",
            "city": "Bridgeport",
            "state": "CT",
            "zip": "06604",
            "country": "US",
        },
        "account_status": "active",
    }
    assert derive_profile(pool, 42, "U1").email == "debra.flowers31@example.com", "an integer seed is its digits"


@given(user_id=st.text(max_size=30), seed=st.integers() | st.sampled_from(["42", ""]))
def test_every_id_has_a_valid_profile_whose_parts_belong_together(user_id: str, seed: int | str) -> None:
    pool = default_pool()
    profile = derive_profile(pool, seed, user_id)
    assert profile == derive_profile(pool, seed, user_id) == UserProfile.model_validate(profile.model_dump())
    assert re.fullmatch(r"[a-z]+\.[a-z]+\d\d@example\.(com|org|net)", profile.email)
    assert profile.email.startswith(profile.first_name.lower())
    area_code, exchange, line = profile.phone_number.split("-")
    assert exchange == "555"
    assert re.fullmatch(r"01\d\d", line)
    address = profile.address
    assert (address.city, address.state, address.zip, area_code) in {
        (place.city, place.state, place.zip, place.area_code) for place in pool.places
    }
    assert re.match(r"[1-9]\d{0,3} \S", address.address1)


def pool_of(first_name: str, last_name: str) -> ProfilePool:
    """A pool of one name and of one place, which has no area code."""
    place = {"city": "Köln", "state": "", "zip": "50667", "area_code": ""}
    names = {"first_names": [first_name], "last_names": [last_name], "streets": ["Allee"]}
    return ProfilePool.model_validate({"version": 1, "locale": "xx", "country": "XX", "places": [place], **names})


@pytest.mark.parametrize(
    ("first_name", "last_name", "mailbox"),
    [("Zoë", "O'Neil", "zoe.oneil"), ("花子", "佐藤", "customer"), ("花子", "Sato", "sato")],
)
def test_mail_addresses_are_ascii_and_short_numbers_need_no_code(first_name: str, last_name: str, mailbox: str) -> None:
    pool = pool_of(first_name, last_name)
    profile = derive_profile(pool, 1, "U1")
    assert re.fullmatch(rf"{mailbox}\d\d@example\.\w+", profile.email)
    assert re.fullmatch(r"555-01\d\d", profile.phone_number)
    with pytest.raises(ValidationError):
        ProfilePool.model_validate({**pool.model_dump(), "first_names": []})
