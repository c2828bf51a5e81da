"""Summaries out of a world: the shop's prices stand beside the user's."""

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

import numpy as np
import pytest

from drretail.env.catalog.category_prices import PricesByCategory
from drretail.env.summaries import Summaries
from drretail.env.web.base import Web
from drretail.env.world import OrderRow, World, open_world
from drretail.records.shop import Product
from tests.build import build_world

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


def test_a_users_prices_are_placed_among_those_of_the_category(tmp_path: Path, web: Web) -> None:
    with world_of(tmp_path / "w", web, {"Lamps": range(10, 30)}) as world:
        text = Summaries(world).of("ANNA").text
    assert "3 of 3 items bought can be compared" in text
    assert "3 cost less than the median, 3 are in the cheapest quarter, 0 in the dearest" in text
    assert "usually" not in text  # three items make no habit


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
            if not known:
                assert found is None
                continue
            assert found is not None
            assert (found.priced, found.least, found.most) == (len(known), min(known), max(known))
            assert found.span.middle == pytest.approx(statistics.median(known))
            assert [found.span.low, found.span.high] == pytest.approx(list(np.percentile(known, [25, 75])))
