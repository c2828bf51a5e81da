"""Each fault is found where it is, and the right version of the same sentence gives nothing."""

from collections.abc import Collection
from typing import Any

import pytest

from drretail.grounding.checks import CHECKS
from drretail.records.query import Query
from drretail.records.shop import Product
from tests.grounding.shelf import (
    FEEDER,
    HOUSE,
    PAGE,
    SEED,
    STATION,
    WEB,
    a_case,
    a_query,
    a_run,
    codes,
    found,
)

BUDGET = a_query("Keep it under $100 in total.", budget=100)
NO_OSTRABEL = a_query("Nothing from Ostrabel, please.", brands_unwanted=("Ostrabel",))
LONG = "It hangs from a pole that no squirrel climbs, holds seed for a week, and comes apart for cleaning in a minute. "

WRONG_AND_RIGHT: list[tuple[str, str, str, Query | None]] = [
    (
        "price_wrong",
        "The **Quillet Bird Feeding Station Kit** costs $39.99 [P:B0SHELF001].",
        "The **Quillet Bird Feeding Station Kit** costs $43.99 [P:B0SHELF001].",
        None,
    ),
    (
        "rating_wrong",
        "Buyers rate the Ostrabel Panorama Tube Feeder 4.8 out of 5 [P:B0SHELF002].",
        "Buyers rate the Ostrabel Panorama Tube Feeder 4.3 out of 5 [P:B0SHELF002].",
        None,
    ),
    (
        "rating_count_wrong",
        "It has a 4.5-star rating from 2,670 reviews [P:B0SHELF001].",
        "It has a 4.5-star rating from 2,067 reviews [P:B0SHELF001].",
        None,
    ),
    (
        "price_wrong",
        "Get the **Quillet Bird Feeding Station Kit** ($36.99) [P:B0SHELF001] "
        "and the **Ostrabel Panorama Tube Feeder** ($43.99) [P:B0SHELF002].",
        "Get the **Quillet Bird Feeding Station Kit** ($43.99) [P:B0SHELF001] "
        "and the **Ostrabel Panorama Tube Feeder** ($36.99) [P:B0SHELF002].",
        None,
    ),
    ("total_wrong", "In all: $43.99 + $36.99 = $90.98.", "In all: $43.99 + $36.99 = $80.98.", None),
    (
        "over_budget",
        "I recommend the Quillet Bird Feeding Station Kit, the Brindlecote Sunflower Hearts for Wild Birds "
        "and the Marlowick Cedar Nest Box, which I would order again.",
        "I recommend the Quillet Bird Feeding Station Kit and the Brindlecote Sunflower Hearts for Wild Birds.",
        BUDGET,
    ),
    (
        "not_in_catalog",
        "Get the **Zephyrine Cloud Nine Seed Silo** ($31.99).",
        "Get the **Quillet Bird Feeding Station Kit** ($43.99).",
        None,
    ),
    (
        "unresolved_citation",
        "A pole keeps squirrels away [W:aaaaaaaa].",
        f"A pole keeps squirrels away [{WEB}].",
        None,
    ),
    (
        "unwanted_brand",
        "I recommend the Ostrabel Panorama Tube Feeder [P:B0SHELF002].",
        "I recommend the Quillet Bird Feeding Station Kit [P:B0SHELF001].",
        NO_OSTRABEL,
    ),
    (
        "recommended_although_owned",
        "I recommend the Marlowick Cedar Nest Box [P:B0SHELF004].",
        "I recommend the Marlowick Cedar Nest Box [P:B0SHELF004] to replace the one that you bought in 2020.",
        None,
    ),
]


@pytest.mark.parametrize(("code", "wrong", "right", "query"), WRONG_AND_RIGHT)
def test_a_wrong_claim_gives_its_finding_and_no_other(code: str, wrong: str, right: str, query: Query | None) -> None:
    assert set(codes(wrong, query)) == {code}


@pytest.mark.parametrize(("code", "wrong", "right", "query"), WRONG_AND_RIGHT)
def test_the_right_version_of_it_gives_nothing(code: str, wrong: str, right: str, query: Query | None) -> None:
    assert found(right, query) == []


@pytest.mark.parametrize(("code", "wrong", "right", "query"), WRONG_AND_RIGHT)
def test_a_finding_points_at_what_is_said(code: str, wrong: str, right: str, query: Query | None) -> None:
    for finding in found(wrong, query):
        assert finding.start is not None
        assert finding.end is not None
        assert wrong[finding.start : finding.end] == finding.said


