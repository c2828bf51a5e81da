"""What stands in the form of a pick must be a product that the run was shown."""

import pytest

from drretail.grounding.picks import unknown_picks
from tests.grounding.shelf import a_case

HEAD = "| Product | Price |\n|---|---|\n"


@pytest.mark.parametrize(
    ("report", "said"),
    [
        (f"# Best picks\n\n{HEAD}| Gardena Hose | $49.99 |", "Gardena Hose"),
        (f"## Overview\n\n{HEAD}| **Gardena Hose** | $49.99 |", "Gardena Hose"),
        ("## Buy\n\n| Need | Our pick | Price |\n|---|---|---|\n| Water | Gardena Reel | $50 |", "Gardena Reel"),
        ("# Best picks\n\nProduct | Price\n---|---\nGardena Hose | $49.99", "Gardena Hose"),
        ("## Picks\n\n- Gardena Hose: $20.00", "Gardena Hose"),
        ("## Picks\n\n1. **Gardena Hose** ($20.00) – long", "Gardena Hose"),
        ("## Picks\n\n1. **Quillet Bird Feeding Station Kit** – good\n2. **Gardena Hose** – long", "Gardena Hose"),
        ("## Ideas\n\n### 2. Gardena Hose — $49.99\n\nLong.", "Gardena Hose"),
        ("## Ideas\n\n### Gardena Hose\n\n- **Price:** $49.99", "Gardena Hose"),
        ("### 1. Quillet Bird Feeding Station Kit\n\nGood.\n\n### 2. Gardena Hose\n\nLong.", "Gardena Hose"),
        ("## Picks\n\n- Quillet Panorama Nest: $20.00", "Quillet Panorama Nest"),
    ],
)  # fmt: skip
def test_a_pick_that_nothing_shown_goes_by_is_found(report: str, said: str) -> None:
    assert [(finding.code, finding.said) for finding in unknown_picks(a_case(report))] == [("not_in_catalog", said)]


@pytest.mark.parametrize(
    "report",
    [
        f"# Best picks\n\n{HEAD}| Panorama feeder | $36.99 |\n| Shipping | $5.00 |\n| **Total** | $41.99 |",
        f"# Best picks\n\n{HEAD}| Cedar box for nests [P:B0SHELF004] | $28.50 |",
        "## Plan\n\n| Category | Budget |\n|---|---|\n| Garden Tools | $40 |",
        "## Picks\n\n- **Quillet Bird Feeding Station Kit** – good\n- **Weather Resistance** – coated",
        "## Phase 1: Garden Basics ($40)\n\nGet seed.",
        "## Watering Setup - $40\n\nGet the Tarnside Heated Bird Bath with Stand.",
        "### 1. Quillet Bird Feeding Station Kit\n\nGood.\n\n### Care and Cleaning\n\nWash it.",
        "## Alternatives\n\n- Gardena Hose: $20.00",
        "## Your history\n\n- Gardena Hose: $20.00 [O:0526194960]",
    ],
)
def test_sums_advice_parts_of_a_plan_and_what_is_not_offered_are_no_picks(report: str) -> None:
    assert unknown_picks(a_case(report)) == []
