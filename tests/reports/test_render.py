"""Reports as they are shown."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from drretail.records.evidence import Evidence
from drretail.reports.render import render_report
from tests import build
from tests.reports.conftest import PAGE, SUM, WEB

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


def test_ids_become_links_and_words(evidence: tuple[Evidence, ...]) -> None:
    shown = {
        "A [P:F1].": f"A {FEEDER}.",
        f"A [P:F1; {WEB}] [P:F1].": f"A {FEEDER}[[2]](<{PAGE}>).",
        "Bought [O:0000000012].": "Bought (order 0000000012).",
        "A [P:F1][O:0000000012].": f"A {FEEDER} (order 0000000012).",
        "You [U:profile; U:orders@A2_1].": "You (your profile; orders of user A2_1).",
        f"Sum [{SUM}].": "Sum (calculation: 2 * 12.50 = 25.0).",
        "A `[P:F1]`.": f"A {FEEDER}.",
        "A [P:XYZ] [7] (Smith, 2018)¹ [P:F1].": f"A [unresolved: P:XYZ][unresolved: 7] (Smith, 2018)¹ {FEEDER}.",
        "A [this feeder](P:F1).": f"A this feeder {FEEDER}.",
    }
    assert {report: body(report, evidence) for report in shown} == shown
    # Sources without an address make no list.
    rendered = render_report("You [U:profile].\n", evidence)
    assert rendered.text == rendered.body == "You (your profile).\n"


def test_as_written_no_word_is_put_into_the_report(evidence: tuple[Evidence, ...]) -> None:
    shown = {
        "A [P:F1][O:0000000012], [U:profile], [P:XYZ] [7].": "A [1][O:0000000012], [U:profile], [P:XYZ] [7].",
        "A [P:F1; O:0000000012; P:XYZ].": "A [1][O:0000000012][P:XYZ].",
        f"Sum [{SUM}].": f"Sum [{SUM}].",
    }
    rendered = {report: render_report(report, evidence, style="plain", as_written=True).body for report in shown}
    assert rendered == shown


def test_a_long_result_is_shown_as_far_as_a_reader_wants_it_and_a_report_without_marks_as_it_is() -> None:
    for result, shown in (("1 / 3000 = 0.000333333333333333", "1 / 3000 ≈ 0.000333"), ("1 / 2 = 0.5", "1 / 2 = 0.5")):
        evidence = [build.evidence(SUM, build.text(result, "record"))]
        assert body(f"A sum [{SUM}].", evidence) == f"A sum (calculation: {shown})."
    linked = "A https://a.example/ b [c](https://c.example/)\n\n## Sources\n- https://a.example/\n"
    for report in ("", "Plain text.\r\n\n", linked):
        rendered = render_report(report, KNOWN)
        assert (rendered.text, rendered.references) == (report, ())


def test_sources_stand_at_the_end_with_number_title_and_address(evidence: tuple[Evidence, ...]) -> None:
    rendered = render_report(f"Bath [P:F2] by [O:0000000012] and [{WEB}].\n", evidence)
    assert rendered.text.endswith(f"\n\n## Sources\n\n1. Tallis Bath | grey — {SHOP}/F2\n2. Feeding birds — {PAGE}\n")
    assert rendered.body == f"Bath [[1]]({SHOP}/F2) by (order 0000000012) and [[2]](<{PAGE}>)."
    sources = [(source.label, source.title, source.url) for source in rendered.references]
    assert sources == [
        ("1", "Tallis Bath | grey", f"{SHOP}/F2"),
        ("", "Order 0000000012", None),
        ("2", "Feeding birds", PAGE),
    ]
    assert render_report("A [P:F1].", evidence, style="plain").text.startswith("A [1].\n\n## Sources\n\n1. ")
    report = (
        "A [2], b [P:F1], c [3].\n\n## References\n[1] https://c.example/ - Third\n"
        "[2] Second: https://b.example/\n[3]\n\n## Epilogue\nBye.\n"
    )
    assert render_report(report, evidence).text == (
        f"A [[1]](https://b.example/), b [[2]]({SHOP}/F1), c [unresolved: 3].\n\n## Epilogue\nBye.\n\n"
        f"## Sources\n\n1. Second — https://b.example/\n2. Bruma Feeder, Large — {SHOP}/F1\n"
        "3. Third — https://c.example/\n"
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
