"""What the form reader says of true and of false statements in many styles; a false price is one in whatever form."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.text.untrusted import visible
from drretail.grounding.verify.findings import value_findings
from drretail.records.reading import Pick, Reading
from tests.grounding.goods import EACH, GAP, LEFT, O1, O2, TOTAL, J, K, M, P, S, T, errors_in, reading_of

TABLE = f"""
| | Price | Rating (n) | Per towel | Source |
|---|---:|---|---|---|
| Kettle | $42.95 | 4.6 (1,843) | – | {K} |
| Towels | 17.99 | ★ 4.7 (2,210) | $3.00 | {T} |
| Shipping | $5.99 | | | |
| **Total** | **$66.93** | | | |
"""
UPRIGHT = f"""
| | Kettle | Pan (runner-up) |
|---|---|---|
| Price (USD) | 42.95 | 38.50 |
| Rating | 4.6/5 | 4.3/5 |
| Reviews | 1,843 | 512 |
| Price per inch | – | 3.85 |
| Warranty | 2 years | 1 year |
| Evidence | {K} | {P} |
"""
MARKS = {
    "K": K,
    "P": P,
    "T": T,
    "M": M,
    "J": J,
    "O1": O1,
    "O2": O2,
    "TOTAL": TOTAL,
    "LEFT": LEFT,
    "EACH": EACH,
    "GAP": GAP,
}
REPORTS = tomllib.loads(Path(__file__).with_name("reading.toml").read_text("utf-8"))
TRUE = [report.format(**MARKS) for report in REPORTS["true"]]
IN_GERMAN = [(report.format(**MARKS), state) for state, reports in REPORTS["in_german"].items() for report in reports]
KETTLE_AND_TOWELS = [Pick(product="B0KITCHENK"), Pick(product="B0KITCHENT")]
SECTIONS = f"### 1. Harrowgill – $42.95\n\nRating: 4.6/5 (1,843)\n\nIt pours {K}.\n\n### 2. Pan – $38.50\n\nHeavy {P}."
BILL = f"""
| # | Thing | Qty | Each | Sum |
|--:|---|--:|--:|--:|
| 1 | Harrowgill kettle {K} | 1 | 42.95 | 42.95 |
| 2 | Linnetwick towels {T} | 1 | 17.99 | 17.99 |
| | Total | | | 60.94 |
"""
HEADS = f"""
| | Harrowgill ($42.95) | Fennick ($38.50) |
|---|---|---|
| Stars | 4.6 by 1,843 | 4.3 by 512 |
| Where | {K} | {P} |
"""
NESTED = f"- **Harrowgill kettle** ($42.95)\n  - 4.6 stars, 1,843 ratings\n  - a spout {K}\n- **Towels**\n  - soft {T}"
NOTES = f"It pours.[^7] Get it.\n\n[^7]: Harrowgill kettle, $42.95, rated 4.6 by 1,843 {K}\n"
NAMED = f"The Harrowgill costs $42.95. The Fennick pan is less liked.\n\nSpout {K}. Heavy {P}."
SUMMED = f"Kettle and towels cost $60.94 together, which leaves $14.06 of the $75.\n\nA spout {K}. Soft {T}."
CARD = f"## Harrowgill kettle {K}\n\n| Fact | Value |\n|---|---|\n| Price | $42.95 |\n| Rating | 4.6 (1,843) |\n"
FALSE = [
    (SECTIONS.replace("$42.95", "$44.95"), "price_wrong", "$44.95"),
    (SECTIONS.replace("Harrowgill – $42.95", "Best of all – $44.95"), "price_wrong", "$44.95"),
    (SECTIONS.replace("(1,843)", "(1,348)"), "rating_count_wrong", "1,348"),
    (BILL.replace("| 17.99 |", "| 19.77 |", 1), "price_wrong", "19.77"),
    (BILL.replace("60.94", "66.94"), "total_wrong", "66.94"),
    (HEADS.replace("$38.50", "$35.80"), "price_wrong", "$35.80"),
    (NESTED.replace("1,843", "8,143"), "rating_count_wrong", "8,143"),
    (NOTES.replace("$42.95", "$49.25"), "price_wrong", "$49.25"),
    (CARD.replace("$42.95", "$42.59"), "price_wrong", "$42.59"),
    (f"The Harrowgill kettle costs $44.95 {K}.", "price_wrong", "$44.95"),
    (f"- **Harrowgill kettle** – USD 24.95, 4.6 from 1,843 {K}", "price_wrong", "USD 24.95"),
    (f"Der Kessel kostet 24,95 $ und ist schön {K}.", "price_wrong", "24,95 $"),
    (f"> **Top – kettle · $38.50**\n> **4.6 ★ · 1,843 ratings** {K}", "price_wrong", "$38.50"),
    (f"It has 8.6 (1,843) {K}.", "rating_wrong", "8.6"),
    (f"4.6/5 from 843 {K}", "rating_count_wrong", "843"),
    (f"Kettle and towels come to $58.94 {TOTAL}.", "total_wrong", "$58.94"),
    (f"This leaves $24.06 of your $75 {LEFT}.", "calculation_wrong", "$24.06"),
    (f"about 50 cents a towel {EACH}", "calculation_wrong", "50 cents"),
    (f"You bought the scale on May 14, 2022 {O1}.", "order_date_wrong", "May 14, 2022"),
    (f"| Order | Ordered on |\n|---|---|\n| {O1} | March 15, 2022 |", "order_date_wrong", "March 15, 2022"),
    (TABLE.replace("17.99", "19.77"), "price_wrong", "19.77"),
    (TABLE.replace("(2,210)", "(1,210)"), "rating_count_wrong", "1,210"),
    (UPRIGHT.replace("512", "152"), "rating_count_wrong", "152"),
    (f"The kettle pours {K}. In all: $42.95 + $17.99 = $66.94.", "total_wrong", "$66.94"),
    (f"Two of the towels {T}: $75 − 2 × $17.99 = $29.02", "calculation_wrong", "$29.02"),
    (f"Kettle {K}, towels {T}: $42.95 + $17.99 = $60.94.\n\nSo $24.06 of your $75 stays.", "total_wrong", "$24.06"),
    (f"Kettle $42.95 {K}, towels $17.95 {T}. Together they come to $60.90.", "price_wrong", "$17.95"),
    (f"The kettle is $44.95 {K}. Left of your $75: $30.05.", "price_wrong", "$44.95"),
    (f"1,843 buyers gave it 4.9 stars {K}.", "rating_wrong", "4.9"),
    (f"The towels cost $39.02 {T}.", "price_wrong", "$39.02"),  # the budget less two packs
    (f"On sale since May 7, 2010 {K}.", "property_wrong", "May 7, 2010"),
    (f"You bought the scale on 14 April {O1}.", "order_date_wrong", "14 April"),
    (f"The scale was returned {O1}.", "status_wrong", "returned"),
    (f"Die Bestellung wurde storniert {O1}.", "status_wrong", "storniert"),
    ("It never rusts [W:zzzzzzzz].", "unresolved_citation", "[W:zzzzzzzz]"),
]


@pytest.mark.parametrize("report", [*TRUE, TABLE, UPRIGHT, SECTIONS, BILL, HEADS, NESTED, NOTES, NAMED, SUMMED, CARD])
@pytest.mark.parametrize("picks", [None, KETTLE_AND_TOWELS], ids=["unknown", "declared"])
def test_what_is_true_is_no_error(report: str, picks: list[Pick] | None) -> None:
    assert [(one.code, one.text, one.found) for one in errors_in(report, picks)] == []


@pytest.mark.parametrize(("report", "code", "message"), FALSE)
def test_a_wrong_figure_is_an_error_at_its_place(report: str, code: str, message: str) -> None:
    (finding,) = errors_in(report, KETTLE_AND_TOWELS)
    assert (finding.code, report[finding.start : finding.end]) == (code, message)


@pytest.mark.parametrize(
    ("report", "read"),
    [
        (SECTIONS, "price K 42.95, rating K 4.6, rating_count K 1843, price P 38.50"),
        (BILL, "price K 42.95, price T 17.99"),
        (HEADS, "price K 42.95, price P 38.50, rating K 4.6, rating_count K 1843, rating P 4.3, rating_count P 512"),
        (NESTED, "price K 42.95, rating K 4.6, rating_count K 1843"),
        (NOTES, "price K 42.95, rating K 4.6, rating_count K 1843"),
        (NAMED, "price K 42.95"),
        (CARD, "price K 42.95, rating K 4.6, rating_count K 1843"),
        (f"The kettle is $42.95, 4.6 stars from 1,843 {K}.", "price K 42.95, rating K 4.6, rating_count K 1843"),
        (f"512 ratings with a mean of 4.3 {P}.", "rating_count P 512, rating P 4.3"),
        (f"Pan -> $38.50, or 38.50 dollars the piece {P}.", "price P 38.50, price P 38.50"),
        (f"The pan {P}, heavier than most, but its 4.3 does not shine.", "rating P 4.3"),
    ],
)
def test_figures_are_read_of_the_product_that_the_layout_names(report: str, read: str) -> None:
    values = reading_of(report).values
    assert ", ".join(f"{value.kind} {value.of[0][-1]} {value.amount}" for value in values) == read
    assert {value.state for value in values} == {"verified"}


def test_totals_are_read_against_declared_picks_and_what_nothing_explains_is_counted_and_not_judged() -> None:
    values = reading_of(SUMMED, KETTLE_AND_TOWELS).values
    assert [(value.kind, value.amount) for value in values] == [("total", "60.94"), ("left_over", "14.06")]
    reading = reading_of(f"It saves you $333 a year {K}. It costs $42.95 {K}.")
    assert (reading.seen, reading.read, [value.state for value in reading.values]) == (2, 1, ["verified"])
    assert len(reading.unread) == 1
    uncited = reading_of("The kettle costs $1.")
    assert (uncited.values, uncited.picks, uncited.seen) == ((), None, 0)


@pytest.mark.parametrize(
    ("report", "numerals", "decided"),
    [
        (f"It holds 0.9 L and costs $42.95 {K}.", 2, 2),  # the unit stands in the title
        (f"It holds 0.9 cups and boils for 4 minutes {K}. It is 20 years old.", 2, 0),
        (f"1. Kettle: 4.6 of 5 {K}\n2. Order 1000000001 of March 14, 2022 {O1}\n3. Model B12-5, 756mbmmg {K}", 3, 2),
        (f"| # | Kettle {K} |\n|---|---|\n| 1 | 0.9 L |\n| Watts | 1500 |\n| See | https://a.example/2024/5 |", 2, 1),
        ("It holds 3 L. It costs $9.", 0, 0),
    ],
)
def test_every_numeral_beside_a_mark_counts_and_is_decided_or_not(report: str, numerals: int, decided: int) -> None:
    assert reading_of(report).looked_at == (numerals, decided, 0, 0)


@pytest.mark.parametrize(
    ("report", "picks"),
    [
        # the first statement with its price
        (f"# Kettle\n\n**Get the Harrowgill, $42.95** {K}.\n\nThe pan is heavy {P}.", "K x 1"),
        # several things whose sum is stated
        (f"Get the kettle for $42.95 {K} and the towels for $17.99 {T}: $60.94 in all.", "K x 1, T x 1"),
        (
            f"Order these:\n\n- Kettle, $42.95 {K}\n- Towels, $17.99 {T}\n\nTogether $60.94. The pan is heavy {P}.",
            "K x 1, T x 1",
        ),
        (f"| What | Price |\n|---|---|\n| Kettle {K} | $42.95 |\n| Towels | $17.99 {T} |\n\n$60.94", "K x 1, T x 1"),
        # what is taken from the budget, or added up
        (
            f"Towels {T}, then a kettle {K}.\n\nThat leaves $14.06 {LEFT} of your $75, as they are $60.94 {TOTAL}.",
            "T x 1, K x 1",
        ),
        (f"The pan is out {P}. Towels are soft {T}, the kettle pours {K}: $42.95 + $17.99 = $60.94.", "T x 1, K x 1"),
        (f"A pan {P}? No: $75 − $42.95 − $17.99 = $14.06 stays with towels {T} and kettle {K}.", "T x 1, K x 1"),
        (f"The mugs {M} would do. Towels {T}: 3 × $17.99 = $53.97.", "T x 3"),
    ],
)
def test_picks_that_layout_or_calculations_make_certain(report: str, picks: str) -> None:
    read = reading_of(report).picks or ()
    assert ", ".join(f"{pick.product.removeprefix('B0KITCHEN')} x {pick.quantity}" for pick in read) == picks


@pytest.mark.parametrize(
    "report",
    [
        f"The kettle {K} leaves $75 − $42.95 = $32.05, the pan {P} $75 − $38.50 = $36.50.",
        f"First of all get the pan, $38.50 {P}.\n\nKettle {K}: $75 − $42.95 = $32.05.",
        f"Kettle {K} and jar {J}: $42.95 + $20.00 = $62.95.",
        f"Get the kettle for $42.95 {K} or the pan for $38.50 {P}.",
        f"Three would do:\n\n- Kettle, $42.95 {K}\n- Towels, $17.99 {T}\n",
        f"The pan at $38.50 {P} is nice.\n\nThe kettle is better {K}. It pours {K}.",
        f"Two kettles $42.95 {K}, mugs $27.00 {M} and a pan $38.50 {P} make $108.45.",
        f"You own the scale, $12.49 {S}.",
        f"The kettle of March {O1} is $42.95 {K}.",
    ],
)
def test_where_form_leaves_a_doubt_picks_are_not_known(report: str) -> None:
    assert reading_of(report).picks is None


PARTS = st.sampled_from(
    [
        *(K, P, TOTAL, O1, "$42.95", "4.6 (1,843)", "| a | b |\n", "|---|---|\n", "- ", "\n\n", "# ", ". "),
        *("3/4", "It ", "[", "("),
    ]
)


@given(st.lists(PARTS | st.text(max_size=8), max_size=30).map("".join))
def test_any_text_is_read_and_values_lie_within_it(report: str) -> None:
    reading = reading_of(report)
    assert reading.read <= reading.seen
    assert all(0 <= value.start < value.end <= len(report) for value in reading.values)


GERMAN = (
    "Die Auswahl ist nach den Angaben im Laden und nach den früheren Bestellungen getroffen, und alle Preise gelten "
    "ohne Versand; geprüft wurde außerdem, ob die Bewertungen von vielen Käufern stammen und ob der Hersteller schon "
    "bekannt ist, denn das war in der Frage gewünscht."
)


def states_in(report: str) -> list[tuple[str, str | tuple[str, str], str]]:
    """The values of a report of which a paragraph is German, by kind, amount and state."""
    values = reading_of(f"{report}\n\n{GERMAN}").values
    return [(value.kind, value.amount, value.state) for value in values]


def test_a_rating_with_its_number_is_read_in_another_language() -> None:
    assert states_in(f"Der Kessel hat 4,6 Sterne bei 1.483 Bewertungen {K}.") == [
        ("rating", "4.6", "verified"),
        ("rating_count", "1483", "contradicted"),
    ]


def test_a_table_in_another_language_is_read_by_its_labels() -> None:
    table = f"""| Produkt | Preis | Bewertung | Bewertungen |
