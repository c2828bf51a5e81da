"""What code finds of a claim's values, by the words of the whole report."""

import pytest

from drretail.eval.claims.claims import Claim
from drretail.eval.claims.labels import check_of
from drretail.records.reading import ReadValue
from tests.grounding.kitchen import KETTLE, TOWELS, a_ledger


@pytest.mark.parametrize(("between", "is_contradicted"), [(" ", False), ("\n\n", True)])
def test_a_total_goes_by_what_its_paragraph_names_beside_the_claim(between: str, *, is_contradicted: bool) -> None:
    words = "Kettle and towels make $66.93."
    report = f"Shipping is $5.99.{between}{words}"
    start, of = report.index("$66.93"), (f"P:{KETTLE.product_id}", f"P:{TOWELS.product_id}")
    total = ReadValue(kind="total", amount="66.93", currency="USD", of=of, start=start, end=start + 6)
    check = check_of(Claim(claim_id="1", claim=words, sources=of, values=(total,)), a_ledger(None), report)
    assert check is not None
    assert check.is_contradicted == is_contradicted
