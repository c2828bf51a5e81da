"""The products that a text names."""

from drretail.reports.text.product_names import products_named


def test_a_product_is_named_by_its_title_or_by_words_that_are_its_alone() -> None:
    titles = {
        "one": "Hand Grinder One",
        "pro": "Hand Grinder Pro",
        "blend": "House Blend Coffee",
        "kettle": "Gooseneck Kettle 1 L",
        "electric": "Electric Gooseneck Kettle 0.8 L",
    }
    rows = [
        ("The hand grinder pro and two House Blends", ["pro", "blend"]),
        ("the Electric Gooseneck Kettle", ["electric"]),
        ("The Gooseneck Kettle 1 L holds a litre", ["kettle"]),
        ("A Hand Grinder", []),  # of two
        ("a gooseneck kettle", []),  # any of that sort
    ]
    assert [[one.product_id for one in products_named(words, titles)] for words, _ in rows] == [ids for _, ids in rows]
