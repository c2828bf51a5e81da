"""A rollout in a shop with sizes: the id of a variant that a tool shows is a pick; another size is worth nothing."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from drretail.addons.gym import Shop, ShopEnv
from drretail.env.world import world_at
from drretail.records.query import Query
from drretail.records.shop import Money, Product
from drretail.records.wish import Want, Wish
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


def asking(size: str) -> Query:
    want = Want(name="shirt", kinds=("Shirts",), options={"Size": (size,)})
    return query(f"size-{size.lower()}", f"A shirt in {size} for $46.", wish=Wish(wants=(want,), budget=Money.of(46)))


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ShopEnv]:
    folder: Path = tmp_path_factory.mktemp("shop") / "w"
    build_world(folder, [SHIRT])
    with world_at(folder) as world, Shop.open(world, [asking("M"), asking("S"), asking("XL")]) as shop:
        yield ShopEnv(shop)


def paid(env: ShopEnv, query_id: str, report: str, named: str = "T") -> Any:
    env.reset(query_id)
    env.step({"name": "product_catalog_search", "arguments": {"query": "shirts"}})
    env.step({"name": "get_product_details", "arguments": {"product_id": named}})
    *_, info = env.step({"name": "submit_report", "arguments": {"report": report}})
    return info["reward"]


def test_the_right_size_alone_is_paid(env: ShopEnv) -> None:
    for pick, right in {"T/T-M": 1.0, "T-M": 1.0, "T/T-L": 0.0, "T/T-S": 0.0, "T/T-XL": 0.0, "T": 0.0}.items():
        report = f"The Fjell Merino Shirt in size M costs $45.00 [P:T/T-M].\n\n```picks\nP:{pick} x 1\n```"
        reward = paid(env, "size-m", report, pick if right else "T")
        assert (reward["value"], reward["right"]) == (right, right), pick


def test_what_is_sold_out_and_what_comes_in_no_such_size_can_be_refused(env: ShopEnv) -> None:
    for query_id, reason, nearest in (("size-s", "sold_out", "T/T-S"), ("size-xl", "no_such_option", "T/T-L")):
        report = f"The shop has no such shirt.\n\n```picks\nnone: {reason}\nnearest: P:{nearest} x 1\n```"
        reward = paid(env, query_id, report)
        assert (reward["refused"], reward["value"]) == (1.0, 1.0), reason
