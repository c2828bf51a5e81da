"""What a model reads of any of the nine tools is the same text on servers as embedded."""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

import pytest

from drretail.env.session import Session
from drretail.env.world import World
from drretail.records.shop import Product
from drretail.tools.registry import TOOLS
from drretail.tools.toolkit import Toolkit
from tests.servers.parity.drawn import Shelf, drawn

CALLS = 60


class Shop:
    """What arguments are drawn from; now and then an id is one that the shop lacks."""

    def __init__(self, products: Sequence[Product], users: Sequence[str], orders: Sequence[str]) -> None:
        self.shelf = Shelf(products)
        self.users, self.orders = users, orders
        self.products = [product.product_id for product in products]

    def one(self, ids: Sequence[str], random: Random) -> str:
        return random.choice(ids) if random.random() < 0.9 else f"{random.choice(ids)[:-1]}?"


def search(shop: Shop, random: Random) -> dict[str, Any]:
    query = random.choice(drawn("mixed", shop.shelf, 200))
    given = {name: getattr(query, name) for name in query.__slots__ if name != "text"}
    return {"query": query.text, **{name: value for name, value in given.items() if value is not None}}


def orders(shop: Shop, random: Random) -> dict[str, Any]:
    page = {"limit": random.choice([1, 5, 50]), "offset": random.choice([0, 0, 3])}
    status = random.choice([{}, {"status": "Delivered"}, {"status": "Returned"}])
    return {"user_id": shop.one(shop.users, random), **page, **status}


def update(shop: Shop, random: Random) -> dict[str, Any]:
    acting = shop.users[:1]  # nobody else's profile can be changed
    return {
        "user_id": shop.one(acting, random),
        "first_name": random.choice(["İpek", "Ann"]),
        "address": {"city": "東京"},
    }


DRAWS: dict[str, Callable[[Shop, Random], dict[str, Any]]] = {
    "product_catalog_search": search,
    "get_product_details": lambda shop, random: {"product_id": shop.one(shop.products, random)},
    "get_user_orders": orders,
    "get_order_details": lambda shop, random: {"order_id": shop.one(shop.orders, random)},
    "get_user_profile": lambda shop, random: {"user_id": shop.one(shop.users, random)},
    "get_user_statistics": lambda shop, random: {"user_id": shop.one(shop.users, random)},
    "update_user_profile": update,
    "web_search": lambda shop, random: {"query": shop.shelf.some_words(random)},
    "calculator": lambda _, random: {"expression": f"{random.randint(1, 9)} * 2"},
}


@pytest.fixture(scope="module")
def shop(embedded: World, products: list[Product], users: list[str]) -> Shop:
    ids = [order.order_id for user_id in users for order in embedded.store.orders(user_id).orders]
    return Shop(products, users, ids)


@pytest.fixture
def toolkits(embedded: World, served: World, users: list[str]) -> Iterator[tuple[Toolkit, Toolkit]]:
    def toolkit(world: World) -> Toolkit:
        return Toolkit(Session(world, user_id=users[0], scope="any"))

    with toolkit(embedded) as here, toolkit(served) as there:
        yield here, there


def test_every_tool_is_compared() -> None:
    assert DRAWS.keys() == TOOLS.keys()


@pytest.mark.parametrize("tool", DRAWS)
def test_a_tool_answers_with_the_same_text(toolkits: tuple[Toolkit, Toolkit], shop: Shop, tool: str) -> None:
    here, there = toolkits
    answered = 0
    for number in range(CALLS):
        args = DRAWS[tool](shop, Random(f"{tool}/{number}"))
        one, other = here.call(tool, args), there.call(tool, args)
        assert (other.text, other.evidence, other.error) == (one.text, one.evidence, one.error), args
        answered += one.error is None
    assert answered > CALLS / 2
    assert there.session.state_diff() == here.session.state_diff()
    ledgers = [kit.session.ledger.evidence() for kit in (here, there)]
    assert ledgers[0] == ledgers[1]
