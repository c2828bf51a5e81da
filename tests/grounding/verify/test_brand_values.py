"""A brand that a model reads in a report, held against the product's record."""

import pytest

from drretail.grounding.verify.records import read_ledger
from drretail.grounding.verify.values import verify
from drretail.records.reading import ReadValue
from tests.grounding.kitchen import EVIDENCE, GOODS, KETTLE


@pytest.mark.parametrize(("name", "state"), [("own", "verified"), ("Nobodyware", "contradicted")])
def test_a_brand_is_held_against_the_record_whether_the_run_has_met_the_other_maker_or_not(
    name: str, state: str
) -> None:
    said = KETTLE.brand if name == "own" else name
    value = ReadValue(kind="brand", amount=said or "", of=(f"P:{KETTLE.product_id}",), start=0, end=5)
    (found,) = verify([value], read_ledger(EVIDENCE, products=GOODS))
    assert found.state == state
