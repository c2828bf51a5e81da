"""A shop in which two users want nothing of each other's: one buys for birds, the other for dogs."""

from pathlib import Path

from drretail.env.world import OrderRow
from drretail.records.shop import Product
from tests.build import build_world

BIRDS, DOGS = "AE" + "B" * 26, "AF" + "D" * 26
DAY, BEGAN = 86_400_000, 1_672_531_200_000


KINDS = (
    ("BIRD", "Tanagrove Bird Feeder", "Patio_Garden", "Bird Feeders", 10),
    ("DOGS", "Napperly Dog Bed", "Pet_Supplies", "Dog Beds", 80),
)
PRODUCTS = [
    Product(
        product_id=f"B0{code}000{n}",
        title=f"{name}, Model {n}",
        price=price + n,
        average_rating=4.5,
        rating_number=100,
        store=name.split()[0],
        categories=(category.replace("_", " "), leaf),
        category=category,
    )
    for code, name, category, leaf, price in KINDS
    for n in range(5)
]
ORDERS = [
    *(OrderRow(f"000000010{n}", BIRDS, f"B0BIRD000{n}", BEGAN + n * DAY) for n in range(3)),
    *(OrderRow(f"000000020{n}", DOGS, f"B0DOGS000{n}", BEGAN + n * DAY) for n in range(4)),
]


def build_shop(folder: Path) -> Path:
    """The shop as a world in ``folder``."""
    build_world(folder, PRODUCTS, ORDERS)
    return folder
