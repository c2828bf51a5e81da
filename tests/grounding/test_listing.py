"""Which products are of a kind, by leaf category or the noun of the title. offer: tests/grounding/test_cart.py."""

from drretail.grounding.listing import is_of_kind
from drretail.records.shop import Product


def titled(title: str, *path: str) -> Product:
    return Product(product_id="B1", title=title, category="Home_and_Kitchen", categories=("Home & Kitchen", *path))


COFFEE = titled("Brewhaven Caffettiera, 34 oz", "Coffee", "French Presses")
FEEDER = titled("Larkhall Window Bird Feeder for Small Birds, Clear", "Outdoor Decor")


KINDS = [
    # a leaf category and its noun, however they are written; no department, no word and no unknown word
    (COFFEE, "French Presses | french press | FRENCH  PRESS | presses", "Home & Kitchen |  | … | rocket"),
    # the noun of the title, where the category does not tell
    (FEEDER, "bird feeder | Feeder | window bird feeders", "feeder for birds"),
    # what holds the words and is another thing
    (titled("French Press Replacement Filter, Stainless Steel"), "", "french press"),
    (titled("Bird Bath, Stone"), "", "bird feeder"),
    # number, color, packing and case make no other kind
    (titled("Thimbletot Diaper Bag, Black, 32 L"), "diaper bag", ""),
    (titled("Women's Rain Boots"), "women's rain boot", ""),
    # what a thing is for is no kind, in whichever category it is
    (titled("Battery for JBL Charge 3 Speaker", "Portable Speakers"), "", "portable speaker"),
    (titled("Hard Case Fits Sony Bluetooth Speaker (Red)", "Speakers"), "", "speaker"),
    (titled("Decal for phone, laptop, water bottle"), "", "water bottle"),
    (titled("For JBL Charge 3: Battery", "Batteries"), "batteries", ""),
    (titled("Claw Hair Clips for Women", "Clips & Barrettes"), "Clips & Barrettes", ""),
    # of two names of a leaf the title's
    (titled("Silicone Bib, Grey", "Baby", "Bibs & Burp Cloths"), "bib", "burp cloth"),
]


def test_a_kind_is_told_by_leaf_category_or_the_noun_of_the_title() -> None:
    for item, kinds, others in KINDS:
        assert [kind for kind in kinds.split(" | ") if kind and not is_of_kind(item, kind)] == [], item.title
        assert [kind for kind in others.split(" | ") if is_of_kind(item, kind)] == [], item.title
