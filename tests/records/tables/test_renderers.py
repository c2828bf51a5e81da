"""One table, drawn in each form, its parts, and numbers as text."""

import csv
import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.records.tables import figures
from drretail.records.tables.markup import latex_table, markdown_table
from drretail.records.tables.result import parts, table_lines
from drretail.records.tables.sheets import csv_table
from drretail.records.tables.table import Cell, Column, Row, Table, table_of

SCORES = Table(
    "Scores",
    (Column("FP"), Column("words")),
    (
        Row(
            "react",
            (Cell(0.7412, "number", 0.68, 0.8, n=48, planned=50, missing=("2 n/a",)), Cell(1234.6, "count")),
            "react@m",
        ),
        Row("oracle", (Cell(1.0, "number", n=50, planned=50), None), "oracle", "ceiling"),
    ),
    heading="System",
)


def test_a_terminal_has_every_figure_whole_and_a_rule_above_the_oracle() -> None:
    assert table_lines(SCORES, 80) == [
        "System              FP  words",
        "─────────────────────────────",
        "react   0.74 (.68–.80)  1,235",
        "              48 of 50",
        "                 2 n/a",
        "─────────────────────────────",
        "oracle            1.00      –",
        "                  n=50",
    ]
    heading, rule = table_lines(replace(SCORES, rows=()), 80)
    assert heading.split() == ["System", "FP", "words"]
    assert set(rule) == {"─"}


def test_where_room_lacks_intervals_go_below_their_values() -> None:
    lines = table_lines(replace(SCORES, rows=SCORES.rows[:1]), 22)
    assert "  ".join(lines[2].split()) == "react  0.74  1,235"
    assert lines[3].split() == [".68–.80"]


LABELS = st.lists(st.text("ab_-@+ ", min_size=1, max_size=40).filter(str.strip), min_size=1, max_size=4)


@given(LABELS, st.lists(st.floats(0, 1e6), min_size=1, max_size=12), st.integers(60, 120))
def test_no_figure_is_broken_or_lost_and_lines_fit(names: list[str], values: list[float], width: int) -> None:
    columns = [f"column_{at}" for at, _ in enumerate(values)]
    table = table_of("", ["", *columns], [(name, *values) for name in names])
    lines = table_lines(table, width)
    words = " ".join(lines).split()
    assert max(map(len, lines)) <= width
    for cell in table.rows[0].cells:
        assert cell is not None
        assert words.count(cell.text) >= len(names)


def test_markdown_keeps_intervals_and_counts_and_sets_numbers_to_the_right() -> None:
    lines = markdown_table(SCORES).splitlines()
    head, rule, first = ([each.strip() for each in line.strip("|").split("|")] for line in lines[:3])
    assert head == ["System", "FP", "words"]
    assert [each[-1] for each in rule] == ["-", ":", ":"]
    assert first == ["react", "0.74 (.68–.80), 48 of 50, 2 n/a", "1,235"]
    assert markdown_table(SCORES).endswith("\n\nn: planned runs that a value is over.")
    assert "a\\|b" in markdown_table(table_of("", ["x", "y"], [("a|b", 1)]))


def test_csv_has_values_unrounded_and_their_ends_beside() -> None:
    head, first, _ = csv.reader(io.StringIO(csv_table(SCORES).decode("utf-8-sig")))
    assert head == ["System", "FP", "FP low", "FP high", "FP n", "FP planned", "FP missing", "words"]
    assert first == ["react@m", "0.7412", "0.68", "0.8", "48", "50", "2 n/a", "1234.6"]


def test_csv_has_both_ends_of_an_interval_that_begins_at_zero() -> None:
    table = replace(SCORES, columns=SCORES.columns[:1], rows=(Row("none", (Cell(0.0, "percent", 0.0, 0.08),)),))
    head, none = csv.reader(io.StringIO(csv_table(table).decode("utf-8-sig")))
    assert dict(zip(head, none, strict=True)) == {"System": "none", "FP": "0.0", "FP low": "0.0", "FP high": "0.08"}


def test_latex_is_as_wide_as_a_page_with_a_rule_above_the_oracle_and_no_raw_character() -> None:
    column = Column("50% & more", meaning="a_b")
    table = replace(SCORES, columns=(column, SCORES.columns[1]), notes=("one\ntwo",))
    assert (
        latex_table(table)
        == r"""% 50% & more: a_b.
% one
% two
\begin{table*}
\centering\small\setlength{\tabcolsep}{3pt}\setlength{\belowcaptionskip}{4pt}
\caption{Scores. n: planned runs that a value is over.}
\begin{tabular*}{\textwidth}{@{\extracolsep{\fill}}lrr}
\toprule
System & 50\% \& more & words \\
\midrule
react & 0.74 & 1,235 \\
 & {\scriptsize .68--.80, 48 of 50, 2 n/a} &  \\
\midrule
oracle & 1.00 & -- \\
 & {\scriptsize n=50} &  \\
\bottomrule
\end{tabular*}
\end{table*}
"""
    )
    columns = tuple(Column(f"metric{at}") for at in range(12))
    drawn = latex_table(Table("Many", columns, (Row("a", tuple(Cell(0.5, "number", 0.25, 0.75) for _ in columns)),)))
    assert (drawn.count(r"\begin{tabular*}"), drawn.count(r"\begin{table*}")) == (2, 1)
    assert all(f"& metric{at} " in drawn for at in range(12))
    assert drawn.count(".25--.75") == 12


