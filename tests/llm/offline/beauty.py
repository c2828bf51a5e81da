"""A second made-up shop, of titles and ratings only, of kinds that the pages of the web do not cover."""

from pathlib import Path

from drretail.env.web.sandbox import SandboxPage, SandboxWeb
from drretail.env.world import OrderRow, World, default_pool, open_world, write_world
from drretail.records.shop import Product

from .shop import JANUARY

OWNER = "AE" + "Z" * 26
_TITLES: list[tuple[str, float, int]] = [
    ("Lumefield Makeup Brush Set, 12 Pieces", 4.6, 300),
    ("Corvane Rotating Makeup Organizer and Makeup Brush Holder", 4.2, 90),
    ("Tansy Foot Spa Set for Girls with Nail Drill, Kids Pedicure", 4.4, 60),
    ("Ostrane Electric Nail Drill", 4.3, 120),
    ("Halewyn Hair Mask with Argan Oil", 3.8, 40),
    ("Quillane Hair Mask, Deep Repair", 3.8, 400),
    ("Dovecairn Travel Set with Shampoo, Hair Mask and Soap", 4.9, 900),
    ("Ostrane Nail Drill, Cordless", 4.1, 80),
    ("Lumefield Mascara, Waterproof", 4.2, 60),
    ("Corvane Mascara with Talc", 4.8, 700),
    ("Halewyn Bronzer Duo", 4.5, 90),
    ("Quillane Bronzer", 4.0, 70),
]
BRUSHES, ORGANIZER, FOOT_SPA, DRILL, FEW, MANY, KIT, CORDLESS, MASCARA, TALC, BRONZER, OTHER_BRONZER = (
    f"B0BEAU{number:04}" for number in range(1, 13)
)
_ORDERED = (ORGANIZER, FOOT_SPA, BRONZER)
PAGES = [
    SandboxPage(
        url="https://sleep.example/noise",
        title="White noise machine: how loud",
        text="Place a white noise machine 7 feet from the bed to mask street noise. Never run it at full volume.",
        date="2022-05-01",
    ),
    SandboxPage(url="https://glow.example/b", title="Bronzer", text="Our bronzer: 5 shades", date="2022-05-01"),
]


def build_beauty_world(folder: Path) -> World:
    products = [
        Product(
            product_id=f"B0BEAU{number:04}",
            title=title,
            price=None,
            average_rating=rating,
            rating_number=ratings,
            store=title.split()[0],
            category="All_Beauty",
            categories=(),
        )
        for number, (title, rating, ratings) in enumerate(_TITLES, 1)
    ]
    orders = [
        OrderRow(f"000000001{place}", OWNER, product_id, JANUARY + place) for place, product_id in enumerate(_ORDERED)
    ]
    write_world(folder, products=products, orders=orders, seed="42", pool=default_pool())
    return open_world(folder, web=SandboxWeb(PAGES))
