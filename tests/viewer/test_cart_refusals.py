"""What a report refuses, beside what it puts into the cart."""

from drretail.records.reading import Outcome
from drretail.viewer.cart import cart_of, cart_text
from drretail.viewer.picks import compare_picks
from tests import build
from tests.grounding.kitchen import EVIDENCE, JAR, KETTLE


def test_a_refusal_stands_in_the_cart_with_its_reason_and_what_comes_nearest() -> None:
    outcome = Outcome(decision="none", because=("too_dear",), nearest=(KETTLE.product_id, JAR.product_id))
    run = build.run("q1-r1", "No.", [], label="a", outcome=outcome)
    cart = cart_of(run, EVIDENCE)
    assert cart is not None
    (line,) = cart_text(cart)
    assert line.startswith("Nothing is to be bought. Refused: too dear. Nearest: Harrowgill Gooseneck Kettle")
    assert "($42.95), Ostermill Cookie Jar." in line


def test_an_answer_that_refuses_stands_in_the_table_of_picks() -> None:
    refused = build.run("q1-r1", "No.", [], label="a", outcome=Outcome(decision="none", because=("not_sold",)))
    bought = build.run("q1-r1", "Yes.", [KETTLE.product_id], label="b", outcome=Outcome(decision="buy"))
    table = compare_picks([("a", cart_of(refused, EVIDENCE)), ("b", cart_of(bought, EVIDENCE))])
    assert table is not None
    product, *_, totals = table.rows
    assert [cell and cell.text for cell in totals.cells[-2:]] == ["Refused: not sold.", "$42.95"]
    assert product.cells[0] is not None
    assert product.cells[0].value == KETTLE.product_id
