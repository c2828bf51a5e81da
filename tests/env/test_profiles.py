"""People derived from user ids, and summaries of them, in which the shop's prices stand beside the user's."""

import re
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from drretail.env.profiles import ProfilePool, default_pool, derive_profile
from drretail.env.summaries import LEAST_PRICES, PricesByCategory, Summaries
from drretail.env.web.base import Web
from drretail.env.world import OrderRow, World, open_world
from drretail.records.shop import Product, UserProfile
from tests.build import build_world


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


DAY = 86_400_000


def world_of(folder: Path, web: Web, shelf: Mapping[str, Sequence[float | None]], euros_from: int = 1000) -> World:
    """Lamps by category at these prices, in euros from some number on, and a user who bought the first three."""
    products = [
        Product(
            product_id=f"{category}{number:03}",
            title="Submitter Lamp",
            price=price,
            currency="EUR" if number >= euros_from else "USD",
            categories=("Office", category),
            category="Office_Products",
        )
        for category, prices in shelf.items()
        for number, price in enumerate(prices)
    ]
    orders = [
        OrderRow(f"{number:010}", "ANNA", product.product_id, 1_640_995_200_000 + number * 40 * DAY, 1, "Delivered")
        for number, product in enumerate(products[:3])
    ]
    build_world(folder, products, orders)
    return open_world(folder, web=web)


@pytest.mark.parametrize(("lamps", "euros_from", "is_placed"), [(10, 1000, True), (9, 1000, False), (20, 11, False)])
def test_few_prices_or_two_currencies_say_none(
    tmp_path: Path, web: Web, lamps: int, euros_from: int, is_placed: bool
) -> None:
    with world_of(tmp_path / "w", web, {"Lamps": range(10, 10 + lamps)}, euros_from) as world:
        codes = [statement.code for statement in Summaries(world).of("ANNA").statements]
    assert ("price_position" in codes) is is_placed


def test_median_and_quartiles_are_those_of_all_products_with_a_price(tmp_path: Path, web: Web) -> None:
    random = Random(7)
    shelf = {
        f"C{size:02}": [random.choice([None, *[round(random.uniform(0, 900), 2)] * 4]) for _ in range(size)]
        for size in range(1, 60)
    }
    with world_of(tmp_path / "w", web, shelf) as world:
        by_category = PricesByCategory(world.catalog, world.store)
        assert by_category.of("No such category") is None
        for category, prices in shelf.items():
            known, found = [price for price in prices if price is not None], by_category.of(category)
            if len(known) < LEAST_PRICES:
                assert found is None
                continue
            assert found is not None
            assert found.middle == pytest.approx(statistics.median(known))
            assert [found.low, found.high] == pytest.approx(list(np.percentile(known, [25, 75])))
