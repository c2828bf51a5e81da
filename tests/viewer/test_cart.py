"""The cart as people see it. cart_as_read, turn_carts: tests/viewer/page/test_document.py."""

from drretail.records.evidence import Evidence
from drretail.records.reading import REASONS, Outcome, Pick
from drretail.records.run import Run
from drretail.records.shop import Product
from drretail.reports.text.evidence_ids import product_evidence_id
from drretail.reports.text.serialisation import record_text
from drretail.viewer.cart import CartLines, cart_document, cart_of
from tests import build
from tests.build import known
from tests.goods import EVIDENCE, JAR, KETTLE


def a_product(number: int, title: str, price: float | None) -> Product:
    return Product(product_id=f"B0CART{number:04}", title=title, price=price, category="Toys", categories=("Toys",))


PUZZLE = a_product(1, "Wooden Puzzle [24 pieces]", 12.5)
KITE = a_product(2, "Kite", 20.0)
BALL = a_product(3, "Ball", None)


def seen(*products: Product) -> dict[str, Evidence]:
    return {
        key: build.evidence(key, build.text(record_text(item), "record"), title=item.title)
        for item in products
        for key in [product_evidence_id(item.product_id)]
    }


def declaring(*picks: Pick) -> Run:
    return build.run("q1-r1", "Buy.", picks)


def pick(item: Product, quantity: int = 1, *others: Product) -> Pick:
    return Pick(product=item.product_id, quantity=quantity, alternatives=tuple(other.product_id for other in others))


def cart(*picks: Pick) -> CartLines:
    return build.known(cart_of(declaring(*picks), seen(PUZZLE, KITE, BALL)))


def test_several_of_one_are_told_with_each_price_and_the_total_and_of_alternatives_the_first_counts() -> None:
    two = cart(pick(PUZZLE, 2), pick(KITE))
    assert two.lines[0].words == "2 × Wooden Puzzle [24 pieces], $12.50 each: $25.00"
    assert two.closing == "Total: $45.00."
    made = cart(pick(KITE, 1, PUZZLE))
    assert made.lines[0].words == "1 × Kite: $20.00 (runner-up: Wooden Puzzle [24 pieces])"
    assert made.total_words == "Total: $20.00."


def test_a_price_that_is_not_known_is_said_and_left_out_of_the_total() -> None:
    for strange, words in ((pick(BALL), "price not known"), (Pick(product="B0NEVERSEEN"), "not looked up")):
        made = cart(pick(KITE), strange)
        assert words in made.lines[1].words
        assert made.closing == "Total: $20.00, without 1 whose price is not known."
        assert cart(strange).closing == ""
    drum = a_product(4, "Drum", 9.0).model_copy(update={"currency": "EUR"})
    assert known(cart_of(declaring(pick(KITE), pick(drum)), seen(KITE, drum))).total is None, "of two currencies"


def test_a_refusal_stands_in_the_cart() -> None:
    outcome = Outcome(decision="none", because=("too_dear",), nearest=(KETTLE.product_id, JAR.product_id))
    line = build.known(cart_of(build.run("q1-r1", "No.", [], outcome=outcome), EVIDENCE)).closing
    assert line.startswith(
        "Nothing is to be bought. The agent says that what keeps to the wish costs more than its budget."
        " Nearest alternative: Harrowgill Gooseneck Kettle"
    )
    assert "($42.95), Ostermill Cookie Jar." in line
    of_all = Outcome(decision="none", because=REASONS)
    line = build.known(cart_of(build.run("q1-r1", "No.", [], outcome=of_all), EVIDENCE)).closing
    assert line.count(" and ") == len(REASONS) - 1, "every reason has its words"


def test_of_a_product_with_variants_the_cart_shows_the_options_and_the_price_of_the_one_that_is_bought() -> None:
    rows = [{"id": "S", "Size": "S", "price": 20, "stock": 1}, {"id": "M", "Size": "M", "price": 45, "stock": 1}]
    shirt = a_product(5, "Merino Shirt", 20.0).model_copy(update={"price_from": True, "details": {"Variants": rows}})
    named = Pick(product=f"{shirt.product_id}/M", quantity=2)
    shown = known(cart_of(declaring(named, pick(shirt)), seen(shirt)))
    assert [line.words for line in shown.lines] == [
        "2 × Merino Shirt (M), $45.00 each: $90.00",
        "1 × Merino Shirt: from $20.00",
    ]
    assert [item.get("variant") for item in cart_document(shown)["items"]] == ["M", None]