@pytest.mark.parametrize(
    ("cell", "text", "interval"),
    [
        (Cell(9, "of_all", 0.55, 1.0, n=10), "9 of 10", "55–100"),
        (Cell(9, "fraction", n=10), "9/10", ""),
        (Cell(1, "of_all", -0.13, 0.33, signed=True), "+1", "-13 to 33"),
        (Cell(0.98, "short"), ".98", ""),
        (Cell(-0.014, "short", signed=True), "-.01", ""),
        (Cell(23_000, "thousands", signed=True), "+23k", ""),
        (Cell(4_700, "thousands"), "4.7k", ""),
        (Cell(0.0, "tenths", signed=True), "0.0", ""),
    ],
)
def test_a_cell_is_one_number_in_the_form_of_its_kind(cell: Cell, text: str, interval: str) -> None:
    assert (cell.text, cell.interval, cell.counts) == (text, interval, "")


BASIS = "n: planned runs that a value is over."


@pytest.mark.parametrize(
    ("counts", "shown", "basis"),
    [
        ([(10, 10), (10, 10)], ["n=10", "n=10"], BASIS),
        ([(1, 11), (11, 11)], ["1 of 11", "n=11"], BASIS),
        ([(0, 11), (9, None)], ["", "n=9"], ""),  # without a value, the reason is shown
        ([(None, None)], [""], ""),
    ],
)
def test_n_stands_beside_every_value_and_below_the_table_what_it_counts(
    counts: list[tuple[int | None, int | None]], shown: list[str], basis: str
) -> None:
    rows = [Row(str(at), (Cell(0.5, "number", n=n, planned=planned),)) for at, (n, planned) in enumerate(counts)]
    table = Table("", (Column("FP"),), tuple(rows))
    assert [row.cells[0].denominator for row in rows if row.cells[0]] == shown
    assert table.basis == basis


def test_a_cell_in_json_has_its_ends_and_its_denominator() -> None:
    first, second = SCORES.rows[0].cells
    assert first is not None
    assert second is not None
    counts = {"n": 48, "planned": 50, "missing": ("2 n/a",)}
    assert first.document() == {"value": 0.7412, "low": 0.68, "high": 0.8, **counts}
    assert second.document() == 1234.6


def columns(groups: str) -> list[Column]:
    return [Column(f"{group}{at}", group) for at, group in enumerate(groups)]


@pytest.mark.parametrize(
    ("groups", "widths", "room", "made"),
    [
        ("aaabbb", [1] * 6, 4, [[0, 1, 2], [3, 4, 5]]),  # a group stays together where it fits by itself
        ("aaaaab", [1] * 6, 2, [[0, 1], [2, 3], [4, 5]]),  # and is torn where it doesn't
        ("abc", [1, 9, 1], 4, [[0], [1], [2]]),  # but for one that is too wide
    ],
)
def test_columns_are_parted_by_group(groups: str, widths: list[int], room: int, made: list[list[int]]) -> None:
    assert parts(columns(groups), widths, room) == made


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 5)), max_size=20), st.integers(5, 12))
def test_every_column_stands_once_in_order_and_every_part_fits(given_columns: list[tuple[str, int]], room: int) -> None:
    widths = [width for _, width in given_columns]
    made = parts(columns("".join(group for group, _ in given_columns)), widths, room)
    assert [place for part in made for place in part] == list(range(len(widths)))
    assert all(part and sum(widths[place] for place in part) <= room for part in made)


NUMBERS = st.floats(-1e6, 1e6, allow_nan=False)


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (0.676, 0.8, ".68–.80"),
        (0.631, 1.0, ".63–1"),
        (0.0, 0.37, "0–.37"),
        (-0.124, 0.3, "-.12 to .30"),
        (-1.0, 1.0, "-1 to 1"),
        (0.12, 1.58, "0.12–1.58"),
        (148.5, 327.24, "148.5–327.2"),
    ],
)
def test_an_interval_of_shares_has_no_zeros_in_front(low: float, high: float, shown: str) -> None:
    assert figures.interval(low, high) == shown


def test_figures_have_the_digits_that_they_need() -> None:
    assert [figures.dollars(each) for each in (12.345, 1.0, 0.0123, 0.0)] == ["12.35", "1.00", "0.0123", "0.00"]
    assert [figures.spread(1370.4, each) for each in (58.2, None)] == ["1,370 ± 58", "1,370"]
    assert figures.spread(19.52, 8.04) == "19.5 ± 8.0"


@given(NUMBERS)
def test_a_sign_stands_where_a_difference_can_be_seen(value: float) -> None:
    shown = figures.signed(value)
    assert float(shown.replace(",", "")) == pytest.approx(value, abs=0.051)
    assert shown.startswith(("+", "-")) == (float(shown.replace(",", "")) != 0)


@pytest.mark.parametrize(
    ("value", "shown"), [(87, "87"), (100, "100"), (163, "160"), (1104, "1,100"), (2856, "2,900"), (None, "–")]
)
def test_a_number_that_is_roughly_known_has_two_digits(value: int | None, shown: str) -> None:
    assert figures.roughly(value) == shown
