"""An assistant's answers: what their parts are about, what form makes certain of them, and why they are wrong."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from drretail.records.evidence import Evidence
from drretail.records.run import Step, Turn
from drretail.records.shop import Policy, Product
from drretail.reports.layout import read_layout
from drretail.shopping.verify.checks import Case, read_report
from drretail.shopping.verify.form import read_by_form
from drretail.shopping.verify.parts import ReadAnswers, read_answers
from drretail.shopping.verify.records import UNKNOWN, Ledger
from tests import build
from tests.goods import EVIDENCE, O1, QUERY, K, in_words


def product(key: str, title: str, price: float, **details: Any) -> Product:
    return Product(product_id=key, title=title, price=price, currency="EUR", category="Home", details=details)


INK, SAND = ({"Color": color, "price": price} for color, price in (("Ink", 20), ("Sand", 24.5)))
REDS = [{"id": name.partition(" ")[0].lower(), "Color": name, "price": 15} for name in ("Red", "Dark Red")]
SHOP_HAS = (
    product("kettle", "Nordby Gooseneck Kettle 1.2 L", 64.9, **{"List price": 79.0}),
    product("tent", "Fjell Tent 3", 399.0),
    product("mug", "Fjell Mug", 18.0),
    product("bag", "Fjell Bag", 20.0, Variants=[INK, SAND]),
    product("vest", "Fjell Vest", 30.0, Variants=[{"Color": "Gray", "Size": "L"}, {"Color": "Blue", "Size": "M"}]),
    product("scarf", "Fjell Scarf", 15.0, Variants=REDS),
)
SHOP = Ledger(
    {item.product_id: item for item in SHOP_HAS},
    {"O:2001": date(2024, 3, 14)},
    {"O:2001": "bag"},
    {},
    policy=Policy(shipping=4.9, free_from=50, delivery_days=(2, 4), return_days=30),
    missing={"P:jug": UNKNOWN, "O:2099": UNKNOWN},
)


def answers(
    *turns: tuple[str, str], steps: Sequence[Step] = (), seen: Mapping[str, Evidence] | None = None, behind: str = ""
) -> ReadAnswers:
    report, placed = "", list[Turn]()
    for question, answer in turns:
        start = len(report)
        report += f"{answer}\n\n"
        placed.append(Turn(question=question, start=start, end=start + len(answer), steps=len(steps)))
    return read_answers(read_layout(report + behind, seen or {}), placed, steps, seen or {}, SHOP)


def about(*turns: tuple[str, str], **fields: Any) -> list[tuple[str, ...]]:
    return [part.sources for part in answers(*turns, **fields).parts]


def read(*turns: tuple[str, str], behind: str = "") -> str:
    found = answers(*turns, behind=behind)
    return in_words(read_by_form(found.layout, found.ledger, found.parts))


def test_a_part_is_about_what_it_names_else_what_its_answer_its_question_or_its_tools_name() -> None:
    mug, order, tent = ("P:mug",), ("O:2001",), ("P:tent",)
    assert about(("?", "The Fjell Mug is blue. It holds a litre.")) == [mug, mug]
    assert about(("How much is the Fjell Mug?", "€15."), ("Thanks", "You're welcome!")) == [mug, ()]
    assert about(("Fjell Mug or Fjell Tent 3?", "The first.")) == [()]
    assert about(("Where is #2001?", "On its way."), ("And O:2099?", "Lost.")) == [order, ("O:2099",)]
    assert about(("?", "| | Fjell Mug | Fjell Tent 3 |\n|---|---|---|\n| Price | €18 | €399 |")) == [(), mug, tent]
    shown = build.evidence("P:4711", build.text('{"id":"4711"}', "record"), title="Fjell Mug")
    step = Step(path="0", seq=1, kind="tool", role="assistant", name="find", args={}, evidence=("P:4711", "P:0"))
    assert about(("What does it cost?", "€15."), steps=[step], seen={"P:4711": shown}) == [mug]
    # The tools of an earlier turn say nothing of a later one.
    later = Turn(question="And now?", start=5, end=10, steps=1)
    turns = (Turn(question="?", start=0, end=4, steps=1), later)
    assert read_answers(read_layout("€15.\n€20.", {}), turns, [step], {"P:4711": shown}, SHOP).parts[1].sources == ()
    first, second = answers(("The Fjell Mug?", "Yes."), ("?", "The Fjell Tent 3.")).turns
    assert (first.things, second.things) == (mug, ("P:mug", "P:tent"))


def test_form_decides_what_is_certain_of_an_answer_and_accuses_nobody_else() -> None:
    rows = [
        ("?", "| Product | Price |\n|---|---|\n| Fjell Tent 3 | €349.00 |\n| Cedar Jug | €12.00 |", "price 349.00!"),
        (
            "?",
            "| # | € | Price |\n|--|--|--|\n| 1 | Fjell Tent 3 | 349.00 |\n| 2 | Cedar Jug | 12.00 |",
            "price 349.00!",
        ),
        ("Order 2001?", "Order 2001: ordered on March 4, 2024.", "order_date 2024-03-04!"),
        ("?", "The Fjell Mug costs ~~€18.00~~ €12.00.", "price 12.00!"),  # a page shows no price that is struck out
        ("?", "[Nordby Gooseneck Kettle](https://shop.example/products/nordby-kettle-10-l): €46.90", "price 46.90!"),
        # Open is what may be meant otherwise.
        ("Bags?", "The Fjell Bag in Sand costs €20.00.", "price 20.00!"),  # which is the price of another
        # What differs from the one price that it can be is contested.
        ("If", "If the Fjell Mug were €12.00 I'd buy it.", "price 12.00"),
        ("?", "Fjell Mug, €12.00, March 4, 2024.", "price 12.00"),  # what it cost on that day
        ("The Fjell Mug?", "It costs €15.", "price 15"),
        # Not what follows from prices, shipping and the question, nor what is far from the price.
        ("Up to €22?", "The Fjell Mug is below €22.", ""),
        ("?", "Two of the Fjell Mug are €36.00, one with shipping €22.90, a lid €4.50.", ""),
        ("?", "The Nordby Gooseneck Kettle 1.2 L was €79.00.", ""),
        ("?", "The Fjell Mug costs €18.00. Take it with the Fjell Tent 3: €417.00.", "price 18.00"),
    ]
    found = [(question, answer, expected, read((question, answer))) for question, answer, expected in rows]
    assert [row for row in found if row[2] != row[3]] == []


def test_every_numeral_counts_and_is_decided_or_not() -> None:
    listed = f"1. Kettle: rated 4.6 of 5 {K}\n2. Order 1000000001 of March 14, 2022 {O1}\n3. Model B12-5 {K}"
    table = f"| # | Kettle {K} |\n|---|---|\n| Price | $42.95 |\n| See | https://a.example/2024/5 |"
    ranked = f"## 1. Kettle {K}\n\n**2. Kettle** {K}\n\n| # | What |\n|---|---|\n| 1 | Kettle {K} |\n| 2 | Pot {K} |"
    rows = {
        f"It holds 0.9 cups and boils for four minutes {K}. It is 20 years old.": (2, 0),
        f"The kettle {K}, which costs $42.95, is popular.": (1, 1),
        f"It is $42.95 {K}, which leaves $9.01 of $60.": (3, 1),
        listed: (3, 2),
        table: (1, 1),
        ranked: (0, 0),
        "# The best 3\n\nIt holds 3 L.": (1, 0),
        # A raised number of a list is a mark.
        f"The kettle boils ² {K}.\n\n## Sources\n² https://a.example/kettle\n": (0, 0),
    }
    # What looks like a figure counts as not looked at.
    strange = ("$ⅩⅩⅩⅤ", "$₃₅", "$３５", "$३५", "½ of it", "③ euros", "²³ euros")
    for report, counts in (rows | {f"The kettle costs {figure} {K}.": (1, 0) for figure in strange}).items():
        looked = read_report(Case(report, EVIDENCE, QUERY)).looked_at
        assert (looked.numerals, looked.decided - looked.contradicted) == counts, report
