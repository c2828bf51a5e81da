"""A tiny shop: four bird products, two users, one web page."""

from functools import cache
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory, gettempdir

from drretail.env.web.sandbox import SandboxPage
from drretail.env.world import OrderRow
from drretail.records.shop import Product
from tests.build import build_world

USER, OTHER = "AE" + "X" * 26, "AF" + "Y" * 26
DAY = 86_400_000
JANUARY = 1_672_531_200_000  # 2023-01-01


def a_product(number: int, title: str, price: float | None) -> Product:
    return Product(
        product_id=f"B0TEST000{number}",
        title=title,
        features=("Weatherproof",),
        price=price,
        average_rating=4.5,
        rating_number=100,
        store="Tanagrove",
        categories=("Patio, Lawn & Garden", "Bird Feeders"),
        category="Patio_Lawn_and_Garden",
    )


PRODUCTS = [
    a_product(1, "Tanagrove Tube Bird Feeder, 18 inch", 24.99),
    a_product(2, "Tanagrove Hopper Bird Feeder, Cedar", 39.5),
    a_product(3, "Tanagrove Window Bird Feeder", None),
    a_product(4, "Tanagrove Bird Bath", 55.0),
]
ORDERS = [
    OrderRow("0000000001", USER, "B0TEST0004", JANUARY),
    OrderRow("0000000002", USER, "B0TEST0001", JANUARY + DAY),
    OrderRow("0000000003", OTHER, "B0TEST0002", JANUARY),
]
PAGES = [SandboxPage(url="https://birds.example/clean", title="Cleaning", text="Clean a bird feeder every two weeks.")]


# As it is before a test puts another in its place, which goes with that test.
_TEMPORARY = gettempdir()


@cache
def _built() -> TemporaryDirectory[str]:
    """Of one process, which copies it from there: to write it takes twenty times as long."""
    folder = TemporaryDirectory(prefix="drretail-shop-", dir=_TEMPORARY)
    build_world(Path(folder.name), PRODUCTS, ORDERS)
    return folder


def build_shop(folder: Path) -> Path:
    """The shop as a world in ``folder``."""
    return Path(copytree(_built().name, folder, dirs_exist_ok=True))
