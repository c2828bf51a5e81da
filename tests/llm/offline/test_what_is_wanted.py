"""What a shopper wants is read where it is named only as theirs, and what is no thing to buy stays out of it."""

import pytest

from drretail.llm.offline.shopper.candidates import Candidate
from drretail.llm.offline.shopper.company import asks_for_company
from drretail.llm.offline.shopper.lookups import MOST_OPENED, OPENED_PER_NEED, first_searches, open_records
from drretail.llm.offline.shopper.needs import read_needs
from drretail.llm.offline.shopper.situation import DETAILS, SEARCH, Lookup, Situation
from drretail.llm.offline.shopper.so_many import so_many
from drretail.llm.offline.shopper.study import read_demands, study
from drretail.llm.offline.shopper.wishes import says
from drretail.records.query import Constraints


def names(query: str) -> list[str]:
    return [need.name for need in read_needs(query, Constraints()).needs]


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("I've come to distrust the pill organizer I bought. Which one is kinder to the planet?", ["pill organizer"]),
        ("My humidifier keeps me awake. Compare the quietest you have, up to $60.", ["humidifier"]),
        ("Show me alternatives to the desk lamp I got from you last year.", ["desk lamp"]),
        ("I've owned my wooden spoon rest since 2019. Which one lasts longer?", ["wooden spoon rest"]),
    ],
)
def test_the_only_thing_named_is_wanted_though_the_shopper_has_one(query: str, wanted: list[str]) -> None:
    assert names(query) == wanted


def test_a_question_about_the_care_of_what_is_had_wants_nothing() -> None:
    assert names("How do I descale my humidifier?") == []


@pytest.mark.parametrize(
    "query",
    [
        "What goes well with my bird feeder?",
        "I have a bird feeder. What else should I buy?",
        "Suggest something to match my desk lamp.",
    ],
)
def test_what_goes_with_a_thing_is_asked_for_and_not_another_of_it(query: str) -> None:
    assert asks_for_company(query)
    assert not {"bird feeder", "desk lamp"} & set(names(query))


@pytest.mark.parametrize(
    "query", ["Which maker would you go with instead of my planner?", "Beyond that, my planner should be thinner."]
)
def test_a_turn_of_speech_asks_for_no_company(query: str) -> None:
    assert not asks_for_company(query)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("I was thinking of a humidifier: compare tank size and noise for me.", ["humidifier"]),
        ("I need a dog harness; look at leash attachments above all.", ["dog harness"]),
        ("Find me a shampoo, and check the ingredients for hidden perfume.", ["shampoo"]),
        ("I'm getting plastic out of the house. I need a coffee grinder.", ["coffee grinder"]),
        ("My back wants a proper workplace. Suggest a desk lamp.", ["desk lamp"]),
        ("I want visitors to sleep well. I need a weighted blanket.", ["weighted blanket"]),
        ("I'd like a shortlist of three for a crib sheet.", ["crib sheet"]),
        ("I need a tape measure. I'm looking for magnetic, without fiberglass.", ["tape measure"]),
        ("Same serum again, unless another one beats it. I need a vitamin C serum.", ["vitamin C serum"]),
        ("I don't need the name on the label; I need the best kayak.", ["kayak"]),
    ],
)
def test_aspects_materials_and_turns_of_speech_are_no_things_to_buy(query: str, wanted: list[str]) -> None:
    assert names(query) == wanted


def test_what_is_compared_with_an_article_is_a_thing_to_buy() -> None:
    assert names("Compare a kayak with a coffee grinder.") == ["kayak", "coffee grinder"]


def test_things_like_the_one_had_are_not_offered_again_when_another_make_is_wanted() -> None:
    (need,) = read_needs("Set my planner beside the best two of other makes.", Constraints()).needs
    assert (need.name, need.other) == ("planner", True)


@pytest.mark.parametrize(
    ("query", "number"),
    [
        ("It would be four of them.", 4),
        ("I'm thinking of two, to last for a while.", 2),
        ("There are three people to think of, so three it is.", 3),
        ("Let's say 12 this time.", 12),
        ("I'd like three alternatives.", None),
        ("Show me two or three.", None),
        ("I'm thinking of 2,000 of them.", None),
    ],
)
def test_a_number_apart_from_its_thing_is_read(query: str, number: int | None) -> None:
    assert so_many(query) == number


def test_the_number_counts_for_the_one_thing_wanted() -> None:
    (need,) = read_needs("Which tape measure looks best? It would be four of them.", Constraints()).needs
    assert need.quantity == 4


def test_a_quality_that_is_looked_for_is_insisted_on() -> None:
    assert read_demands("A tape measure. I'm looking for magnetic, without fiberglass.").stated.must == ("magnetic",)


def test_a_thing_that_is_looked_for_is_no_quality() -> None:
    assert read_demands("I'm looking for shampoo, without sulfates.").stated.must == ()


def test_what_is_insisted_on_is_searched_for() -> None:
    query = "I need a bird feeder. It must be weather resistant."
    situation = Situation(query, None, None, None, frozenset({SEARCH}), ())
    words = [args["query"] for name, args in first_searches(study(situation)) if name == SEARCH]
    assert "weather resistant bird feeder" in words


def test_more_records_are_opened_where_something_is_insisted_on() -> None:
    cards = [
        {"product_id": f"B{place}", "evidence": f"P:B{place}", "title": f"Bird Feeder {place}", "average_rating": 4.5}
        for place in range(8)
    ]

    def opened(query: str) -> int:
        seen = (Lookup(SEARCH, {"query": "bird feeder"}, {"hits": cards}),)
        return len(open_records(study(Situation(query, None, None, None, frozenset({SEARCH, DETAILS}), seen))))

    assert opened("I need a bird feeder.") == OPENED_PER_NEED
    assert opened("I need a bird feeder. It must be squirrel proof.") == MOST_OPENED


def test_what_something_is_weighed_against_is_not_what_it_is_made_of() -> None:
    def box(text: str) -> Candidate:
        return Candidate("B0", "P:B0", "Box", None, False, "USD", 4.5, 10, None, "", {"features": [text]})

    assert says(box("Weighs a fifth of glass"), "glass") is None
    assert says(box("Made of glass"), "glass") == "glass"