|---|---|---|---|
| Kessel {K} | 42,95 $ | 4,6 | 1.843 |
| Pfanne {P} | 39,50 $ | 4,3 | 512 |
| Tücher {T} | ab 16,99 $ | 4,7 | ca. 2.000 |"""
    assert states_in(table) == [
        ("price", "42.95", "verified"),
        ("rating", "4.6", "verified"),
        ("rating_count", "1843", "verified"),
        ("price", "39.50", "contradicted"),
        ("rating", "4.3", "verified"),
        ("rating_count", "512", "verified"),
        ("rating", "4.7", "verified"),
    ]


@pytest.mark.parametrize(("report", "state"), IN_GERMAN)
def test_only_what_is_set_off_from_words_is_contradicted_in_another_language(report: str, state: str) -> None:
    assert [found for _, _, found in states_in(report)] == ([] if state == "none" else [state])


@pytest.mark.parametrize("count", ["1,843件のレビュー", "レビュー数：1,843件", "1843条评论"])
def test_what_is_written_without_spaces_is_no_english_report(count: str) -> None:
    prose = (
        "店の商品ページをもとに選びました送料は含まれていません価格は変わることがありますので購入前にご確認ください。"
    )
    values = reading_of(f"{prose * 2}\n\n- {count} {K}\n- 価格：42.95ドル {K}").values
    assert [(value.kind, value.state) for value in values] == [("rating_count", "verified"), ("price", "verified")]


FORMS = tomllib.loads(Path(__file__).with_name("false_figures.toml").read_text("utf-8"))
PLAIN = "The kettle costs FIGURE MARK."


def reports(around: str, spelled: str) -> list[tuple[str, str]]:
    """False reports, each with its true twin."""
    forms = [(report, "$73.18", "$42.95") for report in FORMS[around]]
    forms += [(PLAIN, false, true) for false, true in FORMS[spelled]]
    return [(written(report, false), written(report, true)) for report, false, true in forms]


def written(report: str, figure: str) -> str:
    return visible(report.replace("FIGURE", figure).replace("MARK", K))


def read(report: str) -> tuple[Reading, list[str]]:
    reading = reading_of(report)
    return reading, [finding.code for finding in value_findings(report, reading.values)]


@pytest.mark.parametrize(("false", "true"), reports("around", "spelled"))
def test_a_false_price_is_an_error_in_any_form_and_the_true_one_is_none(false: str, true: str) -> None:
    assert (read(false)[1], read(true)[1]) == (["price_wrong"], [])


@pytest.mark.parametrize(("false", "true"), reports("around_unread", "spelled_unread"))
def test_a_figure_that_code_cannot_read_lowers_what_was_looked_at(false: str, true: str) -> None:
    reading, errors = read(false)
    assert (errors, reading.looked_at.decided < reading.looked_at.numerals) == ([], True)
    assert read(true)[1] == []


@pytest.mark.parametrize("price", ["€42.95", "42.95 EUR", "£42.95", "CHF 42.95"])
def test_the_right_number_in_another_currency_is_a_false_price(price: str) -> None:
    assert read(written(PLAIN, price))[1] == ["price_wrong"]
    assert read(written(PLAIN, "US$42.95"))[1] == []
