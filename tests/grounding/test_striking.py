"""What is wrong goes with what hangs on it; what is left is right, well-formed, and in its own words."""

import re
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drretail.grounding.citations import find_citations
from drretail.grounding.constraints_kept import is_over_the_whole
from drretail.grounding.cutting import NOT_STATED
from drretail.grounding.falling import OF_A_PART
from drretail.grounding.notes import LEFT_OUT, NOTES, SECTION_LEFT_OUT
from drretail.grounding.removal import balanced
from drretail.grounding.statements import read_layout
from drretail.grounding.striking import Stricken, strike_out
from drretail.grounding.struck_section import TITLE, with_closing_section
from drretail.grounding.structure import read_structure
from drretail.grounding.verifying import faults, verify
from drretail.records.query import Query
from tests.grounding.shelf import WEB, a_case, a_query, found, ledger
from tests.grounding.test_checks import WRONG_AND_RIGHT

SWAPPED = WRONG_AND_RIGHT[3]
# That the whole is above the budget is said, not struck; of swapped prices and a number of ratings only these go.
STRUCK = [
    case for case in WRONG_AND_RIGHT if case[0] not in ("over_budget", "rating_count_wrong") and case is not SWAPPED
]
POLE = f"A pole keeps squirrels away [{WEB}]."
SEEDS = f"Sunflower hearts leave no shells behind [{WEB}]."
BAFFLE = f"A baffle helps as well [{WEB}]."


def struck(report: str, query: Query | None = None) -> Stricken:
    return strike_out(a_case(report, query), faults)


def told(report: str, query: Query | None = None) -> str:
    out = struck(report, query)
    return with_closing_section(out.report, out.struck, ledger())


@pytest.mark.parametrize(("code", "wrong", "right", "query"), STRUCK)
def test_a_fault_is_struck_and_its_neighbours_stay(code: str, wrong: str, right: str, query: Query | None) -> None:
    out = struck(f"## Picks\n\n{SEEDS} {wrong} {BAFFLE}\n", query)
    assert out.report.replace(f"\n\n{LEFT_OUT}", "") == f"## Picks\n\n{SEEDS} {BAFFLE}\n"
    assert [finding.code for finding in out.struck] == [code]
    assert out.struck[0].said == wrong


@pytest.mark.parametrize(("code", "wrong", "right", "query"), WRONG_AND_RIGHT)
def test_a_right_report_stays_as_it_is(code: str, wrong: str, right: str, query: Query | None) -> None:
    report = f"# Title\n\n\n\n{right}\n\n- {POLE}"
    assert struck(report, query) == Stricken(report, ())


@pytest.mark.parametrize(("code", "wrong", "right", "query"), STRUCK)
def test_the_closing_section_lists_it_and_says_nothing_wrong(
    code: str, wrong: str, right: str, query: Query | None
) -> None:
    report = told(f"{POLE}\n\n{wrong}\n", query)
    assert report.startswith(f"{POLE}\n\n## {TITLE}\n")
    assert found(report, query) == []


def test_sentences_that_speak_of_what_was_struck_go_with_it() -> None:
    report = f"Get the **Zephyrine Cloud Nine Seed Silo** ($31.99). It holds six pounds. {POLE} It is cheap."
    assert struck(report).report == f"{POLE} It is cheap."


def test_every_statement_that_names_a_thing_outside_the_shop_goes() -> None:
    report = (
        f"Get the **Zephyrine Cloud Nine Seed Silo** ($31.99).\n\n{POLE}\n\nFill the Zephyrine Cloud Nine Seed Silo.\n"
    )
    assert struck(report).report == f"{POLE}\n"


def test_a_list_item_goes_with_what_hangs_on_it() -> None:
    report = f"""\
- **Zephyrine Cloud Nine Seed Silo** ($31.99)
  - Six pounds of seed
  - Easy to clean
- **Quillet Bird Feeding Station Kit** ($43.99) [P:B0SHELF001]
  - {POLE}
"""
    assert struck(report).report == "".join(report.splitlines(keepends=True)[3:])


