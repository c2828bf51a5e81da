"""What the shopper reads out of a query: things to buy, things owned, and what only sounds like either."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.llm.offline.shopper.need import kind_of
from drretail.llm.offline.shopper.needs import MOST_NEEDS, read_needs
from drretail.records.query import Constraints


def names(query: str) -> list[str]:
    return [need.name for need in read_needs(query, Constraints()).needs]


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("which dog bed should I buy?", ["dog bed"]),
        ("I need sunscreen, shampoo and nail polish", ["sunscreen", "shampoo", "nail polish"]),
        ("What hair dryer brush should I get? I have curly hair.", ["hair dryer brush"]),
        ("I want a patio umbrella, max $70, UV-resistant", ["patio umbrella"]),
        ("I need a dog bed, washable, under $60", ["dog bed"]),
        ("I need a moisturizer and my skin is dry", ["facial moisturizer"]),
        ("Recommend a non-toxic, BPA-free water bottle", ["water bottle"]),
        ("which sunscreen is best for kids", ["sunscreen"]),
        ("I want a planner, not a desk lamp", ["planner"]),
        ("The white noise machine I bought in 2021 annoys me. Which one would be a step up?", ["white noise machine"]),
        ("I'm fed up with the wall clock I got here. What would you replace it with?", ["wall clock"]),
        ("I can't decide between headbands and hair ties.", ["headbands", "hair ties"]),
        ("Find out which form is absorbed best; look at my order history. I need a planner.", ["planner"]),
        ("What should I buy next?", []),
        ("How do I clean my cast iron skillet?", []),
    ],
)
def test_the_things_to_buy_are_read_in_the_order_of_the_query(query: str, wanted: list[str]) -> None:
    assert names(query) == wanted


@pytest.mark.parametrize(
    "query",
    [
        "I already have a humidifier. Looking for a label maker",
        "A label maker to go with my humidifier",
        "More than just my current humidifier: I want a label maker",
    ],
)
def test_what_is_owned_is_told_from_what_is_wanted(query: str) -> None:
    read = read_needs(query, Constraints())
    assert [need.name for need in read.needs] == ["label maker"]
    assert read.owned == ("humidifier",)


@pytest.mark.parametrize(
    ("query", "again"),
    [
        ("Please reorder my shampoo", True),
        ("Shampoo, the same as last time", True),
        ("I want a shampoo. Don't suggest the same thing again", False),
        ("Should I order the same shampoo again, or is there something better?", False),
        ("a shampoo", False),
    ],
)
def test_wanting_the_same_again_is_told_from_not_wanting_it(query: str, again: bool) -> None:
    assert read_needs(query, Constraints()).needs[0].again is again


def test_what_is_to_be_replaced_is_wanted() -> None:
    (need,) = read_needs("Replace my old dog bed with an orthopedic one", Constraints()).needs
    assert (need.name, need.wishes) == ("dog bed", ("orthopedic",))


def test_a_word_of_the_theme_means_its_kind_only_within_the_theme() -> None:
    assert names("feeders and houses for the birds in my yard") == ["bird feeder", "birdhouse"]
    assert "birdhouse" not in names("I want a desk lamp for my house")


@pytest.mark.parametrize(
    ("query", "quantity"),
    [("three bird feeders", 3), ("a 12 inch cast iron skillet", 1), ("2 dog beds", 2), ("$2 planner", 1)],
)
def test_numbers_of_pieces_are_told_from_sizes_and_prices(query: str, quantity: int) -> None:
    assert read_needs(query, Constraints()).needs[0].quantity == quantity


def test_a_stated_quantity_goes_to_the_thing_it_is_stated_for() -> None:
    read = read_needs("bird feeders and a bird bath", Constraints(quantities={"bird feeder": 4}))
    assert {need.name: need.quantity for need in read.needs} == {"bird feeder": 4, "bird bath": 1}


def test_a_query_without_a_thing_is_at_most_a_guess() -> None:
    (need,) = read_needs("tell me a joke", Constraints()).needs
    assert need.guessed


@pytest.mark.parametrize(
    ("title", "kind"),
    [("Wren House | Cedar Nesting Box", "birdhouse"), ("Magnesium Glycinate 400 mg", "magnesium supplement")],
)
def test_a_title_shows_its_kind(title: str, kind: str) -> None:
    found = kind_of(title)
    assert found is not None
    assert found.name == kind


@given(st.text(max_size=400))
def test_any_text_at_all_gives_a_few_needs_or_none(query: str) -> None:
    read = read_needs(query, Constraints())
    assert len(read.needs) <= MOST_NEEDS
    assert all(need.name and need.quantity >= 1 for need in read.needs)
