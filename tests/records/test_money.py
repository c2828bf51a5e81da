from decimal import Decimal

import pytest

from drretail.records.money import Money


@pytest.mark.parametrize(
    ("value", "amount"),
    [
        (5, "5"),
        ("5.00", "5"),
        (19.99, "19.99"),
        (9.5, "9.50"),
        ("19.999", "20"),
        ("2.676", "2.68"),
        (Decimal("0.004"), "0"),
        (1e3, "1000"),
    ],
)
def test_a_number_becomes_money_rounded_to_the_cent(value: Decimal | float | str, amount: str) -> None:
    assert Money.of(value).amount == amount
