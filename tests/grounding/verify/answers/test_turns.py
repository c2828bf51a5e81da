"""Assistants' answers compared with a shop's records: false ones are found, honest ones are not accused."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from drretail.grounding.text.layout import read_layout
from drretail.grounding.verify.product_statements import Records, records_in
from drretail.grounding.verify.turns import ReadAnswers, read_answers
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


ANSWERS = tomllib.loads(Path(__file__).with_name("answers.toml").read_text("utf-8"))


@pytest.mark.parametrize(("question", "answer", "said", "record"), ANSWERS["false"])
def test_a_false_statement_is_found_with_what_the_shop_says(question: str, answer: str, said: str, record: str) -> None:
    found = wrong((question, answer))
    assert record in [its for _, its in found], found
    assert any(said in words or words in said for words, _ in found)


@pytest.mark.parametrize(("question", "answer"), ANSWERS["honest"])
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
def test_what_only_a_tool_names_is_checked_and_the_tool_explains(answer: str, told: str, cause: str, tool: str) -> None:
    """The tool calls it by another id."""
    its = evidence("4711", f'{{"id":"4711","title":"Fjell Mug",{told}}}')
    step = Step(path="0", seq=1, kind="tool", role="assistant", name="find", args={"q": "mug"}, evidence=("P:4711",))
    _, found = read(("What does it cost?", answer), steps=[step], seen=[its])
    (statement,) = found.statements
    assert (statement.is_true, statement.of, statement.title) == (False, "P:mug", "Fjell Mug")
    assert (statement.cause, statement.tool) == (cause, tool)


def test_the_shops_records_are_those_that_were_looked_up_and_an_address_may_lead_to_nothing() -> None:
    own = evidence("mug", '{"product_id":"mug","title":"Fjell Mug","price":18.0,"category":"x"}', looked_up=True)
    gone = Evidence(id="P:jug", kind="product", key="jug", title="jug", url="https://a.example/jug", looked_up=True)
    shop = records_in([own, gone, evidence("4711", '{"product_id":"4711","title":"Fjell Mug"}')])
    assert ({*shop.products}, shop.missing) == ({"mug"}, {"jug": "no such product"})
    answer = "Take [this](https://a.example/products/jug). It costs €9."
    _, found = read(("A jug?", answer), shop=shop, seen=[gone])
    assert [(one.kind, one.record) for one in found.statements] == [("unknown", "no such product")]
