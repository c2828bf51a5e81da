import statistics
from pathlib import Path
from random import Random

import numpy as np
import pytest

from drretail.env.catalog.category_prices import PricesByCategory
from drretail.env.web.sandbox import SandboxWeb
from drretail.env.world import World, open_world
from drretail.records.shop import Product
from tests.build import build_world


def world_of(folder: Path, shelf: dict[str, list[float | None]]) -> World:
    products = [
        Product(
            product_id=f"{category}{number:03}",
            title="Lamp",
            price=price,
            categories=("Office", category),
            category="Office_Products",
        )
        for category, prices in shelf.items()
        for number, price in enumerate(prices)
    ]
    build_world(folder, products)
    return open_world(folder, web=SandboxWeb([]))


def test_median_and_quartiles_are_those_of_all_products_with_a_price(tmp_path: Path) -> None:
    random = Random(7)
    shelf = {
        f"C{size:02}": [random.choice([None, *[round(random.uniform(0, 900), 2)] * 4]) for _ in range(size)]
        for size in range(1, 60)
    }
    with world_of(tmp_path / "w", shelf) as world:
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