def test_a_name_in_bold_goes_with_the_list_below_it() -> None:
    report = f"""\
## Setup

**Zephyrine Cloud Nine Seed Silo** - $31.99 [P:B0NOWHERE1]
- Six pounds of seed
- Easy to clean

{POLE}
"""
    assert struck(report).report.replace(f"\n\n{LEFT_OUT}", "") == f"## Setup\n\n{POLE}\n"


def test_a_heading_that_recommends_takes_its_section_along() -> None:
    report = f"""\
# Feeders

### Zephyrine Cloud Nine Seed Silo - $31.99

It holds six pounds.

#### Why

{POLE}

### Care

{POLE}
"""
    assert struck(report).report == f"# Feeders\n\n{SECTION_LEFT_OUT}\n\n### Care\n\n{POLE}\n"


def test_a_heading_with_a_wrong_value_loses_only_the_value() -> None:
    report = f"# Feeders\n\n### Quillet Bird Feeding Station Kit - $39.99\n\n{POLE}\n"
    out = struck(report)
    assert out.report == f"# Feeders\n\n### Quillet Bird Feeding Station Kit\n\n{POLE}\n"
    assert [(finding.code, finding.said) for finding in out.struck] == [
        ("price_wrong", "… Quillet Bird Feeding Station Kit - $39.99")
    ]


def test_a_wrong_value_between_brackets_or_commas_goes_alone() -> None:
    out = struck(SWAPPED[1])
    assert out.report == (
        "Get the **Quillet Bird Feeding Station Kit** [P:B0SHELF001] "
        "and the **Ostrabel Panorama Tube Feeder** [P:B0SHELF002]."
    )
    assert [finding.said[-8:] for finding in out.struck] == ["… $36.99", "… $43.99"]
    listed = f"- The **Quillet Bird Feeding Station Kit**: $39.99, 4.5 out of 5 [P:B0SHELF001].\n- {POLE}"
    assert struck(listed).report == listed.replace(" $39.99,", "")


def test_a_wrong_value_from_which_something_is_reckoned_takes_its_sentence_along() -> None:
    said = f"The **Quillet Bird Feeding Station Kit** ($39.99) [P:B0SHELF001] costs $3.00 more. {POLE}"
    assert struck(said).report == POLE


def test_a_sum_goes_with_an_amount_that_was_cut_out_above_it() -> None:
    said = (
        "Get the **Quillet Bird Feeding Station Kit** ($39.99) [P:B0SHELF001] and the "
        f"**Ostrabel Panorama Tube Feeder** ($36.99) [P:B0SHELF002]. Together that is $80.98. {POLE}"
    )
    out = struck(said)
    assert out.report == said.replace(" ($39.99)", "").replace(" Together that is $80.98.", "")
    assert out.struck[1].found == OF_A_PART


TABLE = """\
## Shopping list

| Thing | Price |
|---|---|
| Quillet Bird Feeding Station Kit [P:B0SHELF001] | $43.99 |
| Ostrabel Panorama Tube Feeder [P:B0SHELF002] | {price} |
| **Total** | **{total}** |

{pole}
"""


def test_a_wrong_cell_says_that_its_value_is_not_known_and_the_sum_of_its_table_goes() -> None:
    out = struck(TABLE.format(price="$30.00", total="$73.99", pole=POLE))
    assert "| Ostrabel Panorama Tube Feeder [P:B0SHELF002] | not stated |" in out.report
    assert "Total" not in out.report


def test_a_row_takes_the_sum_of_its_table_along() -> None:
    table = TABLE.replace("Ostrabel Panorama Tube Feeder [P:B0SHELF002]", "Zephyrine Cloud Nine Seed Silo")
    out = struck(table.format(price="$30.00", total="$73.99", pole=POLE))
    assert "| Quillet" in out.report
    assert "Zephyrine" not in out.report
    assert "Total" not in out.report
    assert [finding.code for finding in out.struck] == ["not_in_catalog", "total_wrong"]


def test_a_wrong_sum_goes_and_its_parts_stay() -> None:
    out = struck(TABLE.format(price="$36.99", total="$73.99", pole=POLE))
    assert "Ostrabel" in out.report
    assert "Total" not in out.report


