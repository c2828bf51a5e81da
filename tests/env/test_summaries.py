"""What is said of prices."""

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

import numpy as np
import pytest

from drretail.env.summaries import LEAST_PRICES, Summaries
from drretail.env.web.base import Web
from drretail.env.world import OrderRow, World, world_at
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
    return world_at(folder, web=web)


@pytest.mark.parametrize(("lamps", "euros_from", "is_placed"), [(10, 1000, True), (9, 1000, False), (20, 11, False)])
def test_few_or_mixed_prices_say_none(tmp_path: Path, web: Web, lamps: int, euros_from: int, is_placed: bool) -> None:
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
        prices_in = Summaries(world).prices_in
        assert prices_in("No such category") is None
        for category, prices in shelf.items():
            known, found = [price for price in prices if price is not None], prices_in(category)
            if len(known) < LEAST_PRICES:
                assert found is None
                continue
            assert found is not None
            assert found.middle == pytest.approx(statistics.median(known))
            assert [found.low, found.high] == pytest.approx(list(np.percentile(known, [25, 75])))
