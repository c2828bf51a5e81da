"""Which text belongs to which citation, and what a table's cells are about."""

from drretail.grounding.text.layout import read_layout
from tests.grounding.kitchen import EVIDENCE, K, P, T


def owned(report: str) -> list[tuple[str, tuple[str, ...]]]:
    layout = read_layout(report, EVIDENCE)
    return [(layout.text[it.start : it.end].strip(" ,."), it.cited) for it in layout.stretches]


def test_a_mark_owns_the_text_back_to_the_mark_or_sentence_before() -> None:
    report = f"It rains. The kettle is dear {K}, the pan is not {P}{T}. Goodbye."
    assert owned(report) == [("The kettle is dear", (K[1:-1],)), ("the pan is not", (P[1:-1], T[1:-1]))]


def test_figures_directly_behind_a_mark_are_its_own() -> None:
    report = f"Kettle {K} – $42.95 · 4.6 ★ (1,843), and the pan costs $38.50 {P}."
    assert [it for it, _ in owned(report)] == [
        f"Kettle {' ' * len(K)} – $42.95 · 4.6 ★ (1,843), and",
        "the pan costs $38.50",
    ]


def test_what_stands_behind_the_last_mark_cites_nothing() -> None:
    assert owned(f"The kettle weighs 2 lb {K}, which is 1 lb more.")[-1] == ("which is 1 lb more", ())


def test_the_words_of_a_link_belong_to_it() -> None:
    assert owned("See [the kettle at $42.95](P:B0KITCHENK).") == [("See  the kettle at $42.95", ("P:B0KITCHENK",))]


def test_a_cell_is_about_the_product_of_its_row() -> None:
    report = f"| Thing | Price (USD) |\n|---|---|\n| Kettle {K} | 42.95 |\n| Pan {P} | 38.50 |\n"
    cells = [it for it in read_layout(report, EVIDENCE).cells if it.column == 1]
    assert [(it.labels[0], it.subjects) for it in cells] == [("price", (K[1:-1],)), ("price", (P[1:-1],))]


def test_a_cell_is_about_the_product_of_its_column() -> None:
    report = f"| | A | B |\n|---|---|---|\n| Price | 42.95 | 38.50 |\n| Source | {K} | {P} |\n"
    cells = [it for it in read_layout(report, EVIDENCE).cells if it.row == 0 and it.column]
    assert [(it.labels[-1], it.subjects) for it in cells] == [("price", (K[1:-1],)), ("price", (P[1:-1],))]


def test_a_report_from_elsewhere_cites_products_by_their_address() -> None:
    layout = read_layout("The kettle is $42.95 [1].\n\n## References\n\n[1] http://ecommerce.com/B0KITCHENK\n", None)
    assert [it.cited for it in layout.stretches] == [("P:B0KITCHENK",)]
