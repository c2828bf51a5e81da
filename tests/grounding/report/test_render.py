"""Reports as they are shown, and declared picks: what is written is read again."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.report.picks import merged, picks_block, take_picks
from drretail.grounding.report.render import count_words, render_report
from drretail.records.evidence import Evidence
from drretail.records.reading import Pick
from tests import build
from tests.grounding.conftest import PAGE, SUM, WEB

SHOP = "http://ecommerce.com"
FEEDER = f"[[1]]({SHOP}/F1)"
KNOWN = (
    build.evidence("P:B1", title="Feeder", url=f"{SHOP}/B1"),
    build.evidence("P:B2", title="Bath", url=f"{SHOP}/B2"),
    build.evidence("W:aaaaaaaa", title="Page", url="https://a.example/"),
    build.evidence("O:1", title="Order 1"),
)


def body(report: str, evidence: Sequence[Evidence]) -> str:
    return render_report(report, evidence).text.partition("\n\n## Sources\n")[0]


def test_words_are_what_white_space_separates_in_the_report_as_shown() -> None:
    counts = {"# Feeders\n\n- Take the tube [P:B1], or wait – or not.": 12, "水壶容量为1.7升，很安静。": 12, "": 0}
    for report, count in counts.items():
        sources = render_report(report, KNOWN, style="plain").text.partition("\n\n## ")[2]
        assert count_words(report, KNOWN) == (count + len(sources.split()) + ("[P:" in report), count)
    assert count_words(None, ()) == (0, 0)


def test_ids_become_links_and_words(evidence: tuple[Evidence, ...]) -> None:
    shown = {
        "A [P:F1].": f"A {FEEDER}.",
        f"A [P:F1; {WEB}] [P:F1].": f"A {FEEDER}[[2]](<{PAGE}>).",
        "Bought[O:0000000012].": "Bought (order 0000000012).",
        "A [P:F1][O:0000000012].": f"A {FEEDER} (order 0000000012).",
        "You [U:profile; U:orders@A2_1].": "You (your profile; orders of user A2_1).",
        f"Sum [{SUM}].": "Sum (calculation: 2 * 12.50 = 25.0).",
        "A `[P:F1]`.": f"A {FEEDER}.",
        "A [P:XYZ] [7] (Smith, 2018)¹ [P:F1].": f"A [unresolved: P:XYZ][unresolved: 7] (Smith, 2018)¹ {FEEDER}.",
        "A [this feeder](P:F1).": f"A this feeder {FEEDER}.",
    }
    assert {report: body(report, evidence) for report in shown} == shown


def test_a_long_result_is_shown_as_far_as_a_reader_wants_it_and_a_report_without_marks_as_it_is() -> None:
    for result, shown in (("1 / 3000 = 0.000333333333333333", "1 / 3000 ≈ 0.000333"), ("1 / 2 = 0.5", "1 / 2 = 0.5")):
        evidence = [build.evidence(SUM, build.text(result, "record"))]
        assert body(f"A sum [{SUM}].", evidence) == f"A sum (calculation: {shown})."
    for report in (
        "",
        "Plain text.\r\n\n",
        "A https://a.example/ b [c](https://c.example/)\n\n## Sources\n- https://a.example/\n",
    ):
        rendered = render_report(report, KNOWN)
        assert (rendered.text, rendered.references) == (report, ())


def test_sources_stand_at_the_end_with_number_title_and_address(evidence: tuple[Evidence, ...]) -> None:
    rendered = render_report(f"Bath [P:F2] by [O:0000000012] and [{WEB}].\n", evidence)
    assert rendered.text.endswith(f"\n\n## Sources\n\n1. Tallis Bath | grey — {SHOP}/F2\n2. Feeding birds — {PAGE}\n")
    assert [reference.label for reference in rendered.references] == ["[1]", "order 0000000012", "[2]"]
    assert [reference.url for reference in rendered.references] == [f"{SHOP}/F2", None, PAGE]
    assert render_report("A [P:F1].", evidence, style="plain").text.startswith("A [1].\n\n## Sources\n\n1. ")
    report = (
        "A [2], b [P:F1], c [3].\n\n## References\n[1] https://c.example/ - Third\n"
        "[2] Second: https://b.example/\n[3]\n\n## Epilogue\nBye.\n"
    )
    assert render_report(report, evidence).text == (
        f"A [[1]](https://b.example/), b [[2]]({SHOP}/F1), c [unresolved: 3].\n\n## Epilogue\nBye.\n\n"
        "## Also listed\n\n- Third — https://c.example/\n\n"
        f"## Sources\n\n1. Second — https://b.example/\n2. Bruma Feeder, Large — {SHOP}/F1\n"
    )


PARTS = st.sampled_from(
    [
        *("[P:B1]", "[P:B2]", "[W:aaaaaaaa]", "[O:1]", "[P:B1; O:1]", "[P:NO]", "[1]", "[2]", " word", ". "),
        *("\n\n", "`", "(", "https://a.example/", "[x](https://x.example/)"),
        *("\n## Sources\n[1] https://l.example/ - L\n[2]\n\n# Next\n", "```\n"),
    ]
)


@given(st.lists(PARTS.filter(lambda part: part not in {"`", "```\n"}), max_size=14).map("".join))
def test_rendering_a_rendered_report_changes_nothing(report: str) -> None:
    once = render_report(report, KNOWN).text
    assert render_report(once, KNOWN).text == once


def test_an_order_is_called_by_its_date_that_the_line_does_not_say() -> None:
    record = '{"order_id":"0000000001","order_date":"2023-05-03T13:54:45"}'
    known = [build.evidence("O:0000000001", build.text(record, "record"), title="Order 0000000001")]
    assert body("A [O:0000000001].", known) == "A (order of 3 May 2023)."
    assert body("You bought it on May 3, 2023 [O:0000000001].", known) == "You bought it on May 3, 2023 (your order)."


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
