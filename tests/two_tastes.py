"""A shop in which two users want nothing of each other's: one buys for birds, the other for dogs."""

from pathlib import Path

from drretail.env.world import OrderRow, default_pool, write_world
from drretail.records.shop import Product

BIRDS, DOGS = "AE" + "B" * 26, "AF" + "D" * 26
DAY, BEGAN = 86_400_000, 1_672_531_200_000


def a_product(product_id: str, title: str, brand: str, category: str, leaf: str, price: float) -> Product:
    return Product(
        product_id=product_id,
        title=title,
        price=price,
        average_rating=4.5,
        rating_number=100,
        store=brand,
        categories=(category.replace("_", " "), leaf),
        category=category,
    )


PRODUCTS = [
    *(
        a_product(
            f"B0BIRD000{n}", f"Tanagrove Bird Feeder, Model {n}", "Tanagrove", "Patio_Garden", "Bird Feeders", 10 + n
        )
        for n in range(5)
    ),
    *(
        a_product(f"B0DOGS000{n}", f"Napperly Dog Bed, Model {n}", "Napperly", "Pet_Supplies", "Dog Beds", 80 + n)
        for n in range(5)
    ),
]
ORDERS = [
    *(OrderRow(f"000000010{n}", BIRDS, f"B0BIRD000{n}", BEGAN + n * DAY) for n in range(3)),
    *(OrderRow(f"000000020{n}", DOGS, f"B0DOGS000{n}", BEGAN + n * DAY) for n in range(4)),
]


def build_shop(folder: Path) -> Path:
    """The shop as a world in ``folder``."""
    write_world(folder, products=PRODUCTS, orders=ORDERS, seed="42", pool=default_pool())
    return folder
