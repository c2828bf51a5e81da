"""Prices, list prices and stock of a product's variants, and sentences that say otherwise."""

from decimal import Decimal

import pytest
from drretail.grounding.verify.offers import AGREES, price_lines, stock_lines

from drretail.grounding.verify.records import Ledger
from drretail.grounding.verify.values import verify
from drretail.records.reading import ReadValue
from drretail.records.shop import Offer, Product, offers_of, sold_for

VARIANTS = [
    {"Size": "2 cups", "Color": "White", "id": "a", "price": 18, "list_price": 22, "stock": "4"},
    {"Size": "2 cups", "Color": "Black", "id": "b", "price": 19, "stock": "0"},
    {"Size": "4 cups", "Color": "White", "id": "c", "price": 24, "stock": "-2"},
]
DRIPPER = Product(
    product_id="dripper",
    title="Cone Dripper",
    price=18.0,
    price_from=True,
    category="c",
    details={"Variants": VARIANTS},
)
BOX = Product(product_id="box", title="Knock Box", price=32.0, category="c", details={"Stock": 3, "List price": 40})
MUG = Product(product_id="mug", title="Mug", price=19.99, category="c", details={"List price": 24.99})
LEDGER = Ledger({item.product_id: item for item in (DRIPPER, BOX, MUG)}, {}, {}, {})


def prices(text: str, *items: Product) -> list[str]:
    return list(price_lines(text, items or (DRIPPER,), LEDGER, "The box is $32 and the dripper $18."))


BORNE_OUT = (
    *("The 2 cups size is $18 in White and $19 in Black.", "It starts from $18.", "White: $18 (was $22)"),
    *("4 cups – $24.00", "It is $6 more than the small one, which costs $18."),
    *("Shipping costs $5, and you save $4.", "Your limit was $30.", "The dripper costs €17."),
)
ONCE_OR_LEFT = (
    *("You bought it for $41 last time.", "Price per serving: $0.38"),
    *("That leaves 49.51 dollars, short of the $80 cap.", "A fresh $2 cell helps.", "It is $38 with delivery."),
    *("It saves you $8.", "It is cheaper by $4.04."),
)
EVERY = "$18.00 (2 cups / White), $19.00 (2 cups / Black), $24.00"


@pytest.mark.parametrize(
    ("items", "text", "line"),
    [
        ([DRIPPER], "It costs $21.", f"price $21.00: the record says {EVERY} (4 cups / White)"),
        ([DRIPPER], "The Black one is $24.", "price $24.00: the record says $19.00 (2 cups / Black)"),
        ([DRIPPER], "White and Black are $18 each.", f"price $18.00: the record says {EVERY} (4 cups / White)"),
        ([DRIPPER], "White: $18 (was $29)", "list price $29.00: the record says $22.00"),
        *(([DRIPPER], text, None) for text in BORNE_OUT),
        *(([BOX], text, None) for text in ONCE_OR_LEFT),
        # totals in quantities, and discounts
        ([MUG], "3 × $19.99 = $59.97", f"total $59.97: {AGREES} (3 × $19.99)"),
        ([MUG], "Three of them come to $57.97.", None),  # no search over sums accuses
        ([MUG], "It is 20% off now.", None),
        ([MUG], "It is 30% off now.", "discount 30%: the record says 20%"),
        # several products added up and compared
        (
            [MUG, BOX],
            "Two mugs and four boxes make $167.98 together.",
            f"total $167.98: {AGREES} (2 × $19.99 + 4 × $32.00)",
        ),
        ([MUG, BOX], "Two mugs and four boxes make $157.98 together.", None),
        ([MUG, BOX], "The mug is $15.01 cheaper than the box.", None),
    ],
)
def test_an_amount_that_no_price_list_price_sum_or_difference_explains_is_a_fault(
    items: list[Product], text: str, line: str | None
) -> None:
    assert list(price_lines(text, items, LEDGER)) == ([] if line is None else [line])


def test_a_total_is_made_of_the_prices_that_were_named_and_a_price_is_of_a_product_that_was() -> None:
    (right,) = prices("Together that's $50.", DRIPPER, BOX)
    assert right == f"total $50.00: {AGREES} ($18.00 + $32.00)"
    assert not prices("In total you pay $48.", DRIPPER, BOX)
    assert prices("One of them is $32.")
    assert not list(price_lines("One of them is $32.", (DRIPPER,), LEDGER, are_named=False))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The Black one is in stock.", "0 in stock of 2 cups / Black"),
        ("White is sold out.", None),  # of two sizes one is there
        ("The White one in 2 cups is sold out.", "4 in stock of 2 cups / White"),
        ("Black is sold out.", AGREES),
        ("If Black is in stock, we ship today.", None),
        ("Black; Price: $19; Stock: in stock", "0 in stock of 2 cups / Black"),
    ],
)
def test_availability_is_held_against_the_count_of_the_variant(text: str, found: str | None) -> None:
    lines = list(stock_lines(text, DRIPPER))
    assert len(lines) == (found is not None)
    assert found is None or found in lines[0]


def test_an_offer_is_a_variant_or_the_product_itself_and_each_price_one_of_the_product() -> None:
    first, *_, last = offers_of(DRIPPER)
    assert first == Offer({"Size": "2 cups", "Color": "White"}, Decimal(18), Decimal(22), 4)
    assert last.stock == 0  # what is oversold is not there
    assert offers_of(BOX) == (Offer({}, Decimal(32), Decimal(40), 3),)
    assert sold_for(DRIPPER) == [18, 19, 24]

    def state(amount: str) -> str:
        value = ReadValue(kind="price", amount=amount, relation="is", of=("P:dripper",), start=0, end=1)
        return verify([value], LEDGER)[0].state

    assert state("18") == state("24") == "verified"
    assert (state("22"), state("23")) == ("underivable", "contradicted"), "22 is the list price"
