from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.structure import read_structure
from drretail.grounding.sums import check_totals
from drretail.grounding.totals import find_totals
from drretail.grounding.wording import format_money

CENTS = st.decimals(min_value=Decimal("0.01"), max_value=Decimal("9999.99"), places=2)


def wrong(report: str) -> list[tuple[str, str | None]]:
    return [(finding.said, finding.found) for finding in check_totals(read_structure(report, ()))]


def table(*rows: str) -> str:
    return "| Thing | Qty | Price |\n|---|---|---|\n" + "\n".join(rows)


@given(st.lists(CENTS, min_size=2, max_size=6), st.integers(-500, 500))
def test_a_sum_is_wrong_exactly_when_its_terms_do_not_come_to_it(terms: list[Decimal], off: int) -> None:
    total = sum(terms, Decimal(0)) + Decimal(off) / 100
    if total > 0:
        text = " + ".join(format_money(term) for term in terms) + f" = {format_money(total)}"
        assert bool(wrong(text)) == bool(off)


@pytest.mark.parametrize(
    ("report", "found"),
    [
        ("$60 − $39.47 = $20.63 left.", "$20.53"),
        ("$60 - $39.47 = $20.63 left.", "$20.53"),
        ("3 × $13.99 = $42.97", "$41.97"),
        ("$46.99 / 12 = $4.92", "$3.92"),
        ("Feeder ($43.99) + house ($25) = $69.99", "$68.99"),
        ("Get the **Tube** ($13.99) and the **Box** ($10.49). Together that is $25.48.", "$24.48"),
        ("- Tube: $10\n- Box: $20.50\n- **Total: $31.50**", "$30.50"),
        ("1. **Tube** – $10\n   - saves $3\n2. **Box** – $20.50\n\n**Phase 1 total: $31.50**", "$30.50"),
        ("- Tube: 2 × $5 = $10\n- Box: $20.50\n\nTotal: $31.50", "$30.50"),
        (table("| Tube | 2 | $10 |", "| Box | 1 | $5 |", "| **Total** | | **$26** |"), "$15.00"),
        (table("| Tube | 1 | $10 |", "| Discount | | $2 |", "| Total | | $12 |"), "$8.00"),
    ],
)
def test_a_wrong_total_is_found_in_every_form(report: str, found: str) -> None:
    assert [truth for _, truth in wrong(report)] == [found]


@pytest.mark.parametrize(
    "report",
    [
        "$46.99 / 12 = $3.92",
        "2 × $13.99 = $27.98",
        "$13.99 + $10.49 = about $25",
        "$13.99 + $10.49 = $24",
        "Get two of the **Tube** ($13.99 each) and the **Box** ($10.49). Together that is $38.47.",
        "- Tube: $10\n- Box: $20.50 (optional)\n- Total: $10",
        "- Tube: $10–$15\n- Box: $20\n- Total: $30",
        table("| Tube | 2 | $10 |", "| Box | 1 | $5 |", "| Total | | $25 |"),
        table("| Tube | 2 | $10 |", "| Box | 1 | $5 |", "| Total | | $15 |"),
        table("| Tube | | $10 |", "| Subtotal | | $10 |", "| Box | | $5 |", "| Subtotal | | $5 |", "| Total | | $15 |"),
        table("| Tube | | $10 |", "| Hooks, optional | | $5 |", "| Total | | $10 |"),
        "An 8 x 4 bed = 32 square feet.",
        "Score = 4.5 + 3 = 7.5",
    ],
)
def test_right_rounded_and_unreadable_totals_give_nothing(report: str) -> None:
    assert wrong(report) == []


@pytest.mark.parametrize(
    ("report", "totals"),
    [
        ("The total is $330.", [("330", True)]),
        ("**Grand Total: $330**", [("330", True)]),
        ("Phase 1 total: $128.96", [("128.96", False)]),
        ("## Option A\n\nTotal: $90", [("90", False)]),
        ("Together that is $39.47, $20.53 under your $60.", [("39.47", True)]),
        ("Your total budget of $300 is kept.", []),
        ("That brings the total closer to $300.", []),
        ("A total of $50 off.", []),
        ("| What | Cost |\n|---|---|\n| A | $5 |\n| Total | $5 |", [("5", True)]),
    ],
)
def test_totals_are_found_by_their_label(report: str, totals: list[tuple[str, bool]]) -> None:
    found = find_totals(read_structure(report, ()))
    assert [(str(total.value.number), total.whole) for total in found] == totals