def test_swapped_prices_are_two_findings_that_say_what_the_record_has() -> None:
    swapped = found(WRONG_AND_RIGHT[3][1])
    assert [(finding.said, finding.found, finding.evidence_id) for finding in swapped] == [
        ("$36.99", "$43.99", f"P:{STATION.product_id}"),
        ("$43.99", "$36.99", f"P:{FEEDER.product_id}"),
    ]


FIGURE_9 = """\
## A bird garden for less than $300

### What you need

#### Phase 1: A place to feed (Month 1 - $120)

**Quillet Bird Feeding Station Kit - $43.99** [P:B0SHELF001]

- Pole of 91 inches with 4 hooks
- 4.5-star rating from 2,067 reviews

**Ostrabel Panorama Tube Feeder - $36.99** [P:B0SHELF002]

**Brindlecote Sunflower Hearts for Wild Birds - $47.98** [P:B0SHELF003]

**Phase 1 Total: $128.96**

#### Phase 2: Nests (Month 2 - $85)

### What it costs

| Phase | What | Cost | When |
|---|---|---|---|
| 1 | Station and feeders | $129 | Month 1 |
| 2 | Nest boxes | $85 | Month 2 |
| 3 | Plants | $116 | Month 3 |
| **Total** | | **$330** | **3 months** |

You can save by starting with the station ($44) alone, which brings the total closer to $300.
"""


def test_the_papers_example_breaks_a_phase_and_the_whole_budget() -> None:
    query = a_query("Keep my total spending under $300 over the next three months.", budget=300)
    findings = [finding for finding in found(FIGURE_9, query) if finding.severity == "error"]
    assert [(finding.code, finding.said) for finding in findings] == [
        ("over_budget", "$128.96"),
        ("over_budget", "$330"),
    ]
    assert "$120.00" in str(findings[0].found)
    assert "$300.00" in str(findings[1].found)


def test_the_same_plan_within_its_budgets_gives_nothing() -> None:
    kept = FIGURE_9.replace("Month 1 - $120", "Month 1 - $130")
    assert found(kept, a_query("Under $350, please.", budget=350)) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "The Quillet Bird Feeding Station Kit is $7.00 more than the Ostrabel Panorama Tube Feeder.",
        "The Quillet Bird Feeding Station Kit was $59.99 and costs $43.99 now [P:B0SHELF001].",
        "The Brindlecote Sunflower Hearts for Wild Birds come to $4.80 per pound [P:B0SHELF003].",
        "The Quillet Bird Feeding Station Kit costs about $45 [P:B0SHELF001].",
        "The Ostrabel Panorama Tube Feeder has over 12,000 ratings [P:B0SHELF002].",
        "The Ostrabel Panorama Tube Feeder has 12k+ ratings [P:B0SHELF002].",
        "The Marlowick Cedar Nest Box costs $28.50, well under your $60 budget [P:B0SHELF004].",
        f"The Quillet Bird Feeding Station Kit costs $43.99 here [P:B0SHELF001], but $69 at other stores [{WEB}].",
        "Two Brindlecote Sunflower Hearts for Wild Birds would be 2 × $47.98 = $95.96.",
        f"Poles cost $20 to $90 [{WEB}].",
        "For the Ostrabel Panorama Tube Feeder, 340 reviews mention squirrels [P:B0SHELF002].",
        "The Brindlecote Suet Cakes, 12 Pack costs $19.88 in the size that you need [P:B0SHELF006].",
        "Neither the Quillet Bird Feeding Station Kit ($43.99) nor the Ostrabel Panorama Tube Feeder ($36.99) "
        "is rated 5 stars by all.",
    ],
)
def test_amounts_that_are_no_price_of_the_record_are_left_alone(sentence: str) -> None:
    assert found(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        (
            "| Product | Price | Rating | Reviews |\n|---|---|---|---|\n"
            "| Ostrabel Panorama Tube Feeder [P:B0SHELF002] | $36.99 | 4.4 | 12,408 |",
            "4.4",
        ),
        (
            "| | Quillet Bird Feeding Station Kit | Ostrabel Panorama Tube Feeder |\n|---|---|---|\n"
            "| Price | $43.99 | $38.99 |\n| Rating | 4.5 | 4.3 |",
            "$38.99",
        ),
        (
            "### 1. Marlowick Cedar Nest Box\n\nI would buy it again.\n\n"
            "- Price: $25.50\n- Rating: 4.6/5 (389 reviews)",
            "$25.50",
        ),
        ("1. **Quillet Bird Feeding Station Kit** – $43.99\n   - 4.5 stars from 267 reviews\n", "267 reviews"),
        ("The Tarnside Heated Bird Bath costs $80 [P:B0SHELF005].", "$80"),
        ("It costs €43.99 [P:B0SHELF001].", "€43.99"),
        ("The Quillet Bird Feeding Station Kit costs **$39.99** [P:B0SHELF001].", "$39.99"),
        ("The Quillet Bird Feeding Station Kit costs *$39.99* now [P:B0SHELF001].", "$39.99"),
        ("The Quillet Bird Feeding Station Kit ([page](http://ecommerce.com/B0SHELF001)) costs $44.99.", "$44.99"),
    ],
)
def test_a_wrong_value_is_found_in_every_form(sentence: str, said: str) -> None:
    assert [finding.said for finding in found(sentence)] == [said]