def test_only_the_heading_that_recommends_what_is_owned_is_told_so() -> None:
    report = (
        "## Setup\n\n### Marlowick Cedar Nest Box\n\nHang it up. Both the pole and the hook hold it. Wash it.\n\n"
        f"### Care\n\n{POLE}\n"
    )
    out = struck(report)
    assert [it.said for it in out.struck if it.found == "the user has ordered it before"] == [
        "### Marlowick Cedar Nest Box"
    ]
    assert "you have ordered it before [P:B0SHELF004]; with it went three statements below it." in told(report)


def test_a_sentence_that_names_what_it_speaks_of_does_not_fall() -> None:
    report = f"{POLE} Get the **Zephyrine Cloud Nine Seed Silo** ($31.99). Both the pole and the hook hold."
    assert struck(report).report == f"{POLE} Both the pole and the hook hold."


def test_a_row_of_a_table_without_outer_bars_goes_alone() -> None:
    kept = "Thing | Price\n---|---\nQuillet Bird Feeding Station Kit [P:B0SHELF001] | $43.99\n"
    assert struck(f"# Best picks\n\n{kept}Gardena Hose | $49.99\n").report == f"# Best picks\n\n{kept}"


def test_a_table_without_rows_goes_with_its_head_and_heading() -> None:
    report = f"""\
{POLE}

## List

| Thing | Price |
|---|---|
| Zephyrine Cloud Nine Seed Silo | $3.99 |
| Total | $3.99 |
"""
    assert struck(report).report == f"{POLE}\n\n{SECTION_LEFT_OUT}\n"


def test_a_total_elsewhere_goes_when_a_part_of_it_is_recommended_no_more() -> None:
    report = f"""\
## Picks

I recommend the Quillet Bird Feeding Station Kit ($43.99) [P:B0SHELF001].

Get the Ostrabel Panorama Tube Feeder for $30.00 [P:B0SHELF002].

## Cost

{POLE} The total is $73.99. That leaves $26.01 of your $100.
"""
    out = struck(report)
    assert "Quillet" in out.report
    assert out.report.endswith(f"## Cost\n\n{POLE}\n")


def test_a_total_that_what_is_left_comes_to_stays() -> None:
    report = f"""\
## Picks

Buyers like the Quillet Bird Feeding Station Kit ($40.00) [P:B0SHELF001]. {POLE}

I recommend the Quillet Bird Feeding Station Kit ($43.99) [P:B0SHELF001].

The total is $43.99.
"""
    out = struck(report)
    assert "The total is $43.99." in out.report
    assert "$40.00" not in out.report


def test_a_bad_source_beside_a_good_one_goes_alone() -> None:
    report = f"Poles help [{WEB}; W:aaaaaaaa]. Baffles help [W:bbbbbbbb][{WEB}]. Seed helps [W:aaaaaaaa].\n"
    assert struck(report).report == f"Poles help [{WEB}]. Baffles help [{WEB}].\n"


def test_entries_of_a_list_that_nothing_refers_to_any_more_go() -> None:
    report = """\
Poles help [1]. Baffles help [2].

## Sources
[1] https://birds.example/poles
[2] https://elsewhere.example/never-seen
"""
    assert struck(report).report == "Poles help [1].\n\n## Sources\n[1] https://birds.example/poles\n"


def test_what_says_the_same_again_is_left_out_once() -> None:
    words = (
        "The kit stands on its own pole, takes four hooks, and needs no tools at all for putting it up in a garden. "
        "Squirrels cannot climb the baffle below the tray, which is what most buyers of such a pole write about it. "
        "Clean the tray every two weeks with hot water, and let it dry in the sun before you fill it once more.\n"
    )
    report = f"## One\n\n{words}\n## Two\n\n{words}\n## Three\n\n{POLE}\n"
    out = struck(report)
    assert out.report == f"## One\n\n{words}\n## Three\n\n{POLE}\n"
    assert {finding.code for finding in out.struck} == {"repeated_section", "repeated_sentence"}
    assert "said again" in with_closing_section(out.report, out.struck, {})


def test_half_a_pair_of_marks_is_not_left_behind() -> None:
    report = f"{POLE}\n\n**Take the Quillet Bird Feeding Station Kit for $39.99. It is good.** Yes.\n"
    assert struck(report).report == f"{POLE}\n"


def test_a_report_of_nothing_but_faults_says_so() -> None:
    report = told("Get the **Zephyrine Cloud Nine Seed Silo** ($31.99).")
    assert report.startswith("Nothing of the draft held")
    assert "`Get the Zephyrine Cloud Nine Seed Silo ($31.99).`" in report


