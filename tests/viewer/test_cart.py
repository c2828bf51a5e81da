"""The cart as people see it: quantities, prices and their total as far as the run saw them."""

import pytest

from drretail.grounding.report.evidence_ids import product_evidence_id
from drretail.grounding.text.serialisation import record_text
from drretail.records.evidence import Evidence, EvidenceText
from drretail.records.reading import Pick
from drretail.records.run import Run
from drretail.records.shop import Product
from drretail.viewer.cart import Cart, cart_document, cart_markdown, cart_of, cart_text


def a_product(number: int, title: str, price: float | None) -> Product:
    return Product(product_id=f"B0CART{number:04}", title=title, price=price, category="Toys", categories=("Toys",))


PUZZLE = a_product(1, "Wooden Puzzle [24 pieces]", 12.5)
KITE = a_product(2, "Kite", 20.0)
BALL = a_product(3, "Ball", None)


def seen(*products: Product) -> dict[str, Evidence]:
    return {
        key: Evidence(
            id=key,
            kind="product",
            key=item.product_id,
            title=item.title,
            texts=(EvidenceText(sha256=key, form="record", text=record_text(item), shown=True, path="0", seq=0),),
        )
        for item in products
        for key in [product_evidence_id(item.product_id)]
    }


def a_run(*picks: Pick, known: bool = True) -> Run:
    return Run(
        run_id="a/q1-r1",
        system="a",
        query_id="q1",
        repeat=1,
        status="done",
        stop="finished",
        report="Buy.",
        picks=picks if known else None,
    )


def pick(item: Product, quantity: int = 1, *others: Product) -> Pick:
    return Pick(product=item.product_id, quantity=quantity, alternatives=tuple(other.product_id for other in others))


def cart(*picks: Pick) -> Cart:
    made = cart_of(a_run(*picks), seen(PUZZLE, KITE, BALL))
    assert made is not None
    return made


def test_several_of_one_are_told_with_the_price_of_each_and_the_total_of_all() -> None:
    assert list(cart_text(cart(pick(PUZZLE, 2), pick(KITE)))) == [
        "- 2 × Wooden Puzzle [24 pieces], $12.50 each: $25.00",
        "- 1 × Kite: $20.00",
        "Total: $45.00.",
    ]


def test_of_alternatives_the_first_counts_and_the_others_are_named() -> None:
    made = cart(pick(KITE, 1, PUZZLE))
    assert made.lines[0].words == "1 × Kite: $20.00, or Wooden Puzzle [24 pieces]"
    assert made.total_words == "Total: $20.00."


@pytest.mark.parametrize("strange", [pick(BALL), Pick(product="B0NEVERSEEN")])
def test_a_price_that_is_not_known_is_said_and_left_out_of_the_total(strange: Pick) -> None:
    made = cart(pick(KITE), strange)
    assert "price not known" in made.lines[1].words
    assert made.closing == "Total: $20.00, without 1 whose price is not known."
    assert cart(strange).closing == ""


def test_an_empty_cart_says_so_and_an_unknown_one_is_none() -> None:
    assert list(cart_text(cart())) == ["Nothing is to be bought."]
    assert cart_markdown(cart()) == "## In the cart\n\nNothing is to be bought.\n"
    assert cart_of(a_run(known=False), {}) is None


def test_a_title_is_only_words_in_markdown() -> None:
    assert "- 1 × Wooden Puzzle \\[24 pieces\\]: $12.50\n" in cart_markdown(cart(pick(PUZZLE)))


def test_the_document_has_prices_as_money() -> None:
    document = cart_document(cart(pick(PUZZLE, 2), pick(BALL)))
    assert document["total"] == {"amount": "25", "currency": "USD"}
    assert [item["price"] for item in document["items"]] == [{"amount": "12.50", "currency": "USD"}, None]
