"""What form makes certain in a report, and what it leaves open; in any language, and where a model has read."""

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.text.layout import read_layout
from drretail.grounding.verify.checks import Case, read_report
from drretail.grounding.verify.parts import numerals_in, parts_by_marks
from drretail.records.reading import Pick, Reading, ReadValue
from drretail.records.shop import Money
from tests.grounding.goods import (
    EACH,
    EVIDENCE,
    GAP,
    KETTLE,
    LEFT,
    O1,
    O2,
    QUERY,
    TOTAL,
    WEB,
    J,
    K,
    M,
    P,
    T,
    a_ledger,
    values_in,
)
from tests.grounding.verify.test_places import GERMAN

W = f"[{WEB}]"
TABLE = f"""
| | Price | Rating (n) | Per towel | Source |
|---|---:|---|---|---|
| Kettle | $42.95 | 4.6 (1,843) | – | {K} |
| Towels | 17.99 | ★ 4.7 (2,210) | $3.00 | {T} |
| Shipping | $5.99 | | | |
"""
UPRIGHT = f"""
| | Kettle | Pan (runner-up) |
|---|---|---|
| Price (USD) | 42.95 | 38.50 |
| Reviews | 1,843 | 512 |
| Price per inch | – | 3.85 |
| Warranty | 2 years | 1 year |
| Evidence | {K} | {P} |
"""
BILL = f"""
| # | Thing | Qty | Each | Sum |
|--:|---|--:|--:|--:|
| 1 | Harrowgill kettle {K} | 1 | 42.95 | 42.95 |
| 2 | Linnetwick towels {T} | 2 | 17.99 | 35.98 |
| | Total | | | 78.93 |
"""


def read(report: str) -> str:
    """ "price 42.95, rating 4.9!": the decided values in order, the contradicted with an exclamation mark."""
    values = sorted(values_in(report), key=lambda value: value.start)
    return ", ".join(f"{value.kind} {value.amount}{'!' * (value.state == 'contradicted')}" for value in values)


def wrongly_read(rows: list[tuple[str, str]]) -> list[str]:
    return [f"{report} → {read(report)}" for report, expected in rows if read(report) != expected]


def test_one_source_and_one_figure_of_a_kind_are_certain() -> None:
    rows = [
        (f"The Harrowgill kettle costs $42.95 {K}.", "price 42.95"),
        (f"The Harrowgill kettle costs $44.95 {K}.", "price 44.95!"),
        (f"- **Harrowgill kettle** – USD 24.95, 4.6 from 1,843 {K}", "price 24.95!"),
        (
            f"> **Top – kettle · $38.50**\n> **4.6 ★ · 1,843 ratings** {K}",
            "price 38.50!, rating 4.6, rating_count 1843",
        ),
        (f"At just under $43, with 4.6 stars over some 1,850 ratings {K}.", "rating 4.6, rating_count 1850"),
        (f"1,843 buyers gave it 4.9 stars {K}.", "rating 4.9!"),
        (f"Rated 4.6/5 (1,348 ratings) {K}.", "rating 4.6, rating_count 1348!"),
        (f"The towels cost $39.02 {T}.", "price 39.02!"),
        (f"The kettle has 4.1 stars {K}.", "rating 4.1!"),
        (f"The kettle has 4.0 stars {K}.", ""),  # which the query asks for
        (f"The kettle {K} costs $44.95 and the pan $38.50 {P}.", "price 44.95!, price 38.50"),
        (f"You bought the scale on March 14, 2022 {O1}.", "order_date 2022-03-14"),
        (f"You bought the scale on May 14, 2022 {O1}.", "order_date 2022-05-14!"),
        (f"The scale was here on May 13, 2022 {O1}.", ""),  # it may have come then
        (f"The scale was here on March 14, 2022 {O1}.", "order_date 2022-03-14"),
        (f"The scale was here on March 13, 2022 {O1}.", "order_date 2022-03-13!"),
        (f"The scale was here on May 14, 2022 {O1}.", "order_date 2022-05-14!"),
        (f"You bought the scale on 14 April {O1}, and mugs in November 2021 {O2}.", "order_date --04-14!"),
        (f"This leaves $14.06 of your $75 {LEFT}.", "total 14.06"),
        (f"This leaves $24.06 of your $75 {LEFT}.", "total 24.06!"),
        (f"Together they make $60.94 of the $75; three colors, 2 sizes {TOTAL}.", "total 60.94"),
        (f"Shipping is free from at least $150.00 {LEFT}.", ""),  # a limit
        (f"At $42.95 it leaves $24.06 {K}{LEFT}.", "total 24.06!"),  # beside the price of what it is about
        (f"Rated 4.6 (2052 ratings) {K}.", "rating 4.6, rating_count 2052!"),  # no year
    ]
    assert wrongly_read(rows) == []


