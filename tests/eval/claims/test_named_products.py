"""Products that a report names without a citation, and the claims about them."""

from drretail.eval.claims.named_products import Subjects, products_named
from drretail.grounding.text.serialisation import record_text
from drretail.records.shop import Product
from tests.build import evidence, text

TITLES = {
    "one": "Hand Grinder One",
    "pro": "Hand Grinder Pro",
    "blend": "House Blend Coffee",
    "kettle": "Gooseneck Kettle 1 L",
    "electric": "Electric Gooseneck Kettle 0.8 L",
}


def named(words: str) -> list[str]:
    return [one.product_id for one in products_named(words, TITLES)]


def test_a_product_is_named_by_its_title_or_by_words_that_are_its_alone() -> None:
    assert named("The hand grinder pro and two House Blends") == ["pro", "blend"]
    assert named("the Electric Gooseneck Kettle") == ["electric"]
    assert named("The Gooseneck Kettle 1 L holds a litre") == ["kettle"]
    assert named("A Hand Grinder") == []  # of two
    assert named("a gooseneck kettle") == []  # any of that sort


REPORT = """The **Hand Grinder Pro** costs $149. The Silver one is sold out.

- House Blend Coffee: $11.50

We ship for $5. Together that's $160.50."""


def test_a_claim_without_a_name_is_about_what_was_named_before() -> None:
    details = {"Variants": [{"Color": "Silver", "price": 149}, {"Color": "Black", "price": 149}]}
    pro = Product(product_id="pro", title=TITLES["pro"], price=149.0, category="c", details=details)
    blend = Product(product_id="blend", title=TITLES["blend"], price=11.5, category="c")
    entries = [
        evidence(f"P:{one.product_id}", text(record_text(one), "record"), looked_up=True) for one in (pro, blend)
    ]
    subjects = Subjects(REPORT, {entry.id: entry for entry in entries})

    def of(claim: str) -> tuple[str, ...]:
        start = REPORT.index(claim)
        return subjects.of(claim, (start, start + len(claim)))

    assert of("The Silver one is sold out.") == ("P:pro",)
    assert of("House Blend Coffee: $11.50") == ("P:blend",)
    assert of("We ship for $5.") == ()
    assert of("Together that's $160.50.") == ("P:pro", "P:blend")
