"""Expressions, and sums that texts write out. find_numerals, conversion: tests/shopping/verify/test_places.py."""

from drretail.reports.text.amounts import find_amounts
from drretail.reports.text.numerals import find_equations

WHOLE = {
    "In all (**$42.95** + **$17.99** = **$60.94**).": "42.95+17.99",
    "4 × 12,49 € = 49,96 €": "4*12.49",
    "12.49 + 12.49 + 12.49 = 37.47": "12.49+12.49+12.49",
    "$37.47 = 3 × $12.49": "3*12.49",
}
NO_WHOLE_SUMS = """
$42.95 + shipping = $50 | tea + $42.95 + $2 = $60 | $42.95 + $17.99 = $60.94 + tax | tea + mugs $42.95 + $2 = $60
Kettle $42.95 – towels $17.99 = $60 | $19–26 + $5 = $30 | 20% + $5 = $30 | 6 oz × 4 = 24 oz | $5 / 0 = $1
a 9 x 13 pan = $12.99 | 3 × $12.99 ≈ $41 | 2 x $17.99 = $40 - more | 2 xl shirts for $18 make $9.00
Two 8-ounce bags for $18.30 make $1.14 an ounce
"""


def test_a_whole_sum_that_is_written_out_is_worked_out() -> None:
    others = [text for line in NO_WHOLE_SUMS.strip().splitlines() for text in line.split(" | ")]
    for text, expression in (WHOLE | dict.fromkeys(others)).items():
        sums = [(sum_.expression, sum_.holds) for sum_ in find_equations(text, find_amounts(text))]
        assert sums == ([] if expression is None else [(expression, True)]), text
    long = f"${'9' * 40} + $1 = $5.00"  # figures of any length are compared
    assert [sum_.holds for sum_ in find_equations(long, find_amounts(long))] == [False]
