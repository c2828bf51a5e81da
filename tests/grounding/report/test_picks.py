"""Declared picks: what blocks may look like, and that what is written is read again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.report.picks import merged, picks_block, take_picks
from drretail.records.reading import Pick

REPORT = "# Report\n\nTake the kettle [P:B0KITCHENK].\n"
IDS = st.from_regex(r"B0[A-Z0-9]{8}", fullmatch=True)
PICKS = st.lists(
    st.builds(
        lambda ids, quantity: Pick(product=ids[0], quantity=quantity, alternatives=tuple(ids[1:])),
        st.lists(IDS, min_size=1, max_size=4, unique=True),
        st.integers(1, 999),
    ),
    max_size=6,
)


@given(PICKS)
def test_a_block_is_read_as_it_was_written(picks: list[Pick]) -> None:
    declared = take_picks(f"{REPORT}\n{picks_block(picks)}\n")
    assert (declared.report, declared.picks, declared.problem) == (REPORT, merged(picks), None)


@given(st.text(max_size=200))
def test_no_text_breaks_the_reader(text: str) -> None:
    take_picks(text)
    take_picks(f"```picks\n{text}\n```")


@pytest.mark.parametrize(
    "block",
    [
        *("```picks\nP:B0AAAAAAAA x 2\n```", "``` Picks\n- P:B0AAAAAAAA × 2\n```"),
        *("~~~picks\n[P:B0AAAAAAAA] x2\n~~~", "````picks\n* `P:B0AAAAAAAA` * 2\n````"),
        *("```\npicks\nP:B0AAAAAAAA x 2\n```", "```text\npicks:\n1. P:B0AAAAAAAA x 2 – the kettle\n```"),
        *("<picks>\n2 x P:B0AAAAAAAA\n</picks>", "```picks\nB0AAAAAAAA, qty 2\n```"),
        *("```picks\nhttp://ecommerce.com/B0AAAAAAAA x 2\n```", "```picks\nP:B0AAAAAAAA x 2"),
        *("> ```picks\n> P:B0AAAAAAAA x 2\n> ```", "```picks\np:b0aaaaaaaa X 2\n```"),
        "```picks\nP:B0AAAAAAAA x 2 – mugs, 4 x 12 oz, set of 4\n```",
        *("```picks\nHarrowgill kettle (P:B0AAAAAAAA) – x 2\n```", "```picks\r\nP:B0AAAAAAAA x 2\r\n```\r"),
        *("```picks\nP:B0AAAAAAAA (2)\n```", "```picks\n[P:B0AAAAAAAA]: 2\n```"),
        *("```picks\n| P:B0AAAAAAAA | 2 |\n```", '```picks\n[{"product": "P:B0AAAAAAAA", "quantity": 2}]\n```'),
    ],
)
def test_blocks_are_read_in_the_forms_that_models_write(block: str) -> None:
    declared = take_picks(f"{REPORT}\n{block}\n")
    assert declared.picks == (Pick(product="B0AAAAAAAA", quantity=2),)
    assert declared.report == REPORT


def test_a_missing_quantity_is_one_alternatives_are_kept_apart_and_two_lines_of_one_product_add_up() -> None:
    declared = take_picks(f"{REPORT}\n```picks\nP:B0AAAAAAAA or P:B0BBBBBBBB\nP:B0CCCCCCCC, P:B0DDDDDDDD x 3\n```")
    assert declared.picks == (
        Pick(product="B0AAAAAAAA", alternatives=("B0BBBBBBBB",)),
        Pick(product="B0CCCCCCCC"),
        Pick(product="B0DDDDDDDD", quantity=3),
    )
    picks = take_picks("Get it.\n\n```picks\nP:B1 x 1\nP:B2 x 1\nP:B1 or P:B3 x 2\n```").picks
    found = [(pick.product, pick.quantity, pick.alternatives) for pick in picks or ()]
    assert found == [("B1", 3, ("B3",)), ("B2", 1, ())]


@pytest.mark.parametrize("content", ["", "\n", "none\n", "- nothing\n", "(nothing to buy)\n"])
def test_an_empty_block_buys_nothing(content: str) -> None:
    declared = take_picks(f"{REPORT}\n```picks\n{content}```\n")
    assert (declared.picks, declared.problem) == ((), None)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("the kettle", "'the kettle' names no product id"),
        ("O:1234567890", "O:1234567890 is no product"),
        ("P:B0AAAAAAAA x 0", "'P:B0AAAAAAAA x 0' has no clear quantity"),
        ("P:B0AAAAAAAA qty: some", "'P:B0AAAAAAAA qty: some' has no clear quantity"),
        ("P:B0AAAAAAAA and P:B0BBBBBBBB", "'P:B0AAAAAAAA and P:B0BBBBBBBB' names several products"),
    ],
)
def test_what_cannot_be_read_is_said_and_taken_out(line: str, problem: str) -> None:
    declared = take_picks(f"{REPORT}\n```picks\n{line}\n```\n")
    assert (declared.report, declared.picks, declared.problem) == (REPORT, None, problem)


def test_the_last_of_several_blocks_counts_and_a_report_without_one_stays_as_it_is() -> None:
    first, last = picks_block([Pick(product="B0AAAAAAAA")]), picks_block([Pick(product="B0BBBBBBBB")])
    declared = take_picks(f"{first}\n\n{REPORT}\n{last}")
    assert declared.picks == (Pick(product="B0BBBBBBBB"),)
    assert declared.report.strip() == REPORT.strip()
    report = "My picks:\n\n```python\npicks = 1\n```\n\nPicks are below. \n"
    assert take_picks(report) == take_picks(report).__class__(report, None)


BLOCK = "```picks\nP:B0AAAAAAAA x 2\n```"
INNER = "# Kettles\n\nTake the kettle [P:B0AAAAAAAA]."


@pytest.mark.parametrize(
    "text",
    [
        f"<report>\n{INNER}\n\n{BLOCK}\n</report>",
        f"Here is the report:\n\n<report>\n{INNER}\n\n{BLOCK}\n</report>\n\nLet me know if you need more.",
        f"Here it is.\n<report>\n{INNER}\n</report>\n{BLOCK}\nLet me know if you need more.",
        f"<REPORT>\r\n{INNER}\n\n{BLOCK}\r\n</REPORT>\r\nBye.",
        f"Now the report.\n<report>\n{INNER}\n\n{BLOCK}",
    ],
)
def test_what_stands_around_a_framed_report_is_no_part_of_it(text: str) -> None:
    found = take_picks(text)
    assert (found.report.strip(), found.is_framed) == (INNER, True)
    assert found.picks == (Pick(product="B0AAAAAAAA", quantity=2),)


@pytest.mark.parametrize("text", [INNER, f"Here is the report:\n\n{INNER}\n\nBye.", "A `<report>` is no frame here."])
def test_without_a_frame_the_whole_text_stands(text: str) -> None:
    found = take_picks(text)
    assert (found.report, found.is_framed) == (text, False)
