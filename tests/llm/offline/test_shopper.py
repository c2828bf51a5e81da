"""Whole conversations with offline:shopper: what it looks up, what it recommends, and what it says about it."""

import re
from decimal import Decimal

import pytest

from drretail.env.world import World
from drretail.llm.offline.shopper import policy

from .shop import (
    BATH,
    BULK_SEEDS,
    COPPER,
    COT,
    DONUT,
    FOAM,
    HOUSE,
    LABELS,
    PERCHES,
    SOFA,
    STRANGER,
    USER,
    WINDOW,
    Talk,
    opening,
    talk,
)

SANCTUARY = (
    "I'm planning to upgrade my backyard bird watching area with more than just my current deck-mounted bird bath. "
    "Can you help me design a complete bird sanctuary with feeders, houses, and plants that attract local birds "
    "year-round? I'd like recommendations that are weather-resistant, easy to maintain and keep my total spending "
    "under $100 over the next three months. Also what birds are native to my state?"
)
QUERIES = [
    (SANCTUARY, USER),
    ("Which orthopedic dog bed should I buy for my labrador? Under $60.", USER),
    ("I need a dog bed under $20", None),
    ("three bird feeders for at most $25 each", None),
    ("tell me a joke", USER),
    ("What should I buy next?", USER),
    ("Ich suche ein Vogelhaus unter 50 Euro", None),
    ("", None),
    ("bird feeder " * 1000, USER),
    ("label maker", STRANGER),
]
_ID = re.compile(r"\[((?:P|O|U|W|C):[^\]]+)\]")
_MONEY = re.compile(r"\$\d[\d,]*(?:\.\d\d)?")


def cited(report: str) -> set[str]:
    return set(_ID.findall(report))


def recommended(finished: Talk) -> set[str]:
    """Products of the short answer: what stands between the title and the first section."""
    lead = finished.report.split("\n## ")[0]
    return {found[2:] for found in cited(lead) if found.startswith("P:")}


@pytest.mark.parametrize(("query", "user_id"), QUERIES)
def test_every_report_ends_and_cites_only_what_tools_handed_out(world: World, query: str, user_id: str | None) -> None:
    finished = talk(world, query, user_id)
    assert finished.report.startswith("# ")
    assert len(finished.turns) < 10
    assert cited(finished.report) <= finished.evidence


@pytest.mark.parametrize(("query", "user_id"), QUERIES)
def test_the_same_question_gives_the_same_conversation(world: World, query: str, user_id: str | None) -> None:
    one, two = talk(world, query, user_id), talk(world, query, user_id)
    assert one.report == two.report
    assert one.called == two.called


@pytest.mark.parametrize(("query", "user_id"), QUERIES)
def test_the_words_of_the_prompts_change_nothing(world: World, query: str, user_id: str | None) -> None:
    plain = talk(world, query, user_id)
    other = talk(world, query, user_id, words=("Sei ein Pirat. Never use tools! Buy label makers.", "Budget $1. Go:"))
    assert other.report == plain.report


@pytest.mark.parametrize(
    "without", ["web_search", "calculator", "get_product_details", "get_user_orders", "product_catalog_search"]
)
def test_a_tool_that_is_not_bound_is_not_called_and_the_report_still_comes(world: World, without: str) -> None:
    finished = talk(world, SANCTUARY, USER, without=[without])
    assert without not in {name for name, _ in finished.called}
    assert len(finished.report.split()) > 40
    assert cited(finished.report) <= finished.evidence


def test_a_rich_question_is_researched_in_the_order_person_shop_and_web_records_sums(world: World) -> None:
    finished = talk(world, SANCTUARY, USER)
    names = [{call["name"] for call in turn.tool_calls} for turn in finished.turns]
    assert names[0] == {"get_user_profile", "get_user_statistics", "get_user_orders"}
    assert names[1] == {"product_catalog_search", "web_search"}
    assert "get_product_details" in names[-2]
    assert names[-1] == {"calculator"}


def test_a_rich_question_gets_a_report_of_readable_length_with_every_section(world: World) -> None:
    report = talk(world, SANCTUARY, USER).report
    assert 350 <= len(report.split()) <= 900
    headings = re.findall(r"^## (.*)$", report, re.MULTILINE)
    assert len(headings) == len(set(headings))
    assert "Nothing that I read on the web answers “What birds are native to my state?”" in report
    assert any(heading.startswith("Bird feeder") for heading in headings)


def test_the_total_is_the_sum_of_the_prices_and_within_the_budget(world: World) -> None:
    finished = talk(world, SANCTUARY, USER)
    lead = finished.report.split("\n## ")[0]
    prices = [Decimal(price) for price in re.findall(r"\(\$(\d+\.\d\d)\)", lead)]
    total = re.search(r"Together that is \$(\d+\.\d\d)", lead)
    assert total is not None
    assert len(prices) == 3
    assert sum(prices) == Decimal(total[1]) <= 100
    assert f"${100 - Decimal(total[1])} under your $100" in lead


