"""What a product is called."""

from drretail.querygen.kinds import article, kinds_of
from drretail.records.shop import Product


def sold(title: str, *path: str) -> Product:
    return Product(product_id="P1", title=title, categories=path, category="Home_and_Kitchen")


def test_a_kind_is_a_name_of_the_shop_whose_noun_the_title_has() -> None:
    for product, names in (
        (sold("Arden Electric Kettle, 1.7 L", "Home & Kitchen", "Electric Kettles"), ["electric kettles"]),
        (sold("Waffle Weave Dish Towel", "Kitchen", "Dish Cloths & Dish Towels"), ["dish towels"]),
        (sold("Keyboard and Mouse Combo", "Computers", "Keyboard & Mouse Combos"), []),  # half of a name
        (sold("Nonstick Donut Pan", "Kitchen", "Muffin & Cupcake Pans"), []),  # it may bake no muffins
        (sold("Fleece Throw Pillow Cover, Blue", "Bedding", "Throw Pillows"), []),
        (sold("Arden Steel Widget", "Home & Kitchen", "Electric Kettles"), []),
        (sold("Crew Tee T-Shirt", "Clothing", "Women", "T-Shirts"), ["women's T-shirts"]),
        (sold("Arden Gel Pen Set", "Office", "Gel Ink Pens"), ["gel ink pens", "gel pens"]),
        (sold("Arden Claw Clips, 8 Pack", "Beauty", "Hair Accessories", "Clips & Barrettes"), ["clips"]),
        (sold("Arden Pajama Pants with Sleep Bottoms", "Clothing", "Men", "Pants", "Sleep Bottoms"), []),  # beside it
    ):  # fmt: skip
        assert [*kinds_of(product)] == names, product.title


def test_a_thing_has_its_article_by_sound() -> None:
    things = ("bird feeder", "electric shaver", "LED nail lamp", "USB fan")
    assert [article(thing) for thing in things] == ["a", "an", "an", "a"]
