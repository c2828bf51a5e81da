"""What form makes certain in a report, and what it leaves open; in any language, and where a model has read."""

import re
from dataclasses import replace
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from drretail.records.reading import Pick, Reading, ReadValue
from drretail.reports.layout import read_layout
from drretail.shopping.verify.checks import Case, read_report
from drretail.shopping.verify.parts import numerals_in, parts_by_marks
from tests.goods import (
    EACH,
    EVIDENCE,
    GAP,
    GERMAN,
    KETTLE,
    LEFT,
    O1,
    O2,
    QUERY,
    TOTAL,
    J,
    K,
    M,
    P,
    T,
    a_ledger,
    check_reading,
    values_in,
)

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
| Evidence | {K} | {P} |
"""
BILL = f"""
| # | Thing | Qty | Each | Sum |
|--:|---|--:|--:|--:|
| 1 | Harrowgill kettle {K} | 1 | 42.95 | 42.95 |
| 2 | Linnetwick towels {T} | 2 | 17.99 | 35.98 |
| | Total | | | 78.93 |
"""


def test_one_source_and_one_figure_of_a_kind_are_certain() -> None:
    rows = {
        f"> **Top · $38.50**\n> **4.6 ★ · 1,843 ratings** {K}": "price 38.50!, rating 4.6, rating_count 1843",
        f"The kettle has 4.0 stars {K}.": "",  # which the query asks for
        f"The kettle {K} costs $44.95 and the pan $38.50 {P}.": "price 44.95!, price 38.50",
        f"The scale was here on May 13, 2022 {O1}.": "",  # it may have come then
        f"The scale was here on March 13, 2022 {O1}.": "order_date 2022-03-13!",
        f"The scale was here on May 14, 2022 {O1}.": "order_date 2022-05-14!",
        f"You bought the scale on 14 April {O1}, and mugs in November 2021 {O2}.": "order_date --04-14!",
        f"Together they make $60.94 of the $75; three colors, 2 sizes {TOTAL}.": "total 60.94",
        f"Shipping is free from at least $150.00 {LEFT}.": "",  # a limit
        f"At $42.95 it leaves $24.06 {K}{LEFT}.": "total 24.06!",  # beside the price of what it is about
        f"Rated 4.6 (2052 ratings) {K}.": "rating 4.6, rating_count 2052!",  # no year
        # Beside the right number of ratings stands the rating, and behind a rating the number of its buyers.
        f"The mugs are well liked, at 4.3 from 447 people {M}.": "rating 4.3!, rating_count 447",
        f"Rated 4.8 by 744 buyers {M}.": "rating 4.8, rating_count 744!",
        f"The runner-up: $42.95, 700 watts, 4.6 stars {K}.": "price 42.95, rating 4.6",  # not 2.95 by 700
        f"A 4.3-star average, 4.4 of 5 for looks {M}.": "",
        f"It clears your 4.3-star bar {M}.": "",
        f"It has a rating of 4.4 {M}.": "rating 4.4!",
        f"Kettle $43.95 {K} + towels $17.99 {T}": "price 43.95!, price 17.99",
        f"It beats the $51.00 kettle {K}.": "",  # which may be another one
        f"The kettle ($42.95) is $5.45 dearer than the pan ($38.50) {GAP}.": "total 42.95, total 5.45!, total 38.50",
        f"You spend $60.94, and a lid is $9.99 {TOTAL}.": "total 60.94",
        f"You spend $66.94, and $15.06 are left {TOTAL}{LEFT}.": "",  # which is which?
    }
    check_reading(rows)


def test_behind_a_mark_after_a_name_only_a_figure_to_which_labels_alone_lead_is_denied() -> None:
    rows = {
        f"The Harrowgill kettle {K}, which costs $44.95, is popular.": "price 44.95!",
        f"The Harrowgill kettle {K} at $42.95 has 4.1 stars.": "price 42.95, rating 4.1!",
        f"The Harrowgill kettle {K} has 2,052 ratings.": "rating_count 2052!",
    }
    open_ones = (
        f"The Harrowgill kettle {K}, whose lid costs $44.95.",
        f"The Harrowgill kettle {K} needs filters, which cost $44.95.",
        f"The Harrowgill kettle {K}, and for $44.95 you get a lid.",
        f"Unlike the Harrowgill kettle {K}, it costs $44.95.",
        f"The Harrowgill kettle {K} was $44.95 last year.",
    )
    check_reading(rows | dict.fromkeys(open_ones, ""))


CHANGED = """half of {} | 50% of {} | ⅓ of {} | not {} | twice {} | a tenth of {} | more than {} | −{}
{} minus 20% | {} less than the pan | {} per cup | {} a month | {} off | {} thousand | {}% | {} /100"""


def test_a_price_that_words_or_signs_beside_it_change_is_left_open() -> None:
    prices = [form.strip() for form in re.split(r"[|\n]", CHANGED)]
    written = [price.format(amount) for price in prices for amount in ("$42.95", "$44.95")]
    check_reading({f"The Harrowgill kettle costs {price} {K}.": "" for price in written})


def test_tables_are_read_by_plain_heads() -> None:
    rows = {
        TABLE.replace("17.99", "19.77"): "price 42.95, rating 4.6, rating_count 1843, price 19.77!, "
        "rating 4.7, rating_count 2210",
        UPRIGHT.replace("512", "152"): "price 42.95, price 38.50, rating_count 1843, rating_count 152!",
        BILL: "price 42.95, price 17.99",  # numbers of rows are no numbers of ratings
        f"| Item | Price |\n|---|---|\n| Towels {T} | $35.98 |": "",  # of two
        f"| Item | List price | Unit price |\n|---|---|---|\n| Pan {P} | $59.99 | $3.85 |": "",
        f"| Item | Count |\n|---|---|\n| Towels {T} | 6 |": "",
        f"| | Watts a year |\n|---|---|\n| Kettle {K} | 12.50 {EACH} |": "",
        f"| Order | Ordered on |\n|---|---|\n| {O1} | March 15, 2022 |": "order_date 2022-03-15!",
    }
    check_reading(rows)


def test_what_is_not_certain_is_open() -> None:
    reports = [
        f"The kettle and the pan cost $41.15 {K}{P}.",
        f"It is $4.45 dearer than the pan {K}.",
        f"The kettle costs $41 {K}.",
        f"## Shipping\n\n- Cost: $5.99 {K}\n- Reviews: 12 bad {K}",
        f"- Price per 100 ml¹: $4.77 {K}\n- Cost of a month: $33.25 {K}\n- Harrowgill kettle, deposit: $25.50 {K}",
        f"For $38.50 the Fennick does as well {K}.",
        f"It clears your 4-star bar and your 100 reviews {K}.",
        f"The jar is worth €20 {J}; the kettle would be €39.90 in Europe {K}.",
        f"a gap of $12.49 between 2 good choices {GAP}",  # a price that is shown
        f"The warranty runs until March 2024 {O1}, and from May 3, 2022 to May 5, 2022 it was repaired {O1}.",
        "The kettle costs $1.",
    ]
    check_reading(dict.fromkeys(reports, ""))


def test_derivations_verify_nothing_without_cents() -> None:
    """Of whole dollars most follow from something by accident: once, 23 of 35 budgets were ticked."""
    budget = {"query_text": "A kettle and towels for $35.", "limit": Decimal(35)}
    ledger = replace(a_ledger([Pick(product=KETTLE.product_id)]), **budget)
    forms = (f"That leaves ${{}} of your $35 {K}{T}.", f"It is ${{}} over your budget {K}.", f"${{}} left {LEFT}")
    said = [form.format(dollars) for dollars in range(1, 36) for form in forms]
    assert [words for words in said for value in values_in(words, ledger) if value.state == "verified"] == []


def test_signs_and_plain_labels_are_read_in_any_language() -> None:
    rows = {
        f"| Ware | Note |\n|---|---|\n| Kessel {K} | 4,9 / 5 |": "rating 4.9!",
        f"| Bestellung | Bestelldatum |\n|---|---|\n| {O2} | 30.10.2021 |": "order_date 2021-10-30!",
        f"Der Kessel hat 4,6 Sterne bei 1.483 Bewertungen {K}.": "rating 4.6, rating_count 1483!",
        f"- Kessel {K} (ab 40,95 $)": "",
        f"- Preis pro 100 g: 2,10 $ {K}\n- Versand: 4,99 $ {K}": "",
        f"| Ware | Stückpreis |\n|---|---|\n| Kessel {K} | 3,05 $ |": "",
    }
    check_reading(rows, f"\n\n{GERMAN}")
    # A text that is too short to tell its language by may be in any.
    short = {
        f"Preis: 41,00 $ {K}": "price 41.00!",
        f"Mit 4,1 Sternen bei 1.843 Bewertungen {K}": "rating 4.1!, rating_count 1843",
        f"水壶售价44.95美元，评分4.1，共1,843条评价{K}。": "price 44.95!, rating 4.1!, rating_count 1843",
        f"価格は43.95ドルで、送料は20.99ドルです{K}。": "",
    }
    check_reading(short)


def test_power_counts_random_changes_and_what_can_not_be_is_found() -> None:
    case = Case(f"The kettle costs $42.95 {K}. It has at most 4.6 stars {K}.\n{TABLE}", EVIDENCE, QUERY)
    looked = read_report(case).looked_at
    # None of the stars, of which a limit is said, and few that are far from what is right.
    assert (looked.altered, looked.contradicted) == (80, 0)
    assert 0.5 < (looked.power or 0) < 7 / 8
    assert f"({looked.power:.2f} of 80 random changes of right ones found)" in looked.in_words
    check_reading({f"It costs $429.50 {K}.": "price 429.50!", f"It has 9.3 of 5 {K}.": "rating 9.3!"})
    nothing = read_report(Case(f"It pours well {K}.", EVIDENCE, QUERY)).looked_at
    assert (nothing.power, nothing.in_words) == (None, "no numbers")


def test_where_a_model_has_read_form_is_silent_but_for_sums_quotations_calculations_and_what_is_contradicted() -> None:
    report = (
        f"The kettle costs $41.15 {K}. In all: $42.95 + $17.99 = $66.94. “it never leaks on the table” {K} "
        f"This leaves $24.06 of your $75 {LEFT}."
    )
    case = Case(report, EVIDENCE, QUERY)
    kinds = [value.kind for value in read_report(case).values]
    assert kinds == ["price", "equation", "quotation", "total"]
    refused = Reading(reader="model:m", spans=((0, len(report)),))
    assert [value.kind for value in read_report(case, refused).values] == kinds
    right = Case(report.replace("$41.15", "$42.95"), EVIDENCE, QUERY)
    assert [value.kind for value in read_report(right, refused).values] == kinds[1:]
    start = report.index("$41.15")
    typed = ReadValue(kind="price", amount="41.15", of=f"P:{KETTLE.product_id}", start=start, end=start + 6)
    by_model = read_report(case, Reading(reader="model:m", values=(typed,)))
    assert [(value.kind, value.state) for value in by_model.values[:1]] == [("price", "contradicted")]
    assert len(by_model.values) == len(kinds)


PARTS = st.sampled_from(
    [K, P, TOTAL, O1, "$42.95", "4.6 (1,843)", "| a | b |\n", "|---|---|\n", "- ", "\n\n", "# ", ". ", "3/4", "“", "”"]
)


@given(st.lists(PARTS | st.text(max_size=8), max_size=30).map("".join))
def test_any_text_is_read_and_values_lie_within_it(report: str) -> None:
    layout = read_layout(report, EVIDENCE)
    places = [*values_in(report), *numerals_in(layout, parts_by_marks(layout))]
    assert all(0 <= one.start < one.end <= len(report) for one in places)