def test_a_price_rounded_to_whole_dollars_is_a_warning() -> None:
    (finding,) = found("The Quillet Bird Feeding Station Kit costs $44 [P:B0SHELF001].")
    assert (finding.code, finding.severity) == ("price_wrong", "warning")


def test_a_product_only_the_web_knows_is_not_in_the_catalog() -> None:
    (finding,) = found(f"I recommend the **Nordhavn Steel Feeder Pole** ($59.00) [{WEB}].")
    assert (finding.code, finding.found) == ("not_in_catalog", "only web pages are cited for it")


def test_an_id_that_the_shop_does_not_have_is_unresolved_and_not_in_the_catalog() -> None:
    assert set(codes("I recommend this one [P:B0NOWHERE1].")) == {"unresolved_citation", "not_in_catalog"}


def test_an_id_that_the_shop_has_and_the_run_was_not_handed_is_only_unresolved() -> None:
    def larger(ids: Collection[str]) -> dict[str, Product]:
        return {"B0NOWHERE1": SEED, **dict.fromkeys(ids, SEED)}  # type: ignore[attr-defined] — any id is known

    assert codes("I recommend this one [P:B0NOWHERE1].", lookup=larger) == ["unresolved_citation"]


@pytest.mark.parametrize(
    "report",
    [
        "**Bird houses & shelter** ($85) are for the second month.",
        "**Bird Feeding Station** ($43.99): see the Quillet Bird Feeding Station Kit.",
        "## Total Cost Estimate For Everything ($120)",
        "Left out: the **Zephyrine Cloud Nine Seed Silo** ($31.99).",
        "**Squirrel Proof Feeder Poles** cost $20 to $90.",
    ],
)
def test_labels_kinds_and_ranges_are_no_invented_products(report: str) -> None:
    assert found(report) == []


def test_a_page_that_the_run_never_saw_is_found_and_one_that_it_saw_is_not() -> None:
    assert codes("Poles help (https://other.example/poles).") == ["url_not_seen"]
    assert codes(f"Poles help ({PAGE}).") == []


def test_an_alternative_is_no_recommendation() -> None:
    report = "I recommend the Quillet Bird Feeding Station Kit.\n\n"
    report += "## Alternatives\n\n- **Ostrabel Panorama Tube Feeder**: $36.99\n"
    assert codes(report, NO_OSTRABEL) == []


@pytest.mark.parametrize(
    "report",
    [
        "Don't buy the Ostrabel Panorama Tube Feeder.",
        "I recommend the Quillet Bird Feeding Station Kit rather than the Ostrabel Panorama Tube Feeder.",
        "The runner-up is the Ostrabel Panorama Tube Feeder.",
    ],
)
def test_what_is_turned_down_is_not_recommended(report: str) -> None:
    assert codes(report, NO_OSTRABEL) == []


def test_a_query_that_wants_nothing_twice_leaves_no_excuse() -> None:
    report = "I recommend the Marlowick Cedar Nest Box, a reorder of what you have [P:B0SHELF004]."
    assert codes(report) == []
    assert codes(report, a_query("A nest box; don't suggest the same one again.")) == ["recommended_although_owned"]


def test_a_query_that_asks_for_more_of_the_same_may_get_it() -> None:
    report = "I recommend the Marlowick Cedar Nest Box [P:B0SHELF004]."
    assert codes(report, a_query("Please reorder my nest box.")) == []


