"""A rollout in a shop with sizes: the id of a variant that a tool shows is a pick; another size is worth nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from drretail.addons.gym import Shop, ShopEnv
from drretail.env.world import world_at
from drretail.records.shop import Money, Product
from drretail.records.wish import Want, Wish
from tests.addons.gym.policies import call
from tests.build import build_world, query

ROWS = [("T-S", "S", 20, 0), ("T-M", "M", 45, 4), ("T-L", "L", 45, 4)]
SHIRT = Product(
    product_id="T",
    title="Fjell Merino Shirt",
    price=20,
    price_from=True,
    category="Shirts",
    details={"Variants": [{"id": key, "Size": size, "price": price, "stock": n} for key, size, price, n in ROWS]},
)


WANT = Want(name="shirt", kinds=("Shirts",), options={"Size": ("M",)})
ASKED = query("size-m", "A shirt in M for $46.", wish=Wish(wants=(WANT,), budget=Money.of(46)))


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ShopEnv]:
    folder: Path = tmp_path_factory.mktemp("shop") / "w"
    build_world(folder, [SHIRT])
    with world_at(folder) as world, Shop.open(world, ASKED) as shop:
        yield ShopEnv(shop)


def test_the_right_size_alone_is_paid(env: ShopEnv) -> None:
    for pick, right in {"T/T-M": 1.0, "T-M": 1.0, "T/T-L": 0.0, "T/T-S": 0.0, "T/T-XL": 0.0, "T": 0.0}.items():
        report = f"The Fjell Merino Shirt in size M costs $45.00 [P:T/T-M].\n\n```picks\nP:{pick} x 1\n```"
        env.reset("size-m")
        env.step(call("product_catalog_search", query="shirts"))
        env.step(call("get_product_details", product_id=pick if right else "T"))
        reward = env.step(call("submit_report", report=report))[-1]["reward"]
        assert (reward["value"], reward["right"]) == (right, right), pick
