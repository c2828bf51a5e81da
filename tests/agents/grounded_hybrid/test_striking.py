"""What is wrong goes as a whole statement; everything else stays as it was written, and nothing is said again."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drretail.agents.grounded_hybrid.left_out import ABOVE, SUMS, TITLE, with_left_out
from drretail.agents.grounded_hybrid.striking import Stricken, strike_out
from drretail.records.wish import Want, Wish
from tests.agents.grounded_hybrid.staging import draft
from tests.grounding.kitchen import KETTLE, MUGS, O2, TOTAL, TOWELS, K, M, P, S, T

OWNED = Wish(
    wants=(Want(name="kettle", kinds=("kettle",)), Want(name="mugs", kinds=("mugs",))), owned=(MUGS.product_id,)
)


def struck(report: str, *products: str, wish: Wish | None = None) -> Stricken:
    return strike_out(draft(report, *products, wish=wish))


def left(report: str, *products: str, wish: Wish | None = None) -> str:
    return struck(report, *products, wish=wish).draft.report


WITH_COUPON = f"With a coupon the kettle {K} may be had for $30 or $35, which saves about $10."
PAN = f"The pan {P} costs $38.50."
WRONG_PRICE = f"The kettle costs $41.15 {K}."
ITEMS = [
    f"- **Pan** {P}, $38.50.",
    f"- **Kettle** {K}, $41.15. It pours slowly.\n  - It holds a litre.\n  - Steel.",
    f"- **Towels** {T}, $17.99.",
]
ROWS = [
    "| Thing | Price |",
    "|---|---|",
    f"| Pan {P} | $38.50 |",
    f"| Kettle {K} | $41.15 |",
    f"| Towels {T} | $17.99 |",
]
CARE = "## Care\n\nSteel lasts [W:aaaaaaaa]."
EMPTIED = (
    f"These will do:\n\n- Kettle, $41.15 {K}\n- Towels, $18.99 {T}",
    f"| Thing | Price |\n|---|---|\n| Kettle {K} | $41.15 |\n| Towels {T} | $18.99 |",
    WRONG_PRICE,
)
# By what goes, a report before and after.
STRUCK: dict[str, tuple[str, str]] = {
    "the sentence that holds the fault alone": (
        f"{PAN} {WRONG_PRICE} It began with a long test. It holds a litre {K}.",
        f"{PAN} It began with a long test. It holds a litre {K}.",
    ),
    "at the end of a paragraph, with the blank before it": (f"{PAN} {WRONG_PRICE}\n\nThe end.", f"{PAN}\n\nThe end."),
    "of a quotation, with its line": (f"The end.\n\n> {WRONG_PRICE}\n> - Pan {P}\n", f"The end.\n\n> - Pan {P}"),
    "a list item with what hangs on it": (
        "Three things:\n\n" + "\n".join(ITEMS),
        f"Three things:\n\n{ITEMS[0]}\n{ITEMS[2]}",
    ),
    "an item below another alone": (
        f"- **Kettle** {K}\n  - It costs $41.15 {K}.\n  - Steel.",
        f"- **Kettle** {K}\n  - Steel.",
    ),
    "a row, and the table stays": ("\n".join(ROWS), "\n".join([*ROWS[:3], ROWS[4]])),
    **{
        f"an emptied section with its heading, {number}": (
            f"# Gifts\n\n## Picks\n\n{emptied}\n\n{CARE}",
            f"# Gifts\n\n{CARE}",
        )
        for number, emptied in enumerate(EMPTIED)
    },
    "no heading below which something is left": (
        f"## Picks\n\n- Kettle, $41.15 {K}\n\nBoth are sturdy.",
        "## Picks\n\nBoth are sturdy.",
    ),
    "a heading with a fault, with its section": (
        f"## Kettle, $41.15 {K}\n\nIt pours slowly.\n\n### Care\n\nDescale it.\n\n## Towels\n\nSix {T}.",
        f"## Towels\n\nSix {T}.",
    ),
    "nothing that code can't derive": (WITH_COUPON, WITH_COUPON),
}


@pytest.mark.parametrize("goes", STRUCK)
def test_what_is_struck(goes: str) -> None:
    before, after = STRUCK[goes]
    assert left(before) == after


def test_a_right_report_stays_as_it_is() -> None:
    report = f"# Gifts\n\nThe kettle {K} costs $42.95.\n\n- Towels {T}, $17.99.\n\n\n\nThe end.  \nReally.\n"
    stricken = struck(report, KETTLE.product_id)
    assert (with_left_out(stricken), stricken.struck) == (report, ())


def test_a_wrong_pick_goes_with_what_is_said_of_it_alone() -> None:
    report = (
        f"Get the mugs {M}. You bought mugs before {M}{O2}. The towels {T} match the mugs {M}. The kettle {K} is steel."
    )
    stricken = struck(report, MUGS.product_id, KETTLE.product_id, wish=OWNED)
    assert stricken.draft.report == report.removeprefix(f"Get the mugs {M}. ")
    assert [pick.product for pick in stricken.draft.case.picks or ()] == [KETTLE.product_id]
    assert [(one.code, one.text) for one in stricken.struck] == [("recommended_although_owned", f"Get the mugs {M}.")]


def test_a_pick_that_nothing_was_said_of_is_dropped_and_listed() -> None:
    stricken = struck(f"The towels {T} are soft.", KETTLE.product_id, TOWELS.product_id)
    assert [pick.product for pick in stricken.draft.case.picks or ()] == [TOWELS.product_id]
    assert "in the cart, with no word on it" in with_left_out(stricken)


def test_the_list_tells_the_record_and_not_what_was_said() -> None:
    stricken = struck(f"The kettle costs $41.15 {K}. A scale is handy [P:B0NOTHERE0]. Towels {T}.", TOWELS.product_id)
    body, _, listed = with_left_out(stricken).partition(f"\n\n## {TITLE}\n\n")
    assert body == f"Towels {T}."
    assert listed == "\n".join(
        [
            ABOVE,
            "",
            f"- Harrowgill Gooseneck Kettle, 0.9 L, Stainless Steel: a wrong price; the record says $42.95 {K}.",
            "- A product that the shop does not have.",
            "- A source that was never looked up.",
            "",
            SUMS,
            "",
        ]
    )
    again = draft(with_left_out(stricken), TOWELS.product_id)
    assert again.errors == []


def test_a_sum_of_picks_that_are_no_more_is_looked_at_again() -> None:
    report = f"The kettle {K} is steel. The towels {T} are soft. Get the scale {S} for $12.99."
    stricken = struck(report + f" Both cost $60.94 {TOTAL}.", KETTLE.product_id, TOWELS.product_id)
    assert strike_out(stricken.draft).struck == ()


WRONG = (f"The kettle costs $41.15 {K}.", f"- Towels for $18.99 {T}", "Cited [W:zzzzzzzz].", f"| Pan {P} | $37.50 |")
FINE = (f"The kettle {K} is steel.", "Just words.", f"- Towels, $17.99 {T}", "## More", f"| Mugs {M} | $27.00 |")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(WRONG + FINE), min_size=1, max_size=8))
def test_nothing_wrong_is_left_and_nothing_is_written_anew(parts: list[str]) -> None:
    stricken = struck("\n\n".join(parts))
    assert stricken.draft.errors == []
    assert all(line in parts for line in stricken.draft.report.split("\n") if line.strip())
    kept = [part for part in parts if part in FINE and part != "## More"]
    assert [line for line in stricken.draft.report.split("\n") if line in kept] == kept
    assert strike_out(stricken.draft) == Stricken(stricken.draft, ())