def test_a_budget_for_each_thing_is_held_against_each() -> None:
    query = a_query("Nothing above $40 each.", budget=40, budget_scope="per_item")
    report = "Get the **Ostrabel Panorama Tube Feeder** ($36.99) and the **Quillet Bird Feeding Station Kit** ($43.99)."
    assert [finding.evidence_id for finding in found(report, query)] == [f"P:{STATION.product_id}"]


def test_a_choice_between_two_is_not_added_up() -> None:
    query = a_query("At most $60 in all.", budget=60)
    both = "Get the **Ostrabel Panorama Tube Feeder** ($36.99) {} the **Quillet Bird Feeding Station Kit** ($43.99)."
    assert codes(both.format("or"), query) == []
    assert codes(both.format("and"), query) == ["over_budget"]


def test_a_section_told_twice_is_found() -> None:
    report = f"## One\n\n{LONG * 3}\n\n## Two\n\n{LONG * 3}"
    (finding,) = found(report)
    assert (finding.code, finding.said) == ("repeated_section", "Two")


def missing(report: str, query: Query | None = None, **fields: Any) -> set[str]:
    case = a_case(report, query, **fields)
    return {code for code, check in CHECKS.items() if check.missing(case)}


def test_checks_that_do_not_apply_say_why() -> None:
    nobody = Query(query_id="q2", text="Which feeders are there?", source="a person")
    assert missing("The shop has feeders.", nobody, lookup=None, run=a_run()) == set(CHECKS) - {"profile_changed"}


@pytest.mark.parametrize("report", ["", str(BUDGET.text), "bird feeder, pole, sunflower hearts, garden"])
def test_a_report_that_says_nothing_is_checked_for_nothing_that_it_says(report: str) -> None:
    assert missing(report, BUDGET, run=a_run("poles")) == set(CHECKS) - {"personal_data_sent", "profile_changed"}


def test_a_copy_of_a_query_that_names_a_product_recommends_none() -> None:
    query = a_query("I want to buy the Quillet Bird Feeding Station Kit [P:B0SHELF001] for $43.99, under $100.")
    said = {code for code, check in CHECKS.items() if check.of_claims}
    assert said <= missing(query.text, query)


@pytest.mark.parametrize(
    ("report", "checked"),
    [
        ("It costs $43.99 [P:B0SHELF001].", {"price_wrong", "unresolved_citation"}),
        ("The Quillet Bird Feeding Station Kit has 4.5 stars.", {"rating_wrong"}),
        ("The Quillet Bird Feeding Station Kit has 2,067 reviews.", {"rating_count_wrong"}),
        ("$10 + $20 = $30", {"total_wrong"}),
        ("- Tube: $10\n- Box: $20\n- Total: $30", {"total_wrong"}),
        ("| Thing | Price |\n|---|---|\n| A | $10 |\n| B | $20 |\n| Total | $30 |", {"total_wrong"}),
        ("Total: $30", set[str]()),
        (f"Poles help ({PAGE}).", {"unresolved_citation", "url_not_seen"}),
        (
            "I recommend the Quillet Bird Feeding Station Kit.",
            {"not_in_catalog", "over_budget", "recommended_although_owned"},
        ),
        (f"## One\n\n{LONG * 3}\n\n## Two\n\nAn{LONG[2:]}{LONG * 2}", {"repeated_section"}),
    ],
)
def test_what_is_said_is_checked_and_nothing_else(report: str, checked: set[str]) -> None:
    assert set(CHECKS) - missing(report, BUDGET) == checked


@pytest.mark.parametrize(
    "sentence",
    [
        "2 × {name} ({amount}) [P:B0SHELF001]",
        "- 2 × {name} ({amount}) [P:B0SHELF001]",
        "{name} (2 units, {amount})",
        "Two of the {name} cost {amount} [P:B0SHELF001].",
        "{name} x2 - {amount}",
        "| Product | Qty | Price |\n|---|---|---|\n| {name} | 2 | {amount} |",
    ],
)
def test_a_multiple_by_a_stated_quantity_is_no_wrong_price_and_a_wrong_multiple_is(sentence: str) -> None:
    name = "**Quillet Bird Feeding Station Kit**"
    assert codes(sentence.format(name=name, amount="$87.98")) == []
    assert codes(sentence.format(name=name, amount="$43.99")) == []
    for wrong in ("$85.98", "$131.97"):
        assert codes(sentence.format(name=name, amount=wrong)) == ["price_wrong"]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("With the 5% coupon the {} costs $41.79.", []),
        ("The {} is on sale for $39.99.", []),
        ("After the discount, the {} costs $39.99.", []),
        ("The {} costs $39.99 after the discount.", []),
        ("The {} costs $39.99 and comes with a coupon.", ["price_wrong"]),
        ("The {} costs $39.99, but the feeder is on sale.", ["price_wrong"]),
    ],
)
def test_a_price_lowered_by_a_coupon_or_a_sale_is_no_claim_about_the_record(sentence: str, expected: list[str]) -> None:
    assert codes(sentence.format("Quillet Bird Feeding Station Kit")) == expected


