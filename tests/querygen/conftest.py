"""A made-up shop with several products of every kind that query generation knows, and shoppers of all sorts."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from drretail.env.web.sandbox import SandboxWeb
from drretail.env.world import OrderRow, World, default_pool, open_world, write_world
from drretail.querygen.knowledge import kinds
from drretail.records.shop import Product

DAY = 86_400_000
START = 1_640_995_200_000  # 2022-01-01
BRANDS = ("Tallow", "Brightwater", "Nordlys", "Pemberly", "Ostrava")
PER_KIND = 5

MakeWorld = Callable[..., World]


def product_id(kind: str, number: int) -> str:
    """The id of a product of a kind, numbers from 0; the price is 10 + 7 for each number."""
    return f"P{list(kinds()).index(kind):03}{number}"


def products(*, prices: bool = True, paths: bool = True) -> list[Product]:
    made = [
        Product(
            product_id=product_id(name, number),
            title=f"{BRANDS[number]} {kind.titles[0].title() if kind.titles else name.title()}, Size {number}, Blue",
            features=(f"It is {kind.must[0]}" if kind.must and number % 2 else "Does what it says",),
            price=10.0 + 7 * number if prices else None,
            average_rating=3.5 + 0.3 * number,
            rating_number=30 * number,
            store=BRANDS[number],
            categories=("Everything", name.title()) if paths else ("Home_and_Kitchen",),
            category="Home_and_Kitchen",
        )
        for name, kind in kinds().items()
        for number in range(PER_KIND)
    ]
    odd = Product(product_id="X1", title="Zorblax 9000 (Deluxe)", category="Home_and_Kitchen", price=3.0)
    return sorted([*made, odd], key=lambda product: product.product_id)


def bought(user_id: str, *names: str, number: int = 1, status: str = "Delivered", first: int = 0) -> list[OrderRow]:
    """One order of each kind, ten days apart."""
    return [
        OrderRow(
            f"{sum(map(ord, user_id)) % 1000:03}{first + place:07}",
            user_id,
            product_id(name, number),
            START + (first + place) * 10 * DAY,
            1,
            status,
        )
        for place, name in enumerate(names)
    ]


def orders() -> list[OrderRow]:
    rows = [
        *bought("ANNA", "bird feeder", "shampoo", "dog bed", "facial moisturizer", "desk lamp", "cordless drill"),
        *bought("ANNA", "shampoo", first=20),
        *bought("BERT", "cast iron skillet"),
        *bought("CARA", "weighted blanket", "nail polish set", "planner", "gel pen set", "humidifier"),
        *bought("DORA", "bird bath", "hair clips", status="Returned"),
        OrderRow("9990000001", "EMIL", "X1", START, 1, "Delivered"),
        *bought("FAYE", "cat litter mat", "cat scratching post", "pet grooming brush", "essential oil set"),
        *bought("GUNN_1", "swaddle blanket", "crib sheet", "mascara"),
        *bought("GUNN_2", "headlamp", "smoke detector", "LED light bulbs", "tape measure"),
    ]
    return sorted(rows, key=lambda row: row.place)


@pytest.fixture(scope="session")
def make_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MakeWorld]:
    """Writes and opens a world of some products and orders."""
    opened: list[World] = []

    def make(some_products: list[Product], some_orders: list[OrderRow]) -> World:
        folder: Path = tmp_path_factory.mktemp("worlds") / "world"
        write_world(folder, products=some_products, orders=some_orders, seed=42, pool=default_pool())
        opened.append(open_world(folder, web=SandboxWeb([])))
        return opened[-1]

    yield make
    for world in opened:
        world.close()


@pytest.fixture(scope="session")
def world(make_world: MakeWorld) -> World:
    return make_world(products(), orders())


@pytest.fixture(scope="session")
def rich_world(make_world: MakeWorld) -> World:
    """Every kind is owned by a shopper of its own: what is used up for weeks, what lasts for more than a year."""
    recent = bought("ZZ", "planner", first=90)  # the newest order makes the shop's today
    rows = [
        row
        for place, (name, kind) in enumerate(kinds().items())
        for row in bought(f"U{place:03}", name, first=85 if kind.uses_up else 48)
    ]
    numbered = [row._replace(order_id=f"{place:010}") for place, row in enumerate([*rows, *recent])]
    return make_world(products(), sorted(numbered, key=lambda row: row.place))