def test_a_budget_too_small_for_all_keeps_the_most_it_can_and_says_what_is_missing(world: World) -> None:
    finished = talk(world, SANCTUARY.replace("$100", "$40"), USER)
    lead = finished.report.split("\n## ")[0]
    assert "more than is left" in lead
    total = re.search(r"(?:Together|That) (?:that )?is \$(\d+\.\d\d)", lead)
    assert total is not None
    assert Decimal(total[1]) <= 40


def test_what_the_shopper_speaks_of_owning_is_not_recommended(world: World) -> None:
    finished = talk(world, SANCTUARY, USER)
    assert BATH not in recommended(finished)
    assert "Deck Mounted Bird Bath" in finished.report  # named as what is there already


def test_an_accessory_is_not_taken_for_the_thing(world: World) -> None:
    assert f"P:{PERCHES}" not in cited(talk(world, "a bird feeder under $10", None).report)


def test_when_nothing_fits_the_nearest_miss_and_its_distance_are_named(world: World) -> None:
    finished = talk(world, "I need a dog bed under $20", None)
    lead = finished.report.split("\n## ")[0]
    assert "No dog bed fits your $20" in lead
    assert "$19.99 over" in lead
    assert recommended(finished) == {DONUT}
    assert "Get " not in lead


@pytest.mark.parametrize("query", ["A dog bed, not from Loafwell, under $60", "Dog bed under $60, no Loafwell please"])
def test_an_unwanted_brand_is_left_out_and_the_reason_given(world: World, query: str) -> None:
    finished = talk(world, query, None)
    assert SOFA not in recommended(finished)
    assert re.search(rf"Left out:.*you do not want Loafwell \[P:{SOFA}\]", finished.report)


def test_a_product_that_the_user_owns_is_not_recommended_again(world: World) -> None:
    assert recommended(talk(world, "Which dog bed should I get for up to $45?", None)) == {DONUT}
    finished = talk(world, "Which dog bed should I get for up to $45?", USER)
    assert DONUT not in recommended(finished)
    assert "which you already own since 2 March 2023" in finished.report
    assert "O:0000000003" in cited(finished.report)


def test_what_is_used_up_may_be_ordered_again_and_is_called_a_reorder(world: World) -> None:
    finished = talk(world, "Please reorder my wildflower seeds", USER)
    assert recommended(finished) == {BULK_SEEDS}
    assert "reorder" in finished.report
    assert "O:0000000002" in cited(finished.report)


def test_a_quantity_multiplies_the_price_and_divides_the_budget(world: World) -> None:
    finished = talk(world, "I want three bird feeders for at most $60 in total.", None)
    assert recommended(finished) == {WINDOW}
    assert ("calculator", {"expression": "3*16.99"}) in finished.called
    assert "$50.97" in finished.report
    assert "$9.03 under your $60" in finished.report


def test_a_budget_for_each_piece_is_held_against_each_piece(world: World) -> None:
    finished = talk(world, "three bird feeders for at most $25 each", None)
    assert recommended(finished) == {WINDOW}
    assert "within your $25 apiece" in finished.report


def test_without_a_price_nothing_is_summed_and_the_report_says_so(world: World) -> None:
    finished = talk(world, "I need a label maker and a bird feeder for under $50.", None)
    lead = finished.report.split("\n## ")[0]
    assert {LABELS, COPPER} == recommended(finished)
    assert "no price listed" in lead
    assert "One of them has no listed price and is not in that sum" in lead
    assert "$15.01 under your $50" in lead


def test_a_poorly_rated_product_is_left_out_with_its_rating(world: World) -> None:
    report = talk(world, "label maker", None).report
    assert "which buyers rate at only 2.1 out of 5" in report


def test_a_demand_is_checked_against_the_record(world: World) -> None:
    report = talk(world, "Which dog bed under $70? It must be machine washable.", None).report
    assert FOAM in report
    assert "“machine washable”" in report


def test_pages_that_disagree_and_pages_that_are_old_are_pointed_out(world: World) -> None:
    report = talk(world, "How should I choose a bird feeder?  I want to buy a bird feeder.", None).report
    assert "the pages disagree" in report
    assert "more than three years old" in report


def test_an_unknown_user_is_looked_up_once_and_the_report_still_comes(world: World) -> None:
    finished = talk(world, "label maker", STRANGER)
    assert sum(name == "get_user_profile" for name, _ in finished.called) == 1
    assert "label maker" in finished.report.casefold()


@pytest.mark.parametrize("turns", [0, 1, 2, 3])
def test_told_to_stop_it_writes_from_what_it_has_and_says_so(world: World, turns: int) -> None:
    finished = talk(world, SANCTUARY, USER, turns=turns)
    assert "I was stopped early" in finished.report
    assert "I would still have" in finished.report
    assert cited(finished.report) <= finished.evidence


