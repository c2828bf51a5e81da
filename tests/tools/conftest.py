"""A shop made up for the tools: ties, missing prices, letters of many scripts, orders of every status."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from drretail.env.session import Session, SessionSettings
from drretail.env.web.base import WebPage, WebResult
from drretail.env.web.sandbox import SandboxPage, SandboxWeb
from drretail.env.world import OrderRow, World, world_at
from drretail.records.shop import OrderStatus, Product
from drretail.tools.toolkit import Toolkit, ToolReply
from tests.places import Place, PlaceKind

ANNA, BORIS, NOBODY = "AEANNA0000000000000000000001", "AEBORIS000000000000000000001", "AENOBODY00000000000000000001"
DAY = 86_400_000
JANUARY = 1_672_531_200_000
"""2023-01-01 in milliseconds."""


def product(number: int, title: str, price: float | None = None, **fields: Any) -> Product:
    given: dict[str, Any] = {
        "average_rating": 4.0,
        "rating_number": 10,
        "store": "Tanagrove",
        "categories": ("Patio, Lawn & Garden", "Birds", "Bird Feeders"),
        "category": "Patio_Lawn_and_Garden",
    }
    return Product(product_id=f"B0TOOLS{number:03}", title=title, price=price, **(given | fields))


PRODUCTS = [
    product(
        1, "Tanagrove tube bird feeder", 24.99, average_rating=4.6, rating_number=900, details={"Brand": "Tanagrove"}
    ),
    product(2, "Tanagrove hopper bird feeder of cedar", 39.5, average_rating=4.2, rating_number=1200),
    product(3, "Tanagrove window bird feeder", None, average_rating=4.6, rating_number=5, description=("Clear.",)),
    product(4, "Tanagrove tube bird feeder, green", 24.99, average_rating=None, rating_number=None, store=None),
    product(5, "Squirrel proof feeder for birds", 10.0, price_from=True, features=("A bird feeder with a cage",)),
    product(6, "Dog bed, orthopedic", 59.0, categories=("Pet Supplies", "Dogs", "Beds"), category="Pet_Supplies"),
    product(7, "Pájaro 🐦 鳥の餌台 Füllstation", 15.25, categories=("Pet Supplies",), category="Pet_Supplies"),
]


def order(
    number: int, user_id: str, sold: int, day: int, status: OrderStatus = "Delivered", quantity: int = 1
) -> OrderRow:
    return OrderRow(f"{number:010}", user_id, f"B0TOOLS{sold:03}", JANUARY + day * DAY + 735, quantity, status)


ORDERS = [
    order(1, ANNA, 1, 0, quantity=2),
    order(2, ANNA, 3, 30),
    order(3, ANNA, 1, 60, "Returned"),
    order(5, ANNA, 6, 90, "Shipped"),
    order(4, ANNA, 2, 90),
    order(9, BORIS, 7, 10),
]
PAGES = [
    SandboxPage(
        url="https://birds.example/height",
        title="How high to hang a bird feeder",
        text="Hang a feeder about five feet above the ground. Keep it away from branches that squirrels jump from.",
        date="2023-04-01",
    ),
    SandboxPage(url="https://dogs.example/beds", title="Dog beds", text="An older dog rests well on a thick bed."),
]


class ListWeb:
    """Answers every search with the same results, and keeps what it is asked.

    ``page`` is the text, title and date of every page; without it there is none.
    """

    provider = "list"
    corpus = None

    def __init__(self, *results: WebResult, page: str = "") -> None:
        self._results = results or (WebResult("A", "https://a.example/", "of a"),)
        self._page = page
        self.asked: list[str] = []

    def search(self, query: str, k: int) -> list[WebResult]:
        self.asked.append(query)
        return list(self._results[:k])

    def fetch(self, url: str) -> WebPage:
        return WebPage(url, self._page, self._page, "ok" if self._page else "error", self._page)


@pytest.fixture(scope="session")
def shop_folder(new_place: Callable[[PlaceKind], Place]) -> Path:
    place = new_place("embedded")
    place.write(PRODUCTS, ORDERS)
    return Path(place.spec)


@pytest.fixture(scope="session")
def world(shop_folder: Path) -> Iterator[World]:
    """The shop; that its rows and searches are the same on servers is a matter of ``tests/env``."""
    with world_at(shop_folder, web=SandboxWeb(PAGES)) as opened:
        yield opened


@pytest.fixture
def session(world: World) -> Session:
    """Anna's session, which shows no other user's data."""
    return Session(SessionSettings(world, user_id=ANNA))


@pytest.fixture
def toolkit(session: Session) -> Toolkit:
    return Toolkit(session)


@pytest.fixture
def anyones(world: World) -> Toolkit:
    """Anna's tools, which show any user's data, as in the paper."""
    return Toolkit(Session(SessionSettings(world, user_id=ANNA, scope="any")))


def error_of(reply: ToolReply) -> dict[str, Any]:
    """The error of a reply that must be one."""
    assert set(reply.value) == {"error"}, reply.text
    return reply.value["error"]
