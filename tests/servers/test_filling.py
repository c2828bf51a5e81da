"""A load that was cut, whatever it was of, ends as if it had never been: tried without an index."""

import random
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

import pytest
from pymongo.collection import Collection

from drretail.env.servers import loading
from drretail.env.servers.clients import Document, Patience, Servers
from drretail.env.servers.live_generation import collections_of, writer_lease
from drretail.env.servers.loading import Load, Noted, Unfinished, drop_unfinished, find_unfinished
from drretail.env.world import OrderRow
from drretail.records.shop import Product

SEEDS = range(8)
Row = TypeVar("Row")
Shop = tuple[list[Product], list[OrderRow]]


class Cut(Exception):
    """The process that loads ends here."""


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "PRODUCTS_AT_ONCE", 3)
    monkeypatch.setattr(loading, "ORDERS_AT_ONCE", 4)


def a_shop(draw: random.Random) -> Shop:
    products = [
        Product(
            product_id=f"B{number:02}", title=draw.choice("ab"), price=draw.choice([1, 2.5]), category="Pet_Supplies"
        )
        for number in sorted(draw.sample(range(30), draw.randint(1, 10)))
    ]
    orders = [
        OrderRow(f"{number:03}", draw.choice("UVWX"), draw.choice(products).product_id, draw.randint(1, 5))
        for number in draw.sample(range(60), draw.randint(0, 20))
    ]
    orders.sort(key=lambda row: row.place)
    return products, orders


def changed(shop: Shop, draw: random.Random) -> Shop:
    """The same shop up to some place, as after a command with another option."""
    products, orders = shop
    way = draw.randrange(4)
    if way == 0:
        products = [*products[:-1], products[-1].model_copy(update={"price": 9.75})]
    elif way == 1:
        orders = orders[: draw.randint(0, len(orders))]
    elif way == 2 and orders:
        place = draw.randrange(len(orders))
        orders = [*orders[:place], orders[place]._replace(quantity=7), *orders[place + 1 :]]
    return products, orders


@dataclass
class Scissors:
    """Ends a load after some rows were read, or before some batch was noted."""

    rows: int | None = None
    notes: int | None = None

    def through(self, rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            if self.rows is not None:
                self.rows -= 1
                if self.rows < 0:
                    raise Cut
            yield row

    def at_note(self) -> None:
        if self.notes is not None:
            self.notes -= 1
            if self.notes < 0:
                raise Cut


def fill(servers: Servers, shop: Shop, monkeypatch: pytest.MonkeyPatch, scissors: Scissors | None = None) -> int:
    """Loads the shop and gives the generation's number."""
    scissors = scissors or Scissors()
    note = Unfinished.note

    def noted(self: Unfinished, stream: Noted, batch: int, mark: str) -> None:
        scissors.at_note()
        note(self, stream, batch, mark)

    with monkeypatch.context() as patch, writer_lease(servers) as lease:
        patch.setattr(Unfinished, "note", noted)
        unfinished = find_unfinished(servers)
        load = Load(servers, unfinished, lease, Patience(seconds=1))
        products, orders = shop
        load.fill_products(scissors.through(products))
        load.fill_orders(scissors.through(orders))
        return unfinished.number


def contents(servers: Servers, number: int) -> dict[str, list[Document]]:
    collections = collections_of(servers.database, number)
    return {name: list(collection.find().sort("_id")) for name, collection in collections.items()}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_cut_load_never_shows(servers: Servers, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    draw = random.Random(seed)
    last = a_shop(draw)
    number = fill(servers, last, monkeypatch)
    wanted = contents(servers, number)
    drop_unfinished(servers, number)
    total = sum(map(len, last))
    for shop in (last, changed(last, draw), last, changed(last, draw)):
        scissors = Scissors(rows=draw.randrange(total)) if draw.random() < 0.5 else Scissors(notes=draw.randrange(4))
        with suppress(Cut):
            fill(servers, shop, monkeypatch, scissors)
    assert contents(servers, fill(servers, last, monkeypatch)) == wanted


def some_products(count: int) -> list[Product]:
    return [Product(product_id=f"B{number}", title="a", category="Pet_Supplies") for number in range(count)]


def test_a_user_of_two_batches_is_summed_up_anew(servers: Servers, monkeypatch: pytest.MonkeyPatch) -> None:
    orders = [OrderRow(str(number), "U", "B1", number) for number in range(6)]
    fill(servers, (some_products(2), orders), monkeypatch)
    number = fill(servers, (some_products(2), orders[:5]), monkeypatch)
    assert [user["n_orders"] for user in contents(servers, number)["users"]] == [5]


def test_what_is_safe_is_not_written_again(servers: Servers, monkeypatch: pytest.MonkeyPatch) -> None:
    shop: Shop = (some_products(8), [OrderRow(str(number), f"U{number}", "B1", 5) for number in range(9)])
    with pytest.raises(Cut):
        fill(servers, shop, monkeypatch, Scissors(rows=8 + 6))
    written: list[str] = []

    def counted(collection: Collection[Document], documents: Sequence[Document]) -> None:
        written.extend(f"{collection.name}:{document['_id']}" for document in documents)
        insert(collection, documents)

    insert = loading.insert
    monkeypatch.setattr(loading, "insert", counted)
    number = fill(servers, shop, monkeypatch)
    assert number == 1
    assert sorted(written) == [*(f"g1_orders:{n}" for n in range(4, 9)), *(f"g1_users:U{n}" for n in range(3, 9))]


def test_an_order_id_that_occurs_twice_is_named(servers: Servers, monkeypatch: pytest.MonkeyPatch) -> None:
    first, last = OrderRow("1", "U", "B1", 5), OrderRow("1", "V", "B1", 5)
    between = [OrderRow(f"x{n}", "U", "B1", 6) for n in range(5)]
    for orders in ([first, last], [first, *between, last]):
        with pytest.raises(ValueError, match="twice in g1_orders: '1'"):
            fill(servers, (some_products(2), orders), monkeypatch)


def test_leftovers_of_another_layout_are_dropped(servers: Servers, monkeypatch: pytest.MonkeyPatch) -> None:
    find_unfinished(servers).note("products", 0, "mark")
    servers.database["g1_products"].insert_one({"_id": "B1"})
    monkeypatch.setattr(loading, "LAYOUT", 0)
    assert find_unfinished(servers).hashes["products"] == []
    assert servers.database["g1_products"].count_documents({}) == 0
