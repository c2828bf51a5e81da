"""A shop in which each of the saboteur's mistakes can be made: a good product, an owned, an unwanted and a dear one."""

from pathlib import Path

from drretail.env.web.sandbox import SandboxPage
from drretail.env.world import OrderRow, default_pool, write_world
from drretail.records.query import Query
from drretail.records.shop import Money, Product
from drretail.records.wish import Want, Wish
from tests.shop import DAY, JANUARY, USER

OWNED, UNWANTED, GOOD, DEAR, BATH, SEED = (f"B0SABOT00{number}" for number in range(1, 7))
INVENTED = "B0INVENTED"


def _product(product_id: str, title: str, price: float, store: str) -> Product:
    return Product(
        product_id=product_id,
        title=title,
        features=("Weatherproof", "Easy to clean"),
        price=price,
        average_rating=4.5,
        rating_number=120,
        store=store,
        categories=("Patio, Lawn & Garden", "Bird Feeders"),
        category="Patio_Lawn_and_Garden",
        details={"Brand": store},
    )


PRODUCTS = [
    _product(OWNED, "Tanagrove Tube Bird Feeder, 18 inch", 24.99, "Tanagrove"),
    _product(UNWANTED, "Wrenfield Hopper Bird Feeder, Cedar", 27.5, "Wrenfield"),
    _product(GOOD, "Larkhall Window Bird Feeder, Clear", 18.75, "Larkhall"),
    _product(DEAR, "Larkhall Metal Bird Feeder, Squirrel Proof", 62.0, "Larkhall"),
    _product(BATH, "Larkhall Bird Bath, Stone", 55.0, "Larkhall"),
    _product(SEED, "Larkhall Small Bird Feeder for Seed", 8.5, "Larkhall"),
]
ORDERS = [OrderRow("0000000001", USER, OWNED, JANUARY), OrderRow("0000000002", USER, BATH, JANUARY + DAY)]
PAGES = [
    SandboxPage(url="https://birds.example/clean", title="Cleaning", text="Clean a bird feeder every two weeks."),
    SandboxPage(
        url="https://birds.example/place",
        title="Where to hang a bird feeder",
        text="Hang a window bird feeder within three feet of the glass, so that birds cannot gather speed.",
    ),
]
QUERY = Query(
    query_id="q1",
    user_id=USER,
    text="I need a new bird feeder under $60. Nothing from Wrenfield, please. Do not suggest what I already own.",
    wish=Wish(
        wants=(Want(name="bird feeder", kinds=("bird feeder",), brands_unwanted=("Wrenfield",)),), budget=Money.of(60)
    ),
    source="test",
)


def build_shop(folder: Path) -> Path:
    """The shop as a world in ``folder``."""
    write_world(folder, products=PRODUCTS, orders=ORDERS, seed="42", pool=default_pool())
    return folder
