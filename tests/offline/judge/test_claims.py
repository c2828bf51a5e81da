"""Which statements offline:judge takes for claims, how it restates them, and which sources it gives them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.offline.judge.claims import extract_claims


def claims_of(report: str, *, only_cited: bool = False) -> list[str]:
    return [found.claim for found in extract_claims(report, only_cited=only_cited)]


def cited(report: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(found.claim, found.sources) for found in extract_claims(report, only_cited=True)]


@pytest.mark.parametrize(
    "text",
    [
        "# Beds that cost $5 [P:B0X]",
        "**What it costs**",
        "Does it cost $5 [P:B0X]?",
        "**Fluffwick Dog Bed** [P:B0X]",
        "You should compare several washable dog beds.",
        "I looked through forty beds with washable covers.",
        "Quite so.",
        "```\nIt costs $5 [P:B0X].\n```",
        "",
    ],
)
def test_headings_questions_names_advice_and_talk_of_oneself_are_no_claims(text: str) -> None:
    assert claims_of(text) == []


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("The bed costs $5 [P:B0X].", "The bed costs $5."),
        ("- The bed **holds** 90 pounds [P:B0X][W:abcdefgh]", "The bed holds 90 pounds"),
        ("The [Soft Bed](http://ecommerce.com/B0X) costs $5.", "The Soft Bed costs $5."),
        ("Cedar posts in wet soil last ten years.", "Cedar posts in wet soil last ten years."),
        ("Das Bett kostet 5 € [P:B0X].", "Das Bett kostet 5 €."),
    ],
)
def test_claims_are_restated_without_marks(text: str, claim: str) -> None:
    assert claims_of(text) == [claim]


def test_a_row_with_one_source_is_one_claim_that_names_its_columns() -> None:
    report = "| Product | Price | Stars |\n|---|---|---|\n| Bed [P:B0X] | $5 | 4.5 |\n| Bowl [P:B0Y] | | 4.1 |\n"
    assert cited(report) == [("Bed; Price: $5; Stars: 4.5", ("P:B0X",)), ("Bowl; Stars: 4.1", ("P:B0Y",))]


@pytest.mark.parametrize(
    "report",
    [
        "| | Bed [P:B0X] | Bowl [P:B0Y] |\n|---|---|---|\n| Price | $5 | $7 |\n",
        "| | Bed | Bowl |\n|---|---|---|\n| Price | $5 | $7 |\n| Source | [P:B0X] | [P:B0Y] |\n",
        "| | Bed | Bowl |\n|---|---|---|\n| Price | $5 [P:B0X] | $7 [P:B0Y] |\n",
    ],
    ids=["head", "row of sources", "cells"],
)
def test_a_cell_is_a_claim_where_its_column_or_the_cell_itself_has_a_source(report: str) -> None:
    assert cited(report) == [("Bed; Price: $5", ("P:B0X",)), ("Bowl; Price: $7", ("P:B0Y",))]


def test_numbers_are_given_as_what_the_list_has_for_them() -> None:
    report = "Cedar lasts ten years [1][9].\n\n## Sources\n[1] Wood https://wood.example/cedar\n"
    (found,) = extract_claims(report, only_cited=True)
    assert found.sources[0] == "https://wood.example/cedar"


@pytest.mark.parametrize("entry", ["1. The 8 best cedars of 2025", "- Hoka. (2023). *Cedar 9*.", "[1]"])
def test_the_lines_of_a_list_are_no_claims(entry: str) -> None:
    report = f"Cedar lasts ten years.\n\n## References\n\n{entry} https://wood.example/cedar-10 - 10 cedars tested\n"
    assert claims_of(report) == ["Cedar lasts ten years."]


def test_uncited_claims_are_only_in_the_list_of_all() -> None:
    report = "Cedar posts last ten years outside. Pine lasts two years [W:abcdefgh]."
    assert claims_of(report, only_cited=True) == ["Pine lasts two years."]
    assert claims_of(report) == ["Cedar posts last ten years outside.", "Pine lasts two years."]


@given(st.text(alphabet="ab |-\n[P:B0X]*.5?", max_size=120))
def test_every_quote_stands_in_the_report(report: str) -> None:
    assert all(found.quote in report for found in extract_claims(report, only_cited=False))
