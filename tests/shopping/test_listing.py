"""Which products are of a kind, by the path of the category and what titles there say. offer: test_cart.py."""

from drretail.records.shop import Product
from drretail.shopping.listing import listing_of, state_of_kind
from drretail.shopping.vocabulary import Vocabulary


def titled(title: str, *path: str, store: str | None = None) -> Product:
    path = ("Home & Kitchen", *path)
    return Product(product_id="B1", title=title, category="Home_and_Kitchen", categories=path, store=store)


COMBOS = ("Computer Accessories", "Keyboards, Mice & Accessories", "Keyboard & Mouse Combos")

KINDS = [
    # a leaf category, however it is written; no department, no word of its name, no noun of a title alone
    (
        titled("Brewhaven French Press, 34 oz", "Coffee", "French Presses"),
        {
            "met": "French Presses | french press | FRENCH  PRESS",
            "open": "presses",
            "broken": " | … | tea",
        },
    ),
    (titled("Larkhall Window Bird Feeder", "Outdoor Decor"), {"open": "bird feeder | Feeder", "broken": "bird bath"}),
    # the path of a leaf, and a phrase that the path says: "crib sheet" is not of the laundry
    (
        titled("Pennysorrel Fragrance Free Sheets, 64 Loads", "Household Supplies", "Laundry Detergent", "Sheets"),
        {
            "met": "Laundry Detergent > Sheets | laundry detergent sheet | household sheets",
            "open": "fragrance free sheets",
            "broken": "Baby Bedding > Sheets | crib sheet | Bedding > Sheet Sets",
        },
    ),
    # of a part with two names nobody knows which it is
    (titled("Dish Towel", "Kitchen & Dining", "Towels"), {"open": "kitchen towel", "broken": "bath towel"}),
    # two of one sort in one leaf are alike, whatever their titles say
    (titled("Logitech MK570 Wave Keyboard and Mouse Combo", *COMBOS), {"open": "keyboard", "met": COMBOS[-1]}),
    (titled("LOGITECH MK235 combo, Black", *COMBOS), {"open": "keyboard", "met": COMBOS[-1]}),
    # parts and accessories are open in whichever category they stand, and so is what the title does not say
    (titled("Battery for JBL Charge 3 Speaker", "Portable Speakers"), {"open": "portable speaker"}),
    (titled("JBL Speaker Battery Replacement", "Portable Speakers"), {"open": "Portable Speakers"}),
    (titled("Hard Case Fits Sony Bluetooth Speaker (Red)", "Speakers"), {"open": "speaker"}),
    (titled("Left Drive Wheel Compatible with Roomba", "Robotic Vacuums"), {"open": "Robotic Vacuums"}),
    (titled("Novelly Keyboard Keychain with Led Light", "Keyboards"), {"open": "Keyboards"}),
    (titled("Toner Cartridge Replacement for Canon 118", "Toner Cartridges"), {"open": "Toner Cartridges"}),
    (titled("Cedar Bird House for Wrens", "Birdhouses"), {"met": "Birdhouses"}),
    (titled("Floss & Rock Mermaid Umbrella", "Dental Floss", store="Floss & Rock"), {"open": "Dental Floss"}),
    (titled("Claw Hair Clips for Women", "Clips & Barrettes"), {"met": "Clips & Barrettes"}),
    (titled("Mossbury & Co 8 Pack Garden Hose 100 ft – Brass", "Garden Hoses"), {"met": "garden hose"}),
]


def test_a_kind_is_told_by_the_path_of_the_category_and_open_where_that_does_not_say() -> None:
    for item, kinds in KINDS:
        for state, names in kinds.items():
            differ = [kind for kind in names.split(" | ") if state_of_kind(listing_of(item), kind) != state]
            assert differ == [], item.title


def test_what_a_third_of_a_category_are_called_is_of_it() -> None:
    """A part that stands there is open, even where the shop has some of them."""
    machines = [titled(f"Dozeley White Noise Machine {number}", "Sleep Soothers") for number in range(8)]
    cords = [titled(f"A Cord {number}", "Sleep Soothers") for number in range(3)]
    for sold, states in ((machines + cords, ["met", "open"]), (machines[:3] + cords, ["met", "met"])):
        shop = Vocabulary(lambda sold=sold: sold)
        items = machines[0], cords[0]
        assert [state_of_kind(listing_of(item, shop), "Sleep Soothers") for item in items] == states


def test_what_a_department_alone_keeps_is_open_if_it_is_called_so() -> None:
    machines = [titled(f"Dozeley White Noise Machine {number}", "Sleep Soothers") for number in range(8)]
    shop = Vocabulary(lambda: machines)
    for item, state in ((titled("Dozeley Sound Machine"), "open"), (titled("Dozeley Lamp"), "broken")):
        assert state_of_kind(listing_of(item, shop), "Sleep Soothers") == state
        assert state_of_kind(listing_of(item), "Sleep Soothers") == "broken"
