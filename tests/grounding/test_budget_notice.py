"""A budget that does not hold is said once, with figures of the records, and only where the report does not say so."""

import pytest

from drretail.grounding.budget_notice import budget_notice, with_notice
from drretail.grounding.verifying import verify
from drretail.records.query import Query
from tests.grounding.shelf import a_case, a_query

PLAIN = a_query("Up to $50 in total, please.", budget=50)
PAIR = a_query("Get me two feeders for $50 in total.", budget=50, quantities={"feeder": 2})
BOTH = "I recommend the Quillet Bird Feeding Station Kit and the Brindlecote Sunflower Hearts for Wild Birds."


def notice(report: str, query: Query = PLAIN) -> str | None:
    case = a_case(report, query)
    return budget_notice(case, verify(case))


def test_what_is_recommended_together_is_added_up_from_the_records() -> None:
    said = notice(BOTH) or ""
    assert "comes to $91.97, which is $41.97 more than your $50.00" in said


def test_a_stated_total_is_taken_as_it_stands() -> None:
    assert "comes to $91.97" in (notice(f"{BOTH} The total is $91.97.") or "")


def test_the_cheapest_of_all_that_is_wanted_may_be_too_dear() -> None:
    said = notice("Here is what I found.", PAIR) or ""
    assert "at least $73.98, which is $23.98 more than your $50.00" in said
    assert "2 × Ostrabel Panorama Tube Feeder, 2 lb, Green at $36.99 [P:B0SHELF002]" in said


@pytest.mark.parametrize(
    "report",
    [
        f"{BOTH} That is $41.97 over your budget.",
        "Your budget of $50 is not enough for two feeders.",
        "I recommend the Ostrabel Panorama Tube Feeder.",
    ],
)
def test_there_is_none_where_the_report_says_so_or_the_budget_holds(report: str) -> None:
    assert notice(report) is None


def test_the_querys_own_words_are_no_such_statement() -> None:
    query = a_query("My budget cannot be more than $50.", budget=50)
    assert notice(f"My budget cannot be more than $50.\n\n{BOTH}", query) is not None


@pytest.mark.parametrize("report", [BOTH, f"{BOTH} The total is $91.97.", "Here is what I found."])
def test_a_notice_adds_no_fault(report: str) -> None:
    told = with_notice(report, notice(report, PAIR))
    before, after = ({(it.code, it.said) for it in verify(a_case(text, PAIR))} for text in (report, told))
    assert {code for code, _ in after} <= {code for code, _ in before} | {"over_budget"}


def test_it_stands_below_the_title() -> None:
    assert with_notice("# T\n\nText.", "N.") == "# T\n\nN.\n\nText."
    assert with_notice("Text.", "N.") == "N.\n\nText."
    assert with_notice("# T", "N.") == "# T\n\nN.\n"
    assert with_notice("Text.", None) == "Text."