PHASES = """## Phase 1 ($50)

- Hooks: $40.99

Phase 1 total: $40.99

## Phase 2 ($100)

- Pole: $85.99

Phase 2 total: $85.99

"""


@pytest.mark.parametrize(
    "last",
    [
        "Grand total: $126.98",
        "Total: $126.98",
        "**Total: $126.98**",
        "Overall total: $126.98",
        "All in all: $126.98",
        "All in all, that is $126.98.",
        "| What | Cost |\n|---|---|\n| **Total** | $126.98 |",
    ],
)
def test_a_grand_total_below_a_phase_is_held_against_the_whole_budget(last: str) -> None:
    assert codes(PHASES + last, a_query("At most $130.", budget=130)) == []
    (finding,) = found(PHASES + last, BUDGET)
    assert (finding.said, finding.found) == ("$126.98", "the budget is $100.00")


def test_a_phase_above_its_own_heading_is_found_beside_a_grand_total() -> None:
    report = PHASES.replace("## Phase 2 ($100)", "## Phase 2 ($80)") + "Grand total: $126.98"
    assert [finding.said for finding in found(report, a_query("At most $130.", budget=130))] == ["$85.99"]
    own = "## Phase 1 ($50)\n\nTotal: $60\n\n## Phase 2 ($30)\n\nTotal: $40"
    assert [finding.said for finding in found(own, BUDGET)] == ["$60", "$40"]


@pytest.mark.parametrize(
    "cut", ["### What it costs\n\n", "#### Phase 2: Nests (Month 2 - $85)\n\n### What it costs\n\n"]
)
def test_the_papers_example_without_a_heading_for_its_summary_breaks_the_whole_budget_too(cut: str) -> None:
    query = a_query("Keep my total spending under $300 over the next three months.", budget=300)
    errors = {finding.said: finding.found for finding in found(FIGURE_9.replace(cut, ""), query)}
    assert errors["$330"] == "the budget is $300.00"
    assert "$120.00" in str(errors["$128.96"])


def test_a_product_of_an_order_that_was_returned_is_not_owned() -> None:
    case = a_case("I recommend the Marlowick Cedar Nest Box [P:B0SHELF004].")
    assert HOUSE.product_id in case.all_owned
    returned = {
        key: item.model_copy(
            update={
                "texts": (
                    item.texts[0].model_copy(update={"text": item.texts[0].text.replace("Delivered", "Returned")}),
                )
            }
        )
        for key, item in case.evidence.items()
    }
    assert HOUSE.product_id not in type(case)(case.report, returned, case.query).all_owned


def test_of_two_products_cited_together_the_one_named_before_a_value_is_meant() -> None:
    report = "The Ostrabel Panorama Tube Feeder: ${}, rated 4.3 out of 5 against 4.5 [P:B0SHELF002][P:B0SHELF001]."
    assert codes(report.format("36.99")) == []
    assert [finding.found for finding in found(report.format("43.99"))] == ["$36.99"]


def test_constraints_are_read_from_the_words_of_a_query_that_has_none_typed() -> None:
    report = "Get the **Quillet Bird Feeding Station Kit** ($43.99) [P:B0SHELF001]."
    assert codes(report, a_query("A feeder for at most $30, please.")) == ["over_budget"]
    assert codes(report, a_query("A feeder for at most $30, please.", budget=50)) == []


@pytest.mark.parametrize(
    "asked",
    ["Nothing that I already own, please.", "Do not suggest what I already own.", "None of what I own, please."],
)
def test_who_wants_nothing_twice_is_given_no_excuse(asked: str) -> None:
    said = "I recommend the Marlowick Cedar Nest Box [P:B0SHELF004] to replace the one that you bought in 2020."
    assert codes(said) == []
    assert codes(said, a_query(asked)) == ["recommended_although_owned"]