@pytest.mark.parametrize(
    "price",
    [
        *("half of {}", "50% of {}", "⅓ of {}", "not {}", "twice {}", "a tenth of {}", "more than {}", "−{}"),
        *(
            "{} minus 20%",
            "{} less than the pan",
            "{} per cup",
            "{} a month",
            "{} off",
            "{} thousand",
            "{}%",
            "{} /100",
        ),
    ],
)
def test_a_price_that_words_or_signs_beside_it_change_is_left_open(price: str) -> None:
    written = (price.format(amount) for amount in ("$42.95", "$44.95"))
    assert [read(f"The Harrowgill kettle costs {text} {K}.") for text in written] == ["", ""]


def test_tables_are_read_by_plain_heads() -> None:
    rows = [
        (
            TABLE.replace("17.99", "19.77"),
            "price 42.95, rating 4.6, rating_count 1843, price 19.77!, rating 4.7, rating_count 2210",
        ),
        (UPRIGHT.replace("512", "152"), "price 42.95, price 38.50, rating_count 1843, rating_count 152!"),
        (BILL, "price 42.95, price 17.99"),  # numbers of rows are no numbers of ratings
        (BILL.replace("42.95 | 42", "49.25 | 42"), "price 49.25!, price 17.99"),
        (f"| Item | Price |\n|---|---|\n| Kettle {K} | $4.77 an ounce |", ""),
        (f"| Item | Price |\n|---|---|\n| Towels {T} | $35.98 |", ""),  # of two
        (f"| Item | Price per inch |\n|---|---|\n| Pan {P} | 3.85 |", ""),
        (f"| Item | List price | Unit price |\n|---|---|---|\n| Pan {P} | $59.99 | $3.85 |", ""),
        (f"| Item | Count |\n|---|---|\n| Towels {T} | 6 |", ""),
        (f"| | Watts a year |\n|---|---|\n| Kettle {K} | 12.50 {EACH} |", ""),
        (f"| Order | Ordered on |\n|---|---|\n| {O1} | March 15, 2022 |", "order_date 2022-03-15!"),
    ]
    assert wrongly_read(rows) == []


def test_equations_and_words_in_quotation_marks_are_held_against_what_they_name() -> None:
    rows = [
        (f"The kettle pours {K}. In all: $42.95 + $17.99 = $60.94.", "equation 60.94"),
        (f"The kettle pours {K}. In all: $42.95 + $17.99 = $66.94.", "equation 66.94!"),
        (f"The kettle pours {K}. In all: about $42.95 + $17.99 = $66.94.", ""),
        (f"The kettle pours {K}. In all: about $42.95 + $17.99 = $60.94.", "equation 60.94"),
        (f"Two of the towels {T}: $75 − 2 × $17.99 = $29.02", "equation 29.02!"),
        (f"Two cost 2 x $42.95 = $86.90 {K}.", "equation 86.90!"),  # and it is no wrong price
        (f"It is a “Harrowgill gooseneck kettle, 0.9 L” {K}.", "quotation Harrowgill gooseneck kettle, 0.9 L"),
        (f"It is a “Harrowgill gooseneck … stainless steel” {K}.", "quotation Harrowgill gooseneck … stainless steel"),
        (f"Buyers say “it never leaks on the table” {K}.", "quotation it never leaks on the table!"),
        (f"Buyers say “so very good” {K}.", ""),  # too few words
        (f"Known as “the kettle of all kettles”, it pours {K}.", ""),  # not before the mark
        (f"„Dieser Kessel tropft niemals auf den Tisch“ {K}", "quotation Dieser Kessel tropft niemals auf den Tisch!"),
        ("They say “it never leaks on the table” [W:zzzzzzzz].", ""),  # which nobody has read
    ]
    assert wrongly_read(rows) == []
    # Other words of the shopper's language are a translation.
    assert read(f"„Stahl hält sehr lange“ {W}\n\n{GERMAN}") == ""


