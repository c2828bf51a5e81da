"""Which products are of a kind, by the path of the category. offer: tests/grounding/test_cart.py."""

from drretail.grounding.listing import state_of_kind
from drretail.records.shop import Product


def titled(title: str, *path: str) -> Product:
    return Product(product_id="B1", title=title, category="Home_and_Kitchen", categories=("Home & Kitchen", *path))


SHEETS = titled("Pennysorrel Fragrance Free Sheets, 64 Loads", "Household Supplies", "Laundry Detergent", "Sheets")
COMBOS = ("Computer Accessories", "Keyboards, Mice & Accessories", "Keyboard & Mouse Combos")

KINDS = [
    # a leaf category, however it is written; no department, no word of its name, no noun of a title alone
    (
        titled("Brewhaven Caffettiera, 34 oz", "Coffee", "French Presses"),
        {
            "met": "French Presses | french press | FRENCH  PRESS",
            "open": "presses",
            "broken": "Home & Kitchen |  | … | rocket",
        },
    ),
    (titled("Larkhall Window Bird Feeder", "Outdoor Decor"), {"open": "bird feeder | Feeder", "broken": "bird bath"}),
    # the path of a leaf, and a phrase that the path says: "crib sheet" is not of the laundry
    (
        SHEETS,
        {
            "met": "Laundry Detergent > Sheets | laundry detergent sheet | household sheets",
            "open": "fragrance free sheets",
            "broken": "Baby Bedding > Sheets | crib sheet",
        },
    ),
    # of a part with two names nobody knows which it is
    (titled("Dish Towel", "Kitchen & Dining", "Towels"), {"open": "kitchen towel", "broken": "bath towel"}),
    # two of one sort in one leaf are alike, whatever their titles say
    (titled("Logitech MK570 Wireless Wave Keyboard and Mouse Combo", *COMBOS), {"open": "keyboard | Keyboards"}),
    (titled("LOGITECH MK235 combo, Black", *COMBOS), {"open": "keyboard", "met": "Keyboard & Mouse Combos"}),
    # parts and accessories are open, in whichever category they stand
    (titled("Battery for JBL Charge 3 Speaker", "Portable Speakers"), {"open": "portable speaker"}),
    (titled("JBL Speaker Battery Replacement", "Portable Speakers"), {"open": "Portable Speakers"}),
    (titled("Hard Case Fits Sony Bluetooth Speaker (Red)", "Speakers"), {"open": "speaker"}),
    (titled("Left Drive Wheel Compatible with Roomba", "Robotic Vacuums"), {"open": "Robotic Vacuums"}),
    (titled("Toner Cartridge Replacement for Canon 118", "Toner Cartridges"), {"open": "Toner Cartridges"}),
    (titled("Compatible Toner Cartridge, Black", "Toner Cartridges"), {"met": "Toner Cartridges"}),
    (titled("Claw Hair Clips for Women", "Clips & Barrettes"), {"met": "Clips & Barrettes"}),
    (titled("For JBL Charge 3: Battery", "Batteries"), {"met": "batteries"}),
]


def test_a_kind_is_told_by_the_path_of_the_category_and_open_where_that_does_not_say() -> None:
    for item, kinds in KINDS:
        for state, names in kinds.items():
            assert [kind for kind in names.split(" | ") if state_of_kind(item, kind) != state] == [], item.title
