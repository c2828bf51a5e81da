"""Assistants' answers compared with a shop's records: false ones are found, honest ones are not accused."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from drretail.grounding.text.layout import read_layout
from drretail.grounding.verify.answers.shop_records import Records, records_in
from drretail.grounding.verify.answers.turns import ReadAnswers, read_answers
from drretail.records.evidence import Evidence, EvidenceText
from drretail.records.run import Step, Turn
from drretail.records.shop import Policy, Product


def product(key: str, title: str, price: float, details: Mapping[str, Any]) -> Product:
    return Product(product_id=key, title=title, price=price, currency="EUR", category="Home", details={**details})


KETTLE = product(
    "kettle",
    "Nordby Gooseneck Kettle 1.2 L",
    64.9,
    {"List price": 79.0, "Stock": 5, "Weight": "980 g", "Volume": "1.2 L"},
)
RUG = product(
    "rug", "Havn Wollteppich 160 x 230", 249.0, {"Stock": 0, "Waschbar": "Nein", "Length": "230 cm", "Width": "160 cm"}
)
TENT = product("tent", "Fjell Tent 3", 399.0, {"Waterproof": "Yes", "Packed length": "52 cm", "Stock": 7})
HAT = product("hat", "Fjell Hat", 30.0, {"Waterproof": "No", "Material Feature": "Waterproof", "Lined": "No"})
MUG = product("mug", "Fjell Mug", 18.0, {"Stock": 40, "Microwave safe": "No"})
INK = {"Color": "Ink", "price": 20, "stock": "0"}
BAG = product("bag", "Fjell Bag", 20, {"Variants": [INK, {"Color": "Sand", "price": 24, "stock": "3"}]})
STATUSES = {
    **{"2001": "Shipped", "2002": "Returned", "2003": "Cancelled", "2004-1": "Processing", "2004-2": "Processing"},
    **{"2005-1": "Delivered", "2005-2": "Processing"},
}
MIXED = {"2005-2": "mug"}
SHOP = Records(
    {item.product_id: item for item in (KETTLE, RUG, TENT, HAT, MUG, BAG)},
    {
        key: {"order_status": status, "order_date": "2024-03-14T09:00:00", "product_id": MIXED.get(key, "bag")}
        for key, status in STATUSES.items()
    },
    policy=Policy(shipping=4.9, free_from=50, delivery_days=(2, 4), return_days=30),
    currency="EUR",
)


def read(
    *turns: tuple[str, str], shop: Records = SHOP, steps: Sequence[Step] = (), seen: Sequence[Evidence] = ()
) -> Any:
    report, placed = "", list[Turn]()
    for question, answer in turns:
        start = len(report)
        report += f"{answer}\n\n"
        placed.append(Turn(question=question, start=start, end=start + len(answer), steps=len(steps)))
    by_id = {entry.id: entry for entry in seen}
    return report, read_answers(read_layout(report, by_id), placed, steps, by_id, shop)


def table(*rows: str) -> str:
    """A table in Markdown, of rows without their outer bars."""
    head, *others = (f"| {row} |" for row in rows)
    return "\n".join((head, "|---" * rows[0].count("|") + "|---|", *others))


def wrong(*turns: tuple[str, str]) -> list[tuple[str, str]]:
    report, found = read(*turns)
    return [(report[one.start : one.end], one.record) for one in found.statements if not one.is_true]


@pytest.mark.parametrize(
    ("question", "answer", "said", "record"),
    [
        ("Price?", "The Nordby Gooseneck Kettle is currently available for just €59.90.", "€59.90", "€64.90"),
        ("Wie teuer?", "Gerne! Der Havn Wollteppich kostet bei uns derzeit 199,00 €.", "199,00 €", "€249.00"),
        ("Kettle?", "**Nordby Gooseneck Kettle 1.2 L** – €79.00", "€79.00", "€64.90"),  # crossed out in the shop
        ("Does the Fjell Mug cost €12?", "Yes, €12.", "€12", "€18.00"),
        ("Does the Fjell Mug cost €12?", "Yes.", "Yes", "€18.00"),
        ("Is the Fjell Tent 3 waterproof?", "No, unfortunately it is not waterproof.", "waterproof", "Waterproof: Yes"),
        ("Ist der Havn Wollteppich waschbar?", "Ja, der Teppich ist waschbar.", "Ja", "Waschbar: Nein"),
        (
            "The tent?",
            "<p>Fjell Tent 3:</p><ul><li>52 cm</li><li>Not waterproof</li></ul>",
            "waterproof",
            "Waterproof: Yes",
        ),
        ("Weight of the Nordby Gooseneck Kettle?", "Its weight is 1.4 kg.", "1.4 kg", "Weight: 980 g"),
        ("The tent?", "Fjell Tent 3\n- Packed length: 60 cm", "60 cm", "Packed length: 52 cm"),
        (
            "How heavy is the Nordby Gooseneck Kettle, and does it whistle?",
            "It weighs 1.4 kg.",
            "1.4 kg",
            "Weight: 980 g",
        ),
        ("Kettle?", "Der Nordby Gooseneck Kettle kostet 64,90 € statt 89,90 €.", "89,90 €", "list price: €79.00"),
        (
            "My bag?",
            "Good news: order 2004 with the Fjell Bag has already been shipped.",
            "shipped",
            "order status: Processing",
        ),
        ("Do you have the Havn Wollteppich?", "Ja, auf Lager.", "auf Lager", "0 in stock"),
        ("Bags?", "The Fjell Bag in Ink is in stock.", "in stock", "0 in stock of Ink"),
        ("Bags?", "The Fjell Bag in Sand costs €20.", "€20", "€24.00"),
        ("Where is my order #2001?", "Good news! It was delivered.", "delivered", "order status: Shipped"),
        ("Wo ist sie?", "Ihre Bestellung 2001 wurde storniert.", "storniert", "order status: Shipped"),
        ("Order 2003?", "Order 2003 has been shipped.", "shipped", "order status: Cancelled"),
        ("Order 2004?", "Order 2004 was delivered.", "delivered", "order status: Processing"),
        ("Was order 2004 delivered?", "Yes.", "Yes", "order status: Processing"),
        ("Order 2005?", "Order 2005 was cancelled.", "cancelled", "order status: Delivered, Processing"),
        ("2005?", "The Fjell Mug of order 2005 was delivered.", "delivered", "order status: Processing"),
        ("Ist 2001 versandt?", "Bestellung 2001 ist noch nicht versandt.", "versandt", "order status: Shipped"),
        ("Order 2001?", "Order 2001 was placed on March 4, 2024.", "March 4, 2024", "order date: 2024-03-14"),
        ("2001?", "Die Bestellung 2001 vom 04.03.2024 ist versandt.", "04.03.2024", "order date: 2024-03-14"),
        ("Returns?", "You can return items within 14 days.", "14 days", "returns within 30 days"),
        ("Versand?", "Die Lieferzeit beträgt 2 Wochen.", "2 Wochen", "delivery in 2 to 4 days"),
        ("Shipping?", "- Shipping: €5.95\n- Returns: 30 days", "€5.95", "shipping: €4.90"),
        ("Versand?", "Ab 40 € ist der Versand kostenlos.", "40 €", "shipping is free from €50.00"),
        ("Three?", "3 Fjell Mug cost €48.00 in total.", "€48.00", "3 × €18.00 = €54.00"),
        ("Table", table("Product | Price", "Fjell Tent 3 | €349.00", "Fjell Mug | €18.00"), "€349.00", "€399.00"),
        ("Table", table(" | Fjell Mug | Fjell Tent 3", "Price | €12.00 | €399.00"), "€12.00", "€18.00"),
        ("Table", table("Product | in stock", "Havn Wollteppich 160 x 230 | yes"), "yes", "0 in stock"),
        ("Table", table("Product | Lined", "Fjell Hat | ✓"), "✓", "Lined: No"),
    ],
)
def test_a_false_statement_is_found_with_what_the_shop_says(question: str, answer: str, said: str, record: str) -> None:
    found = wrong((question, answer))
    assert record in [its for _, its in found], found
    assert any(said in words or words in said for words, _ in found)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Price of the kettle?", "The Nordby Gooseneck Kettle costs €64.90, down from €79.00."),
        ("Which descaler fits the Nordby Gooseneck Kettle?", "Our descaler costs €7.90."),
        ("Monthly for the Fjell Tent 3?", "That would be €33.25 a month over 12 months."),
        ("Kosten?", "Das Fjell Tent 3 kostet 399 € oder 12 Raten zu 33,25 €."),
        ("Net price of the Fjell Tent 3?", "Net, that is €335.29."),
        ("Shipping for the Fjell Mug?", "Shipping costs €4.90."),
        ("How much is shipping for the Fjell Mug?", "It's €4.90."),
        ("Do you have batteries for the Havn Wollteppich?", "Yes, in stock."),
        ("Is the Fjell Tent 3 waterproof?", "No, but the Fjell Bag is."),
        ("Total with shipping for the Fjell Mug?", "With shipping you pay €22.90."),
        ("Fjell Mug?", "The Fjell Mug is €381 cheaper than the Fjell Tent 3."),
        ("Is the tent waterproof?", "The Fjell Tent 3 is waterproof, but the bag isn't waterproof."),
        ("Is the Havn Wollteppich in stock?", "No, the rug is sold out, but the Fjell Mug is in stock."),
        ("Do you have the Havn Wollteppich?", "It will be available again in May."),
        ("Kostet der Fjell Mug 12 €?", "Nein, der Fjell Mug kostet nicht 12 €."),
        ("Does the Fjell Mug cost €12?", "No."),
        ("Rabatt?", "Mit dem Code SAVE10 kostet der Fjell Mug 16,20 €."),
        ("My order 2001?", "Order 2001 will be delivered on Monday."),
        ("My order 2002?", "Order 2002 was delivered and then returned."),
        ("Was order 2005 delivered?", "Yes. Order 2005 has been delivered."),
        ("Where is order 2005?", "It is still being processed. The Fjell Bag from order 2005 was delivered."),
        ("2005?", "The Fjell Bag from order 2005 was delivered, the Fjell Mug is still being processed."),
        ("Order 2001?", "Order 2001, placed on March 14, 2024, arrives on April 2, 2024."),
        ("Order 2001?", "Order 2001 arrives on 02.04.2024."),
        ("2004?", "Bestellung 2004 wurde noch nicht versandt."),
        ("Shipping?", "Standard shipping costs €4.90 and is free for orders over €50."),
        ("Shipping?", "Express shipping costs €9.90. To Austria, shipping is €14.90."),
        ("Returns?", "Return shipping costs €4.90. Your refund arrives within 5 days of the return."),
        ("Lieferung?", "Die Lieferung erfolgt in 2–4 Werktagen, zurückgeben können Sie 30 Tage."),
        ("When?", "We deliver within 5 days. If you order by noon, delivery takes 1 day."),
        ("Where is order 2001?", "It will be delivered in 1 day."),
        ("Fjell Tent 3?", "The Fjell Tent 3 arrives in 6 days."),
        ("Budget?", "The Fjell Tent 3 is €99 over your budget."),
        ("Size?", "The Fjell Tent 3 sleeps 3 and its poles are 48 cm long."),
        ("Tent?", "The Fjell Tent 3 is 210 cm long."),  # not packed
        ("Set?", "The set of four Fjell Mug costs €60."),
        ("If", "If the Fjell Mug were €12 I'd buy it."),
        ("Two?", "Two Fjell Mug are €36."),
        ("Rain?", "The Fjell Hat is waterproof."),  # as another field says
        ("Dear?", "The Fjell Mug is toxic."),  # nothing of it stands in a field
        ("Table", table("Product | Stock", "Fjell Tent 3 | in stock")),
        ("Table", table("Product | Price | Stock", "Nordby Gooseneck Kettle 1.2 L | €64.90 | in stock")),
        ("Table", table("Product | Lined", "Fjell Hat | ✗")),
        ("Table", table(" | Fjell Hat | Fjell Tent 3", "Lined | no | –", "Waterproof | – | yes")),
        ("Table", table("Product | Price | Quantity", "Fjell Mug | €36.00 | 2")),
        ("Table", table("Product | Price", "Fjell Mug | €18.00", "Cedar Jug | €12.00")),  # of another shop
        ("How long does shipping to Iceland take?", "Delivery takes 6 to 9 days."),
        ("Versand in die Schweiz?", "Der Versand kostet 12,90 €."),
        ("Overnight?", "Delivery takes 1 day."),
        ("Delivery?", "We deliver to Iceland. Delivery takes 9 days there."),
        ("Table", table("Product | Shipping", "Fjell Tent 3 | €39.00")),  # its own
        ("2001?", "Of order 2001 the pots were delivered and the lids are still being processed."),
    ],
)
def test_an_honest_or_undecidable_answer_is_not_accused(question: str, answer: str) -> None:
    assert wrong((question, answer)) == []


def test_every_turn_is_read_and_a_turn_without_a_name_is_about_what_was_spoken_of() -> None:
    turns = (("How much is the Fjell Mug?", "€15."), ("Thanks", "You're welcome!"), ("And in stock?", "Sold out."))
    assert wrong(*turns) == [("€15", "€18.00"), ("Sold out", "40 in stock")]


def test_nothing_is_ticked_but_what_a_field_says_and_the_rest_is_counted_as_not_looked_at() -> None:
    report, found = read(("?", "The Fjell Mug is toxic, costs €18 and keeps 11 cups warm."))
    assert isinstance(found, ReadAnswers)
    assert [(report[one.start : one.end], one.is_true) for one in found.statements] == [("€18", True)]
    assert (found.numerals, [report[one.start : one.end] for one in found.unread]) == (2, ["11 cups"])


@pytest.mark.parametrize(
    "answer",
    [
        "Shipping for the Fjell Mug costs €18.00.",
        "You save €18.00 on the Fjell Mug.",
        "The Fjell Mug does not cost €18.00.",
        "Den Fjell Mug gibt es in 3 Raten zu 18,00 €.",
        "The Havn Wollteppich measures 150 x 230 cm.",
        table("Product | Whistle", "Nordby Gooseneck Kettle 1.2 L | yes"),
        table("Product | Waterproof", "Fjell Tent 3 | –"),
    ],
)
def test_what_the_record_has_is_not_ticked_where_something_else_is_said(answer: str) -> None:
    _, found = read(("?", answer))
    assert found.statements == ()


def test_a_cell_answers_its_own_head_alone_and_sides_are_ticked_together() -> None:
    rows = ("Product | Available | Waschbar", "Havn Wollteppich 160 x 230 | ✗ | nein", "Fjell Tent 3 | 7 | –")
    report, found = read(("?", f"{table(*rows)}\n\nThe Havn Wollteppich is 160 x 230 cm."))
    said = [(report[one.start : one.end], one.is_true, one.record) for one in found.statements]
    assert said == [
        ("✗", True, "0 in stock"),
        ("nein", True, "Waschbar: Nein"),
        ("7", True, "7 in stock"),
        ("160 x", True, "Width: 160 cm"),
        ("230 cm", True, "Length: 230 cm"),
    ]


def evidence(key: str, text: str, *, looked_up: bool = False) -> Evidence:
    shown = EvidenceText(sha256="0" * 64, form="record", text=text, shown=not looked_up, path="0", seq=1)
    return Evidence(id=f"P:{key}", kind="product", key=key, title="Fjell Mug", texts=(shown,), looked_up=looked_up)


@pytest.mark.parametrize(
    ("answer", "told", "cause", "tool"),
    [
        ("It costs €15.", '"price":15.0', "stale", "15.0"),
        ("It costs €15.", '"price":18.0', "ignored", "18.0"),
        ("It costs €15.", '"price":null', None, ""),
        ("It is microwave safe.", '"Microwave safe":"Yes"', "stale", "Yes"),
        ("It is microwave safe.", '"Microwave safe":"No"', "ignored", "No"),
        ("It is sold out.", '"stock":0', "stale", "0"),
        ("It is sold out.", '"stock":38', "ignored", "38"),
        ("It is sold out.", '"stock":"ask us"', None, "ask us"),
    ],
)
def test_a_product_that_only_a_tool_names_is_checked_and_the_tool_explains(
    answer: str, told: str, cause: str, tool: str
) -> None:
    """The tool calls it by another id."""
    its = evidence("4711", f'{{"id":"4711","title":"Fjell Mug",{told}}}')
    step = Step(path="0", seq=1, kind="tool", role="assistant", name="find", args={"q": "mug"}, evidence=("P:4711",))
    _, found = read(("What does it cost?", answer), steps=[step], seen=[its])
    (statement,) = found.statements
    assert (statement.is_true, statement.of, statement.title) == (False, "P:mug", "Fjell Mug")
    assert (statement.cause, statement.tool) == (cause, tool)


def test_the_shops_records_are_those_that_were_looked_up_and_an_address_may_lead_to_nothing() -> None:
    own = evidence("mug", '{"product_id":"mug","title":"Fjell Mug","price":18.0,"category":"x"}', looked_up=True)
    gone = Evidence(
        id="P:jug", kind="product", key="jug", title="jug", url="https://a.example/products/jug", looked_up=True
    )
    shop = records_in([own, gone, evidence("4711", '{"product_id":"4711","title":"Fjell Mug"}')])
    assert ({*shop.products}, shop.missing) == ({"mug"}, {"jug": "no such product"})
    answer = "Take [this](https://a.example/products/jug). It costs €9."
    _, found = read(("A jug?", answer), shop=shop, seen=[gone])
    assert [(one.kind, one.record) for one in found.statements] == [("unknown", "no such product")]