GOOD = [right for _, _, right, _ in WRONG_AND_RIGHT] + [POLE, "Mount it five feet up.", "It is **sturdy** (really)."]
BAD = [wrong for _, wrong, _, _ in STRUCK] + [
    "Take the **Nimbus Garden Feeder Deluxe** ($12.00) [P:B0NOWHERE1], which (so they say) is good.",
    "The total is $12.34: $10.00 + $1.00 = $12.34.",
]
SENTENCES = st.sampled_from(GOOD) | st.sampled_from(BAD)
PARAGRAPHS = st.lists(SENTENCES, min_size=1, max_size=4).map(" ".join)
LISTS = st.lists(st.tuples(st.sampled_from(["- ", "  - ", "1. "]), SENTENCES), min_size=1, max_size=4).map(
    lambda items: "\n".join(mark + text for mark, text in items)
)
ROWS: Mapping[str, str] = {
    "right": "| Quillet Bird Feeding Station Kit [P:B0SHELF001] | $43.99 |",
    "wrong": "| Ostrabel Panorama Tube Feeder [P:B0SHELF002] | $30.00 |",
    "strange": "| Zephyrine Cloud Nine Seed Silo | $31.99 |",
    "total": "| **Total** | **$73.99** |",
}
TABLES = st.lists(st.sampled_from(list(ROWS.values())), min_size=1, max_size=4).map(
    lambda rows: "\n".join(["| Thing | Price |", "|---|---|", *rows])
)
HEADINGS = st.sampled_from(
    [
        "## Picks",
        "### Shopping list",
        "## Phase 1: Feeders ($40)",
        "### Quillet Bird Feeding Station Kit - $39.99",
        "### Zephyrine Cloud Nine Seed Silo - $31.99",
        "**Care**",
        "```\ncode [W:aaaaaaaa]\n```",
        "> Quoted words.",
    ]
)
REPORTS = st.lists(PARAGRAPHS | LISTS | TABLES | HEADINGS, min_size=1, max_size=9).map("\n\n".join)
NO_OSTRABEL = a_query("Nothing from Ostrabel, please. Up to $60 in total.", brands_unwanted=("Ostrabel",), budget=60)
QUERIES = st.sampled_from([a_query(), NO_OSTRABEL])


@settings(max_examples=150, deadline=None)
@given(report=REPORTS, query=QUERIES)
def test_what_is_left_is_right_and_in_its_own_words(report: str, query: Query) -> None:
    out = struck(report, query)
    full = with_closing_section(out.report, out.struck, ledger())
    for text in (out.report, full):
        left_over = [finding for finding in verify(a_case(text, query)) if finding.severity == "error"]
        assert all(is_over_the_whole(finding) for finding in left_over)
    assert struck(out.report, query).struck == ()
    assert bool(out.struck) == (out.report != report)
    said = out.report.replace(NOT_STATED, "")
    for note in NOTES:
        said = said.replace(note, "")
    words = [text for text in re.split(r"\s+", said.casefold()) if text and text != "and"]
    left = iter(re.split(r"\s+", report.casefold()))
    assert all(any(word in other for other in left) for word in words)  # a subsequence of the draft's words
    before = {citation.evidence_id for citation in find_citations(report, ledger())}
    assert {citation.evidence_id for citation in find_citations(full, ledger())} <= before | {
        finding.evidence_id for finding in out.struck
    }


@settings(max_examples=100, deadline=None)
@given(report=REPORTS, query=QUERIES)
def test_what_is_left_is_well_formed(report: str, query: Query) -> None:
    left = struck(report, query).report
    layout = read_layout(read_structure(left, ledger()))
    for statement in layout.statements:
        block = [layout.text(layout.statements[number]) for number in layout.block(statement.block)]
        assert balanced(" ".join(block))
    rulers = [match.start() for match in re.finditer(r"^\|---\|---\|$", left, re.MULTILINE)]
    for start in rulers:
        assert left[:start].splitlines()[-1].startswith("| Thing")
        assert left[start:].splitlines()[1].startswith("|")
    assert left.count("| Thing") == len(rulers)
    assert "\n\n\n" not in left
