"""Declared picks: what is written is read again."""

from hypothesis import given
from hypothesis import strategies as st

from drretail.records.reading import Pick
from drretail.records.wish import MOST_PIECES
from drretail.reports.picks import merged, picks_block, take_picks

REPORT = "# Report\n\nTake the kettle [P:B0KITCHENK].\n"
IDS = st.from_regex(r"B0[A-Z0-9]{8}", fullmatch=True)
PICKS = st.lists(
    st.builds(
        lambda ids, quantity: Pick(product=ids[0], quantity=quantity, alternatives=tuple(ids[1:])),
        st.lists(IDS, min_size=1, max_size=4, unique=True),
        st.integers(1, MOST_PIECES),
    ),
    max_size=6,
)


@given(PICKS, st.text(max_size=200))
def test_a_block_is_read_as_it_was_written_and_no_text_breaks_the_reader(picks: list[Pick], text: str) -> None:
    declared = take_picks(f"{REPORT}\n{picks_block(picks)}\n")
    assert (declared.report, declared.picks, declared.problem) == (REPORT, merged(picks), None)
    take_picks(text)
    take_picks(f"```picks\n{text}\n```")


def test_blocks_are_read_in_the_forms_that_models_write() -> None:
    for block in (
        *("```picks\nP:B0AAAAAAAA x 2\n```", "``` Picks\n- P:B0AAAAAAAA × 2\n```"),
        *("~~~picks\n[P:B0AAAAAAAA] x2\n~~~", "````picks\n* `P:B0AAAAAAAA` * 2\n````"),
        *("```picks\n1. P:B0AAAAAAAA x 2 – the kettle\n```", "```picks\nB0AAAAAAAA, qty 2\n```"),
        *("```picks\nhttp://ecommerce.com/B0AAAAAAAA x 2\n```", "```picks\nP:B0AAAAAAAA x 2"),
        *("> ```picks\n> P:B0AAAAAAAA x 2\n> ```", "```picks\np:b0aaaaaaaa X 2\n```"),
        "```picks\nP:B0AAAAAAAA x 2 – mugs, 4 x 12 oz, set of 4\n```",
        *("```picks\nHarrowgill kettle (P:B0AAAAAAAA) – x 2\n```", "```picks\r\nP:B0AAAAAAAA x 2\r\n```\r"),
        *("```picks\nP:B0AAAAAAAA (2)\n```", "```picks\n[P:B0AAAAAAAA]: 2\n```"),
        *("```picks\n| P:B0AAAAAAAA | 2 |\n```", '```picks\n[{"product": "P:B0AAAAAAAA", "quantity": 2}]\n```'),
    ):
        declared = take_picks(f"{REPORT}\n{block}\n")
        assert (declared.picks, declared.report) == ((Pick(product="B0AAAAAAAA", quantity=2),), REPORT), block


def test_a_missing_quantity_is_one_two_lines_of_one_product_add_up_and_the_last_block_counts() -> None:
    first = "```picks\nP:B0CCCCCCCC\n```"
    declared = take_picks(f"{first}\n\n{REPORT}\n```picks\nP:B1 x 1\nP:B2, P:B4 x 3\nP:B1 or P:B3 x 2\n```")
    found = [(pick.product, pick.quantity, pick.alternatives) for pick in declared.picks or ()]
    assert (found, declared.report.strip()) == ([("B1", 3, ("B3",)), ("B2", 1, ()), ("B4", 3, ())], REPORT.strip())
    report = "My picks:\n\n```python\npicks = 1\n```\n\nPicks are below. \n"
    assert (take_picks(report).report, take_picks(report).picks) == (report, None)


def test_an_empty_block_buys_nothing_and_what_cannot_be_read_is_said_and_taken_out() -> None:
    for content in ("", "\n", "none\n", "- nothing\n", "(nothing to buy)\n"):
        declared = take_picks(f"{REPORT}\n```picks\n{content}```\n")
        assert (declared.picks, declared.problem) == ((), None)
    problems = {
        "the kettle": "'the kettle' names no product id",
        "O:1234567890": "'O:1234567890' names no product id",
        "P:B0AAAAAAAA x 0": "'P:B0AAAAAAAA x 0' has no clear quantity",
        "P:B0AAAAAAAA qty: some": "'P:B0AAAAAAAA qty: some' has no clear quantity",
        "P:B0AAAAAAAA and P:B0BBBBBBBB": "'P:B0AAAAAAAA and P:B0BBBBBBBB' names several products",
    }
    for line, problem in problems.items():
        declared = take_picks(f"{REPORT}\n```picks\n{line}\n```\n")
        assert (declared.report, declared.picks, declared.problem) == (REPORT, None, problem)


BLOCK = "```picks\nP:B0AAAAAAAA x 2\n```"
INNER = "# Kettles\n\nTake the kettle [P:B0AAAAAAAA]."


def test_what_stands_around_a_framed_report_is_no_part_of_it_and_without_a_frame_the_whole_text_stands() -> None:
    for text in (
        f"Here is the report:\n\n<report>\n{INNER}\n\n{BLOCK}\n</report>\n\nLet me know if you need more.",
        f"Here it is.\n<report>\n{INNER}\n</report>\n{BLOCK}\nLet me know if you need more.",
        f"<REPORT>\r\n{INNER}\n\n{BLOCK}\r\n</REPORT>\r\nBye.",
        f"Now the report.\n<report>\n{INNER}\n\n{BLOCK}",
    ):
        declared = take_picks(text)
        assert (declared.report.strip(), declared.is_framed) == (INNER, True)
        assert declared.picks == (Pick(product="B0AAAAAAAA", quantity=2),)
    for text in (f"Here is the report:\n\n{INNER}\n\nBye.", "A `<report>` is no frame here."):
        assert (take_picks(text).report, take_picks(text).is_framed) == (text, False)
