"""A small shop that every test of ``env`` may use."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from drretail.env.clients import Servers, connect
from drretail.env.naming import ServerSettings
from drretail.env.web.base import Web
from drretail.env.web.sandbox import SandboxWeb
from drretail.env.world import Manifest, OrderRow, World, world_at
from drretail.records.shop import Product
from tests.build import build_world

DAY = 86_400_000
START = 1_600_000_000_000  # 2020-09-13T12:26:40Z


@pytest.fixture(scope="session")
def web() -> Web:
    """A web without pages."""
    return SandboxWeb([])


@pytest.fixture(scope="session")
def products() -> list[Product]:
    garden: dict[str, Any] = {
        "categories": ("Patio, Lawn & Garden", "Bird Feeders"),
        "category": "Patio_Lawn_and_Garden",
    }
    return [
        Product(
            product_id="B01",
            title="Copper bird feeder",
            features=("Holds two pounds of seed",),
            price=24.5,
            average_rating=4.5,
            rating_number=120,
            store="Wingspan",
            details={"Brand": "Robin & Co", "Best Sellers Rank": {"Bird Feeders": 3}},
            **garden,
        ),
        Product(
            product_id="B02",
            title="Bird bath with stand",
            average_rating=3.9,
            rating_number=8,
            store="Wingspan",
            **garden,
        ),
        Product(
            product_id="B03",
            title="Gel pen set, 12 colors",
            description=("Writes smoothly. Bird motif on the cap.",),
            price=9.99,
            categories=("Office_Products",),
            category="Office_Products",
        ),
        Product(
            product_id="B04",
            title="☆",
            features=("A product whose title holds no word",),
            price=3.0,
            average_rating=5.0,
            rating_number=1,
            category="Office_Products",
        ),
    ]


@pytest.fixture(scope="session")
def orders() -> list[OrderRow]:
    rows = [
        OrderRow("0000000001", "ANNA", "B01", START, 2, "Delivered"),
        OrderRow("0000000002", "ANNA", "B02", START + DAY, 1, "Delivered"),
        OrderRow("0000000003", "ANNA", "B01", START + 60 * DAY, 1, "Shipped"),
        OrderRow("0000000004", "ANNA", "B03", START + 61 * DAY, 5, "Cancelled"),
        OrderRow("0000000006", "BERT", "B03", START, 1, "Returned"),
        OrderRow("0000000005", "CARA_1", "B03", START + 2 * DAY, 1, "Delivered"),
        OrderRow("0000000007", "CARA_1", "B03", START + 2 * DAY, 3, "Delivered"),
    ]
    return sorted(rows, key=lambda row: row.place)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a test's world goes."""
    return tmp_path / "world"


@pytest.fixture
def manifest(folder: Path, products: list[Product], orders: list[OrderRow]) -> Manifest:
    """The world of this shop, written."""
    return build_world(folder, products, orders)


@pytest.fixture
def world(folder: Path, manifest: Manifest, web: Web) -> Iterator[World]:
    del manifest
    with world_at(folder, web=web) as opened:
        yield opened


@pytest.fixture
def servers(server_settings: ServerSettings, fresh_name: str) -> Iterator[Servers]:
    """Connections to both servers, for a world that is not there yet."""
    with connect(server_settings, fresh_name) as opened:
        yield opened
