"""Which sentences offline:judge takes for claims, and how it restates them."""

import pytest

from drretail.llm.offline.judge.extracting import extract_claims


def said(report: str, *, only_cited: bool = False) -> list[str]:
    return [found.claim for found in extract_claims(report, only_cited=only_cited)]


@pytest.mark.parametrize(
    "text",
    [
        "# Beds that cost $5 [P:B0X]",
        "**What it costs**",
        "Does it cost $5 [P:B0X]?",
        "Choose a washable bed.",
        "You should compare several beds first.",
        "This is a great bed.",
        "I think cedar lasts longer.",
        "I need a bed for my dog under $50.",
        "I searched for beds in several words.",
        "The table below lists the beds.",
        "**Fluffwick Dog Bed** [P:B0X]",
        "dog bed, washable, cheap",
        "```\nIt costs $5 [P:B0X].\n```",
        "",
    ],
)
def test_headings_questions_advice_opinions_and_wishes_are_no_claims(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("The bed costs $5 [P:B0X].", "The bed costs $5."),
        ("- The bed **holds** 90 pounds [P:B0X][W:abcdefgh]", "The bed holds 90 pounds"),
        ("The [Soft Bed](http://ecommerce.com/B0X) costs $5.", "The Soft Bed costs $5."),
        ("Cedar lasts ten years.", "Cedar lasts ten years."),
        ("Spend $40 on seeds; that lasts [W:abcdefgh].", "Spend $40 on seeds; that lasts."),
        ("You bought it in May [O:1]: take the new one now.", "You bought it in May"),
        ("Its record does not say “rated” [P:B0X].", "Its record does not say “rated”."),
    ],
)
def test_claims_are_restated_without_marks(text: str, claim: str) -> None:
    assert said(text) == [claim]


def test_a_tables_row_is_one_claim_that_names_its_columns() -> None:
    report = "| Product | Price | Stars |\n|---|---|---|\n| Bed [P:B0X] | $5 | 4.5 |\n| Bowl [P:B0Y] | | 4.1 |\n"
    found = extract_claims(report, only_cited=True)
    assert [(it.claim, it.sources) for it in found] == [
        ("Bed; Price: $5; Stars: 4.5", ("P:B0X",)),
        ("Bowl; Stars: 4.1", ("P:B0Y",)),
    ]


def test_numbers_are_given_as_what_the_list_has_for_them() -> None:
    report = "Cedar lasts ten years [1][9].\n\n## Sources\n[1] Wood https://wood.example/cedar\n"
    (found,) = extract_claims(report, only_cited=True)
    assert found.sources[0] == "https://wood.example/cedar"


def test_uncited_claims_are_only_in_the_list_of_all() -> None:
    report = "Cedar lasts ten years. Pine lasts two years [W:abcdefgh]."
    assert said(report, only_cited=True) == ["Pine lasts two years."]
    assert said(report) == ["Cedar lasts ten years.", "Pine lasts two years."]


def test_what_is_said_twice_with_the_same_source_is_one_claim() -> None:
    assert said("It costs $5 [P:B0X].\n\nIt costs $5 [P:B0X].\n\nIt costs $5 [P:B0Y].") == ["It costs $5."] * 2
