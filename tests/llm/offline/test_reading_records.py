"""What is read out of products and pages: whether it is the thing, what it promises, whether pages disagree."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.listing import fulfils, listing_of
from drretail.llm.offline.shopper.candidates import Candidate
from drretail.llm.offline.shopper.facts import key_facts, pieces_in, short_feature
from drretail.llm.offline.shopper.need import Need
from drretail.llm.offline.shopper.needs import read_needs
from drretail.llm.offline.shopper.relevance import relevance_of
from drretail.llm.offline.shopper.report.disagreement import disagreements
from drretail.llm.offline.shopper.report.sayings import Saying
from drretail.llm.offline.shopper.study import read_demands
from drretail.llm.offline.shopper.wishes import contradicts, qualities_in, says
from drretail.records.query import Constraints
from drretail.records.shop import Product


def candidate(title: str, **record: Any) -> Candidate:
    return Candidate("B1", "P:B1", title, Decimal(10), False, "USD", 4.5, 100, "Acme", "Pet_Supplies", record)


def need(name: str) -> Need:
    return read_needs(name, Constraints()).needs[0]


@pytest.mark.parametrize(
    "title",
    ["Acme Dog Bed", "Orthopedic Bed for Dogs", "Acme Dog Bed with Removable Cover", "Pet Bed | Dog Bed, Large"],
)
def test_the_thing_itself_is_relevant(title: str) -> None:
    assert relevance_of(need("dog bed"), candidate(title)) >= 0.6


@pytest.mark.parametrize(
    "title",
    [
        "Replacement Cover for Dog Bed",
        "Dog Bed Cover, Waterproof",
        "Lint Brush for Dog Bed",
        "Dog Bowl",
        "Bed Sheet Set",
    ],
)
def test_what_is_for_the_thing_is_not_the_thing(title: str) -> None:
    assert relevance_of(need("dog bed"), candidate(title)) < 0.4


def test_a_thing_late_in_a_long_title_or_behind_with_counts_less() -> None:
    gift = candidate("Gift Basket with Shampoo and Soap")
    assert relevance_of(need("shampoo"), gift) < relevance_of(need("shampoo"), candidate("Acme Shampoo"))


@pytest.mark.parametrize(
    ("feature", "short"),
    [
        ("【SQUIRREL PROOF】The perch closes the ports. It never fails.", "The perch closes the ports"),
        ("WEATHER RESISTANT - Powder-coated metal withstands rain.", "Powder-coated metal withstands rain"),
        ("We stand behind our products, contact our customer service.", None),
        ("✅ Machine washable", "Machine washable"),
        ("ok", None),
    ],
)
def test_a_feature_is_shortened_to_one_promise(feature: str, short: str | None) -> None:
    assert short_feature(feature) == short


@given(st.text(max_size=500))
def test_any_feature_is_shortened_or_left_out(feature: str) -> None:
    short = short_feature(feature)
    assert short is None or (short and len(short) <= 120)


def test_facts_are_those_the_shopper_cares_for_first_and_never_repeat_the_title() -> None:
    product = candidate(
        "Acme Dog Bed",
        features=["Acme dog bed", "Comes in six colours of the rainbow", "The cover is machine washable"],
        details={"Material": "Memory Foam", "ASIN": "B1"},
    )
    assert key_facts(product, ["washable"]) == [
        "The cover is machine washable",
        "Comes in six colours of the rainbow",
        "Material: memory foam",
    ]


@pytest.mark.parametrize(
    ("title", "pieces"),
    [("Gel Pens, 24 Count", 24), ("Set of 6 Bowls", 6), ("Mix of 3 Pack and 4 Pack", None), ("Bed", None)],
)
def test_pieces_are_counted_only_where_the_title_is_clear(title: str, pieces: int | None) -> None:
    found = pieces_in(candidate(title))
    assert (found.number if found else None) == pieces


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Dishwasher safe lid", "dishwasher safe"),
        ("Every part is machine washable", "machine washable"),
        ("Not suitable", None),
        ("This is not easy to clean", None),
    ],
)
def test_a_demand_is_met_only_by_words_that_affirm_it(text: str, said: str | None) -> None:
    assert says(candidate("Bowl", description=[text]), "easy to clean") == said


@pytest.mark.parametrize(
    ("demand", "title", "text", "details"),
    [
        ("dimmable", "LED Light Bulbs, Non-Dimmable", "Do not use with a dimmer", {"Special Feature": "Non-Dimmable"}),
        ("glass", "Food Containers", "Weighs a fifth of glass", {"Material": "BPA-Free Plastic"}),
        ("silk", "Blanket", "Drapes like silk", {}),
        ("gluten free", "Bread", "Made without soy or gluten", {}),
        ("gluten free", "Bread", "Made without gluten", {}),
    ],
)
def test_what_meets_a_demand_here_meets_it_in_a_basket(
    demand: str, title: str, text: str, details: dict[str, str]
) -> None:
    product = Product(product_id="B0TEST0001", title=title, features=(text,), details=details, category="Home")
    said = says(candidate(title, features=[text], details=details), demand)
    assert (said is not None) <= fulfils(listing_of(product), demand)
    assert said == ("without gluten" if text == "Made without gluten" else None)


def test_what_must_not_be_in_it_may_be_denied_by_the_record() -> None:
    assert contradicts(candidate("Soap", description=["Contains fragrance"]), "fragrance")
    assert not contradicts(candidate("Soap, fragrance-free", description=["No fragrance added"]), "fragrance")
    assert contradicts(candidate("Box", details={"Material": "BPA-Free Plastic"}), "plastic")


def saying(text: str, evidence: str) -> Saying:
    return Saying(text, evidence, "Page", date(2022, 1, 1), 1.0)


@pytest.mark.parametrize(
    ("one", "other", "disagree"),
    [
        ("Clean the feeder every two weeks.", "You should clean a feeder weekly.", True),
        ("Clean the feeder every 2 weeks.", "Clean your feeder every two weeks.", False),
        ("Clean the feeder every two weeks.", "Hang the feeder 5 feet high.", False),
        ("Never wash a skillet with soap and hot water.", "You should wash a skillet with soap and hot water.", True),
    ],
)
def test_pages_disagree_when_they_give_other_numbers_or_the_opposite_advice(
    one: str, other: str, disagree: bool
) -> None:
    assert bool(disagreements([saying(one, "W:a")], [saying(other, "W:b")])) is disagree


def test_a_page_does_not_disagree_with_itself() -> None:
    assert not disagreements([saying("Clean it weekly.", "W:a")], [saying("Clean it every 3 weeks.", "W:a")])


@pytest.mark.parametrize(
    ("query", "large"),
    [
        ("Which dog bed should I buy for my labrador?", True),
        ("A bed for a large dog, please.", True),
        ("A bed for my dachshund, please.", False),
        ("A dog bed that is not too large.", False),
    ],
)
def test_a_large_dog_asks_for_a_large_thing(query: str, large: bool) -> None:
    assert ("large" in qualities_in(query)) is large


def test_what_the_shopper_only_wonders_how_to_avoid_rules_no_product_out() -> None:
    assert read_demands("I'd like to know how to avoid razor burn. A shampoo, please.").stated.must_not == ()
    assert read_demands("A shampoo without parabens, please.").stated.must_not == ("parabens",)