def test_what_is_not_certain_is_open() -> None:
    reports = [
        f"The kettle is $42.95 or $41.15 {K}.",
        f"The kettle and the pan cost $41.15 {K}{P}.",
        f"It is $4.45 dearer than the pan {K}.",
        f"The kettle costs $41 {K}.",
        f"Two of them would be $85.90 {K}.",
        f"It was $59.99 last year {K}.",
        f"The kettle pours; shipping is $5.99 {K}.",
        f"- Price per 100 ml¹: $4.77 {K}\n- Cost of a month: $33.25 {K}\n- Harrowgill kettle, deposit: $25.50 {K}",
        f"With the $12.49 scale thrown in you are at $55.44 {K}.",
        f"For $38.50 the Fennick does as well {K}.",
        f"It clears your 4-star bar and your 100 reviews {K}.",
        f"12 negative reviews mention rust {K}. One star of 5 goes off for the lid {K}.",
        f"Costs between $38 and $43 {K}{P}. From $20.95 {K}.",
        f"The jar is worth €20 {J}; the kettle would be €39.90 in Europe {K}.",
        f"It works out at about three dollars a towel {EACH}; 6 in the pack. You save $103.75.",
        f"a gap of $12.49 between 2 good choices {GAP}",  # a price that is shown
        f"The warranty runs until March 2024 {O1}, and from May 3, 2022 to May 5, 2022 it was repaired {O1}.",
        f"## Under $50 for a gift\n\nThe kettle pours {K}.",
        f"Steel pans cost $20.10 {W}.",
        f"Fennick mugs are $27, the Fennick pan $38.50 {M}{P}.",
        "The kettle costs $1.",
    ]
    assert [f"{report} → {read(report)}" for report in reports if read(report)] == []


def test_derivations_verify_nothing_without_cents() -> None:
    """Of whole dollars most follow from something by accident: once, 23 of 35 budgets were ticked."""
    query = QUERY.model_copy(
        update={
            "text": "A kettle and towels for $35.",
            "wish": QUERY.wish and QUERY.wish.model_copy(update={"budget": Money.of(35)}),
        }
    )
    ledger = replace(a_ledger([Pick(product=KETTLE.product_id)]), query_text=query.text, budget=Money.of(Decimal(35)))
    said = [
        sentence.format(dollars)
        for dollars in range(1, 36)
        for sentence in (
            f"That leaves ${{}} of your $35 {K}{T}.",
            f"It is ${{}} over your budget {K}.",
            f"${{}} left {LEFT}",
        )
    ]
    assert [one for one in said for value in values_in(one, ledger) if value.state == "verified"] == []


def test_signs_and_plain_labels_are_read_in_any_language() -> None:
    rows = [
        (f"- Kessel {K} (42,95 $)", "price 42.95"),
        (f"- Preis: 40,95 $ {K}", "price 40.95!"),
        (f"| Ware | Note |\n|---|---|\n| Kessel {K} | 4,9 / 5 |", "rating 4.9!"),
        (f"| Ware | Nombre d’avis |\n|---|---|\n| Kessel {K} | 1 483 |", "rating_count 1483!"),
        (f"| Bestellung | Bestelldatum |\n|---|---|\n| {O2} | 30.10.2021 |", "order_date 2021-10-30!"),
        (f"| Ware | 注文日 |\n|---|---|\n| Waage {O1} | 2022年3月15日 |", "order_date 2022-03-15!"),
        (f"Die Waage wurde am 14. März 2022 bestellt {O1}.", "order_date 2022-03-14"),
        (f"Der Kessel hat 4,6 Sterne bei 1.483 Bewertungen {K}.", "rating 4.6, rating_count 1483!"),
        (f"Der Kessel kostet unter 47 $ {K}.", ""),
        (f"- Kessel {K} (ab 40,95 $)", ""),
        (f"- Preis pro 100 g: 2,10 $ {K}\n- Versand: 4,99 $ {K}", ""),
        (f"| Ware | Stückpreis |\n|---|---|\n| Kessel {K} | 3,05 $ |", ""),
        (f"| Ware | Prix au kilo |\n|---|---|\n| Kessel {K} | 12,10 $ |", ""),
        (f"12 Bewertungen nennen Rost {K}.", ""),
    ]
    assert wrongly_read([(f"{report}\n\n{GERMAN}", expected) for report, expected in rows]) == []


