import pytest

from drretail.querygen.rules.kinds import kind_of, quoted_title
from drretail.records.shop import Product


def made(title: str, *path: str, rank: str | None = None) -> Product:
    details = {"Best Sellers Rank": {"Home & Kitchen": 9_000, rank: 12}} if rank else {}
    return Product(product_id="P1", title=title, categories=path, category="Home_and_Kitchen", details=details)


@pytest.mark.parametrize(
    ("product", "name"),
    [
        (made("Arden Electric Kettle, 1.7 L", "Home & Kitchen", "Electric Kettles"), "electric kettles"),
        (made("2 Deck Blades for 42-inch Mowers", "Patio", "Blades", rank="Lawn Mower Blades"), "mower blades"),
        (made("Waffle Weave Dish Towel", "Kitchen", "Dish Cloths & Dish Towels"), "dish towels"),
        (made("Keyboard and Mouse Combo", "Computers", "Keyboard & Mouse Combos"), "keyboard and mouse combos"),
        (made("Nonstick Donut Pan", "Kitchen", "Muffin & Cupcake Pans"), None),  # it may bake no muffins
        (made("Waffle Dish Cloths and Dish Towels", "Kitchen", "Dish Cloths & Dish Towels"), "dish cloths"),
        (made("Fleece Throw Pillow Cover, Blue", "Bedding", "Throw Pillows"), None),
        (made("Jogger for Walking", "Shoes", "Walking"), None),  # no thing
        (made("Arden Steel Widget", "Home & Kitchen", "Electric Kettles"), None),
        (made("Oat Granola, 10 oz", "Breakfast Cereal", "Granola"), None),  # no plural
        (made("Crew Tee T-Shirt", "Clothing", "Women", "T-Shirts"), "T-shirts"),
        (made("Arden Gel Pen Set", "Office", "Gel Ink Pens"), "gel pens"),
        (made("Arden Claw Hair Clips, 8 Pack", "Beauty", "Hair Accessories", "Clips & Barrettes"), "hair clips"),
        (made("Arden Oak Desk Organizer", "Office", "Desk Accessories", "Desktop Organizers"), "desk organizers"),
        (made("Arden Claw Clips, 8 Pack", "Beauty", "Hair Accessories", "Clips & Barrettes"), None),  # of what?
        (made("Arden LED Headlamp", "Tools", "Flashlights & Headlamps", "Headlamps"), "headlamps"),
        (made("Arden Pajama Pants with Sleep Bottoms", "Clothing", "Men", "Pants", "Sleep Bottoms"), None),  # unquoted
        (made("USB Cable 3 ft", "Electronics", "USB Cables"), "USB cables"),
        (made("Arden Electric Kettle", "Home & Kitchen"), None),
    ],
)  # fmt: skip
def test_a_kind_is_a_name_of_the_shop_whose_noun_the_title_has(product: Product, name: str | None) -> None:
    kind = kind_of(product)
    assert (kind and kind.name) == name


@pytest.mark.parametrize(
    ("title", "quote"),
    [
        ("Arden Docking Station with 100W PD, 4K HDMI", "Arden Docking Station"),
        ("Amazon Brand – Solid Oak Stool, 24 inch", "Solid Oak Stool"),
        ("Men's 6\" Boxer Brief (3-Pack)", "Men's 6-inch Boxer Brief"),
        ("Arden Make Up Organizer 5 in 1 Rotating, Black", "Arden Make Up Organizer 5 in 1 Rotating"),
        ("Arden Skincare: Silky Cucumber Creme, 8 oz", "Arden Skincare: Silky Cucumber Creme"),
        ("Arden Bamboo Cleansing | Cloths", "Arden Bamboo Cleansing"),
        ("arden outdoor | Biodegradable Cleansing Cloths", None),
        ("50th Birthday Gifts for Women", None),
        ("Kettle", None),
        ("One two three four five six seven eight nine ten", None),
    ],
)
def test_a_title_is_quoted_up_to_what_it_is_for_or_comes_with(title: str, quote: str | None) -> None:
    assert quoted_title(made(title)) == quote
