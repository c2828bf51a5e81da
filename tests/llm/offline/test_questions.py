"""What the shopper wants to know beside what to buy."""

import pytest

from drretail.llm.offline.shopper.customer import Customer
from drretail.llm.offline.shopper.needs import read_needs
from drretail.llm.offline.shopper.questions import MOST_WEB_SEARCHES, read_questions, web_searches
from drretail.records.query import Constraints


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("Also what birds are native to my state?", ["“What birds are native to my state?”"]),
        (
            "Tell me in which order to set everything up and how much work a week it will really be.",
            ["in which order to set everything up", "how much work a week it will really be"],
        ),
        ("I wonder how dry my air gets.", ["how dry your air gets"]),
        ("I also wonder whether it should be taken with food.", ["whether it should be taken with food"]),
        ("Find out whether tests rate sheets as well as liquid.", ["whether tests rate sheets as well as liquid"]),
        (
            "Help me understand which hole size suits which bird, and then show me two.",
            ["which hole size suits which bird"],
        ),
        ("Can you tell me how dry indoor air gets?", ["how dry indoor air gets"]),
        (
            "Help me choose a lamp: what do people recommend, and what is overrated?",
            ["“What do people recommend, and what is overrated?”"],
        ),
        (
            "Please find out what sleep studies say, look at weight, and tell me which way to go.",
            ["what sleep studies say"],
        ),
        ("What should I buy? Which one is best? How much does it cost?", []),
        ("Would a bird bath be right, or is there something nicer?", []),
        ("Tell me what to buy instead. Tell me which you'd choose.", []),
        ("Depending on that, would a lamp be worth adding to what I have?", []),
    ],
)
def test_questions_are_told_from_requests(query: str, told: list[str]) -> None:
    assert [question.told for question in read_questions(query)] == told


def test_a_question_without_a_noun_is_searched_for_with_what_is_to_be_bought() -> None:
    query = "I need a garden hose. I wonder how much work a week it will be."
    needs = read_needs(query, Constraints()).needs
    first, *rest = web_searches(needs, read_questions(query), Customer())
    assert {"work", "week", "garden", "hose"} <= set(first.query.split())
    assert len(rest) < MOST_WEB_SEARCHES


def test_a_question_on_the_place_is_searched_for_with_its_name() -> None:
    questions = read_questions("What birds are native to my part of the country?")
    (search,) = web_searches((), questions, Customer(state="Ohio"))
    assert "Ohio" in search.query
    assert not web_searches((), questions, Customer())