def test_power_counts_the_figures_whose_other_digit_is_found() -> None:
    case = Case(f"The kettle costs $42.95 {K}. It has at most 4.6 stars {K}.\n{TABLE}", EVIDENCE, QUERY)
    looked = read_report(case).looked_at
    # All but the stars, of which a limit is said.
    assert (looked.altered, looked.caught, looked.contradicted) == (8, 7, 0)
    assert looked.power == 7 / 8
    assert "(0.88 of the right ones would be found if wrong)" in looked.in_words
    nothing = read_report(Case(f"It pours well {K}.", EVIDENCE, QUERY)).looked_at
    assert (nothing.power, nothing.in_words) == (None, "no numbers")


def test_where_a_model_has_read_form_is_silent_but_for_sums_quoted_words_and_what_calculations_leave() -> None:
    report = (
        f"The kettle costs $41.15 {K}. In all: $42.95 + $17.99 = $66.94. “it never leaks on the table” {K} "
        f"This leaves $24.06 of your $75 {LEFT}."
    )
    case = Case(report, EVIDENCE, QUERY)
    kinds = [value.kind for value in read_report(case).values]
    assert kinds == ["price", "equation", "quotation", "total"]
    refused = Reading(reader="model:m", spans=((0, len(report)),))
    assert [value.kind for value in read_report(case, refused).values] == kinds[1:]
    start = report.index("$41.15")
    typed = ReadValue(kind="price", amount="41.15", of=f"P:{KETTLE.product_id}", start=start, end=start + 6)
    by_model = read_report(case, Reading(reader="model:m", values=(typed,)))
    assert [(value.kind, value.state) for value in by_model.values[:1]] == [("price", "contradicted")]
    assert len(by_model.values) == len(kinds)


def test_every_numeral_beside_a_mark_counts_and_is_decided_or_not() -> None:
    listed = f"1. Kettle: rated 4.6 of 5 {K}\n2. Order 1000000001 of March 14, 2022 {O1}\n3. Model B12-5 {K}"
    table = f"| # | Kettle {K} |\n|---|---|\n| Price | $42.95 |\n| See | https://a.example/2024/5 |"
    open_ones = f"It holds 0.9 cups and boils for four minutes {K}. It is 20 years old."
    for report, counts in ((open_ones, (1, 0)), (listed, (3, 1)), (table, (1, 1)), ("It holds 3 L.", (0, 0))):
        looked = read_report(Case(report, EVIDENCE, QUERY)).looked_at
        assert (looked.numerals, looked.decided) == counts, report


PARTS = st.sampled_from(
    [K, P, TOTAL, O1, "$42.95", "4.6 (1,843)", "| a | b |\n", "|---|---|\n", "- ", "\n\n", "# ", ". ", "3/4", "“", "”"]
)


@given(st.lists(PARTS | st.text(max_size=8), max_size=30).map("".join))
def test_any_text_is_read_and_values_lie_within_it(report: str) -> None:
    layout = read_layout(report, EVIDENCE)
    places = [*values_in(report), *numerals_in(layout, parts_by_marks(layout))]
    assert all(0 <= one.start < one.end <= len(report) for one in places)


@pytest.mark.parametrize("figure", ["$ⅩⅩⅩⅤ", "$₃₅", "$３５", "$३५", "½ of it", "③ euros", "²³ euros"])
def test_what_looks_like_a_figure_counts_as_not_looked_at(figure: str) -> None:
    looked = read_report(Case(f"The kettle costs {figure} {K}.", EVIDENCE, QUERY)).looked_at
    assert (looked.numerals, looked.decided - looked.contradicted) == (1, 0)


def test_a_raised_number_of_a_list_is_a_mark_and_no_figure() -> None:
    report = f"The kettle boils ① {K}.\n\n## Sources\n① https://a.example/kettle\n"
    assert read_report(Case(report, EVIDENCE, QUERY)).looked_at.numerals == 0