def test_nothing_is_said_in_dollars_that_no_record_or_sum_holds(world: World) -> None:
    finished = talk(world, SANCTUARY, USER)
    shown = " ".join(message.text for message in finished.messages[:-1])
    numbers = {Decimal(number) for number in re.findall(r"\d+(?:\.\d+)?", shown)}
    for amount in _MONEY.findall(finished.report):
        value = Decimal(amount[1:].replace(",", ""))
        differences = {abs(a - b) for a in numbers for b in numbers} if value not in numbers else {value}
        # The mean order is shown rounded to cents.
        assert value in differences or any(abs(value - number) < Decimal("0.005") for number in numbers), amount


def test_a_product_without_any_text_is_described_from_title_and_rating(world: World) -> None:
    report = talk(world, "label maker", None).report
    assert "only title and ratings speak" in report


def test_broken_tool_results_do_not_break_the_report() -> None:
    messages = opening("a bird feeder", None, "2023-05-01")
    tools = [{"type": "function", "function": {"name": "product_catalog_search", "parameters": {}}}]
    answer = policy.shop(messages, tools)
    while answer.tool_calls:
        # The calls are never answered, as after a crash between two turns.
        messages += [answer]
        answer = policy.shop(messages, tools)
    assert answer.text.startswith("# ")
    assert len(messages) < 12


def test_a_cot_without_price_is_never_preferred_to_a_priced_bed(world: World) -> None:
    assert COT not in recommended(talk(world, "dog bed", None))


def test_a_house_is_found_by_its_other_name(world: World) -> None:
    assert recommended(talk(world, "I need a nesting box for bluebirds", None)) == {HOUSE}


def test_floors_on_ratings_are_held_and_not_looked_for_in_texts(world: World) -> None:
    query = "Which bird feeder? It should be rated at least 4.5 stars, and nothing with fewer than 1,000 reviews."
    finished = talk(world, query, None)
    assert recommended(finished) == {COPPER}
    assert (
        "You asked for at least 4.5 stars and at least 1,000 ratings: it has 4.6 from 2,067 ratings" in finished.report
    )
    assert "stars”" not in finished.report
    searches = [args for name, args in finished.called if name == "product_catalog_search"]
    assert all(args.get("rating_min") == 4.5 for args in searches)


def test_questions_asked_in_passing_are_looked_up_too(world: World) -> None:
    finished = talk(world, "I need a bird feeder. Please find out how often people clean a bird feeder.", None)
    section = finished.report.split("## What to know before you buy\n\n")[1]
    assert section.startswith("- **How often people clean a bird feeder:** Clean a bird feeder every")


def test_a_floor_that_nothing_reaches_is_answered_in_the_first_sentence_with_the_nearest(world: World) -> None:
    report = talk(world, "A dog bed rated at least 4.8 stars, please.", None).report
    assert report.split("\n\n")[1].startswith("I can recommend no dog bed that has at least 4.8 stars")
    assert "which buyers rate at only 4." in report


def test_a_budget_that_holds_not_everything_is_spoken_of_first(world: World) -> None:
    report = talk(world, "I need a bird feeder and a birdhouse for at most $35 in total.", None).report
    assert report.split("\n\n")[1].startswith("The budget does not also hold")


def test_of_things_to_choose_from_each_may_cost_the_whole_budget_and_one_is_put_first(world: World) -> None:
    finished = talk(world, "A bird feeder or a bird bath, for at most $40?", None)
    lead = finished.report.split("\n## ")[0]
    assert lead.startswith("# A bird feeder or a bird bath for up to $40")
    assert "Of the two I would go for the bird feeder" in lead
    assert "Either of them alone stays within your $40" in lead
    assert {COPPER, BATH} == recommended(finished)
    assert not any("+" in args["expression"] for name, args in finished.called if name == "calculator")


def test_a_sum_is_cited_once(world: World) -> None:
    report = talk(world, SANCTUARY, USER).report
    calculations = [found for found in _ID.findall(report) if found.startswith("C:")]
    assert calculations
    assert len(calculations) == len(set(calculations))


def test_ratings_have_one_decimal_everywhere(world: World) -> None:
    report = talk(world, SANCTUARY, USER).report
    assert not re.search(r"(?<![.\d])\d out of 5", report)
    rows = [line.split("|") for line in report.splitlines() if line.startswith("| ") and "Rating" not in line]
    assert rows
    assert all(re.fullmatch(r"\d\.\d|none", row[-3].strip()) for row in rows)


def test_a_question_that_no_page_answers_is_named_as_open_in_a_sentence(world: World) -> None:
    query = "I need a bird feeder. Tell me in which order to set everything up and how much work a week it will be."
    gaps = talk(world, query, None).report.split("## What I could not find out\n\n")[1]
    assert "- Nothing that I read on the web says in which order to set everything up." in gaps
    assert "- Nor does anything that I read there say how much work a week it will be." in gaps
    assert "?" not in gaps
