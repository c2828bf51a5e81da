"""The orders that are held out, for evaluation alone: what is frozen of the users' next purchases, and the files of the
categories that queries want."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from drretail.env.next_purchase import file_categories, freeze_next_purchases, next_purchases, wanted_categories
from drretail.env.session import Session, SessionSettings
from drretail.env.web.base import Web
from drretail.env.world import OrderRow, World, open_world
from drretail.errors import UserError
from drretail.experiment import Definition, Experiment, read_rubric
from drretail.records.query import Query
from drretail.records.shop import NextPurchase, Product
from drretail.records.wish import Want, Wish
from drretail.tools.registry import TOOLS
from drretail.tools.toolkit import Toolkit
from tests.build import build_world
from tests.shop import DAY, JANUARY, ORDERS, OTHER, PRODUCTS, USER, build_shop

LATE = OrderRow("0000000009", USER, "B0TEST0002", JANUARY + 9 * DAY)
LATER = OrderRow("0000000008", USER, "B0TEST0003", JANUARY + 10 * DAY)


def built(folder: Path, *held_out: OrderRow) -> Path:
    build_world(folder, PRODUCTS, ORDERS, holdout=held_out)
    return folder


def test_the_held_out_orders_of_users_come_oldest_first_and_a_world_without_any_says_so(tmp_path: Path) -> None:
    other = OrderRow("0000000007", OTHER, "B0TEST0001", JANUARY + DAY)
    with open_world(built(tmp_path / "w", LATE, LATER, other)) as world:
        assert world.holdout is not None
        assert world.holdout.orders([USER]) == {USER: [LATE, LATER]}
        assert world.holdout.orders([OTHER, USER, "nobody"]) == {USER: [LATE, LATER], OTHER: [other]}
        (file,) = (tmp_path / "w").glob("gen-*/holdout.jsonl")
        file.write_text("{}\n", encoding="utf-8")
        with pytest.raises(UserError, match=r"holdout\.jsonl, line 1, is no order"):
            world.holdout.orders([USER])
    with open_world(build_shop(tmp_path / "none")) as world:
        assert world.holdout is None
    with open_world(built(tmp_path / "empty")) as world:
        assert world.holdout is not None
        assert world.holdout.orders([USER]) == {}


ARGUMENTS: dict[str, dict[str, object]] = {
    "product_catalog_search": {"query": "bird feeder"},
    "get_product_details": {"product_id": LATE.product_id},
    "get_user_orders": {"user_id": USER},
    "get_order_details": {"order_id": LATE.order_id},
    "get_user_profile": {"user_id": USER},
    "update_user_profile": {"user_id": USER, "first_name": "Ada"},
    "get_user_statistics": {"user_id": USER},
    "web_search": {"query": "bird feeder"},
    "calculator": {"expression": "1 + 1"},
}


def test_no_tool_reads_what_is_held_out(tmp_path: Path) -> None:
    def answers(world: World) -> dict[str, str]:
        with Toolkit(Session(SessionSettings(world, user_id=USER))) as toolkit:
            return {name: toolkit.call(name, arguments).text for name, arguments in ARGUMENTS.items()}

    assert ARGUMENTS.keys() == TOOLS.keys()
    with open_world(built(tmp_path / "w", LATE)) as world:
        holdout = Mock()
        whole = answers(replace(world, holdout=holdout))
        assert not holdout.mock_calls
        assert answers(replace(world, holdout=None)) == whole
    assert [name for name, text in whole.items() if LATE.order_id in text] == ["get_order_details"]
    assert "not_found" in whole["get_order_details"]


def a_query(query_id: str = "q1", user_id: str | None = USER, *kinds: str) -> Query:
    wish = Wish(wants=(Want(name="thing", kinds=kinds),)) if kinds else None
    return Query(query_id=query_id, user_id=user_id, text="A feeder?", source="test", wish=wish)


def frozen(folder: Path, query: Query, *held_out: OrderRow) -> NextPurchase:
    with open_world(built(folder, *held_out)) as world:
        (found,) = next_purchases(world, [query])
    return found


def test_the_purchase_stands_beside_what_sells_best(tmp_path: Path) -> None:
    found = frozen(tmp_path / "w", a_query(), LATE)
    (bought,) = found.bought
    assert (bought.product_id, bought.category, bought.brand) == (LATE.product_id, "Bird Feeders", "Tanagrove")
    assert bought.price_band == "USD 20-40"
    assert found.favourite == "Bird Feeders"
    assert [goods.product_id for goods in found.popular] == [f"B0TEST000{number}" for number in (1, 2, 3, 4)]
    assert found.popular_in_favourite == found.popular


@pytest.mark.parametrize("known", ["", "B0TEST0001"])
def test_a_department_is_nobodys_favourite_category_and_a_known_leaf_is_however_few(tmp_path: Path, known: str) -> None:
    mixed = [
        product if product.product_id == known else product.model_copy(update={"categories": (product.category,)})
        for product in PRODUCTS
    ]
    more = [OrderRow(f"000000001{n}", USER, "B0TEST0004", JANUARY + (2 + n) * DAY) for n in range(3)]
    folder = tmp_path / "w"
    build_world(folder, mixed, sorted((*ORDERS, *more), key=lambda row: row.place), holdout=[LATE])
    with open_world(folder) as world:
        (found,) = next_purchases(world, [a_query()])
    assert found.favourite == ("Bird Feeders" if known else None)
    assert bool(found.popular_in_favourite) == bool(known)
    assert [goods.category for goods in found.bought] == [None]


def test_a_purchase_of_a_wanted_kind_is_wanted(tmp_path: Path) -> None:
    wanted = {("Bird Feeders",): True, ("toy", "feeder"): True, ("toy",): False, (): None}
    with open_world(built(tmp_path / "w", LATE)) as world:
        found = next_purchases(world, [a_query("q1", USER, *kinds) for kinds in wanted])
        assert [each.wanted for each in found] == list(wanted.values())


def test_what_left_the_shop_or_was_cancelled_was_not_bought_and_nobody_bought_nothing(tmp_path: Path) -> None:
    gone = OrderRow("0000000011", USER, "B0GONE0001", JANUARY + 20 * DAY)
    found = frozen(tmp_path / "gone", a_query(), gone)
    assert (found.bought, found.gone, found.wanted) == ((), ("B0GONE0001",), None)
    cancelled = frozen(tmp_path / "void", a_query(), LATE._replace(order_status="Cancelled"))
    assert (cancelled.bought, cancelled.gone) == ((), ())
    nobody = frozen(tmp_path / "w", a_query("q1", None), LATE)
    assert (nobody.user_id, nobody.bought, nobody.favourite) == (None, (), None)
    assert frozen(tmp_path / "v", a_query()).bought == ()
    with open_world(build_shop(tmp_path / "nothing held out")) as world:
        assert list(next_purchases(world, [a_query()])) == []


def test_the_first_purchase_that_was_frozen_stays_and_new_queries_get_theirs(tmp_path: Path) -> None:
    definition = Definition(world_fingerprint="f", tool_schema_hash="t")
    with Experiment(tmp_path / "exp", definition) as experiment:
        for name, purchases in (("first", (LATE,)), ("second", (LATE._replace(product_id="B0TEST0004"),))):
            with open_world(built(tmp_path / name, *purchases)) as world:
                queries = [a_query(), a_query("q2")] if name == "second" else [a_query()]
                freeze_next_purchases(experiment, world, queries)
    kept = [read_rubric(tmp_path / "exp", "next_purchase", name, NextPurchase) for name in ("q1", "q2", "q3")]
    assert [None if each is None else each.bought[0].product_id for each in kept] == ["B0TEST0002", "B0TEST0004", None]


def numbered(number: int, file: str, *path: str, popular: int = 10, title: str = "Thing") -> Product:
    return Product(
        product_id=f"B{number:03}", title=f"{title} {number}", categories=path, category=file, rating_number=popular
    )


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory, web: Web) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("files") / "world"
    products = [
        numbered(1, "Pet_Supplies", "Pet Supplies", "Bowls"),
        numbered(2, "Pet_Supplies", "Pet Supplies", "Bowls"),
        numbered(3, "Home_and_Kitchen", "Home & Kitchen", "Bowls"),
        numbered(4, "Pet_Supplies", "Pet Supplies", "Accessories", title="Leash for a Tent Stake"),
        *(numbered(5 + at, "Sports", "Sports", "Camping", title="Dome Tent") for at in range(2)),
        *(numbered(10 + at, "Office_Products", "Office Products", "Accessories", popular=5) for at in range(60)),
        *(numbered(100 + at, "Baby_Products", "Baby Products", "Accessories", popular=50) for at in range(30)),
    ]
    build_world(folder, products)
    with open_world(folder, web=web) as world:
        yield world


@pytest.mark.parametrize(
    ("kind", "file"),
    [
        ("Bowls", "Pet_Supplies"),  # from which most of its products came
        ("Accessories", "Baby_Products"),  # of a large category the popular products decide
        *((name, "Home_and_Kitchen") for name in ("Home_and_Kitchen", "home & kitchen", "Home and Kitchen")),
        *((noun, "Sports") for noun in ("dome tent", "tent")),  # of the products that are of its kind
    ],
)
def test_a_category_a_file_or_a_noun_is_of_a_file(shop: World, kind: str, file: str) -> None:
    assert file_categories(shop, [kind]) == {kind: file}


def test_an_unknown_kind_is_left_out_and_kinds_of_one_file_are_one(shop: World) -> None:
    kinds = ("Bowls", "pet supplies", "Home & Kitchen", "rocket")
    queries = [a_query("q2", None, *kinds), a_query("q1", None, "rocket"), a_query("q3")]
    assert wanted_categories(shop, queries) == {"q2": ("Pet_Supplies", "Home_and_Kitchen")}
