"""Limits read in questions; a sentence that states none must give none."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.offline.shopper.reading.question import Question, said_of
from drretail.records.money import Money
from drretail.records.query import LONGEST_TEXT, Demand, demands


def usd(amount: str) -> Money:
    return Money(amount=amount)


def limits(text: str) -> dict[str, Any]:
    """All limits that are read, without absent ones."""
    question = Question(text)
    budget, scope = question.budget or (None, None)
    found = {
        "budget": budget,
        "scope": scope,
        "brands_wanted": question.brands_wanted,
        "brands_unwanted": question.brands_unwanted,
        "must": tuple(demand.property for demand in question.must),
        "must_not": tuple(demand.property for demand in question.must_not),
        "deadline": question.deadline,
    }
    return {name: value for name, value in found.items() if value}


BUDGETS = {
    "Find me a washable dog bed under $300.": usd("300"),
    "It should cost less than 120 dollars.": usd("120"),
    "Please keep it below $1,200, shipping included.": usd("1200"),
    "I have a budget of $80 for a label maker.": usd("80"),
    "My budget is 300.": usd("300"),
    "Budget: $200 total": usd("200"),
    "We're on a budget of about $90.": usd("90"),
    "A desk lamp, max 50 USD": usd("50"),
    "A coffee grinder, $50-$70.": usd("70"),
    "A 50-70 dollar coffee grinder would be fine.": usd("70"),
    "Bird feeders between $20 and $40, please": usd("40"),
    "A planner around $60": usd("60"),
    "Ideally around $60 but no more than $80.": usd("80"),
    "I'd rather not go above $45.50 for this": usd("45.50"),
    "We don’t want to spend more than 75 bucks": usd("75"),
    "Spend up to £30 on pruning shears.": Money(amount="30", currency="GBP"),
    "A humidifier for €40 or less": Money(amount="40", currency="EUR"),
    "Plan my purchases with total spending under $300 over the next three months.": usd("300"),
    "I have $150 to spend on garden things.": usd("150"),
    "Build me a nursery kit on my $300 budget.": usd("300"),
    "Keep everything together under $100, and each piece below $30.": usd("100"),
    "Something that costs less than $25 and is quiet": usd("25"),
    "A cordless drill, $1.2k max": usd("1200"),
    "I spent $120 on the party, so I only have $50 left for a gift": usd("50"),
    "Seats 2 to 4 people, under $90": usd("90"),
    "I bought one but want another under $35.": usd("35"),
    "I bought one last year; now I need a new one under $35.": usd("35"),
}

PER_ITEM = {
    "Three bird feeders under $20 each": usd("20"),
    "Gifts for the office, $15 apiece at most": usd("15"),
    "Gel pens, no more than $8 per item.": usd("8"),
    "Each item should stay below $25.": usd("25"),
    "I can spend $30 a piece on four headlamps": usd("30"),
    "Nothing over $50, please.": usd("50"),
}

NO_BUDGET = [
    "A 30 inch dog bed for a 60 pound dog",
    "A bed for a dog under 20 pounds",
    "Replace the skillet I bought for $40.",
    "I paid under $50 last time.",
    "Last month I spent up to $50 on treats.",
    "How much can I save, up to $20?",
    "I have a coupon for $20 off.",
    "Free shipping on orders under $35 would be nice.",
    "Something premium, over $50.",
    "At least $30 worth of seeds",
    "What changed since 2019 for my 3 month old?",
    "The price rose from $20 to $40.",
    "Supplements for under $50 a month",
    "It was around $60 when I looked.",
    "A dog bed under $80 and a bowl under $20",
    "Between 20 and 40 plants",
    "Rated 4.5 stars by at most 1,200 people",
    "No more than 3 products",
    "Is the $49.99 one any good?",
]


@pytest.mark.parametrize(("text", "budget"), BUDGETS.items())
def test_a_budget_is_read_as_a_total(text: str, budget: Money) -> None:
    assert Question(text).budget == (budget, "total")


@pytest.mark.parametrize(("text", "budget"), PER_ITEM.items())
def test_a_budget_of_each_item_is_read_as_such(text: str, budget: Money) -> None:
    assert Question(text).budget == (budget, "per_item")


@pytest.mark.parametrize("text", NO_BUDGET)
def test_numbers_that_bound_no_spending_are_no_budget(text: str) -> None:
    assert Question(text).budget is None


OTHERS: dict[str, dict[str, Any]] = {
    # brands
    "I want a feeder, but no Harrowgate products.": {"brands_unwanted": ("Harrowgate",)},
    "Show me harnesses, nothing from Pawly & Co.": {"brands_unwanted": ("Pawly & Co",)},
    "Anything but Harrowgate or Tallis will do.": {"brands_unwanted": ("Harrowgate", "Tallis")},
    "A skillet, not Tallis": {"brands_unwanted": ("Tallis",)},
    "Please avoid Tallis, it rusted.": {"brands_unwanted": ("Tallis",)},
    "I prefer Bruma.": {"brands_wanted": ("Bruma",)},
    "I prefer Tallis or Bruma over Harrowgate.": {"brands_wanted": ("Tallis", "Bruma")},
    "Suggest one, preferably not from Bruma": {"brands_unwanted": ("Bruma",)},
    "I need a coffee grinder from Bruma.": {"brands_wanted": ("Bruma",)},
    "Find something by Bruma and nothing from Tallis": {"brands_wanted": ("Bruma",), "brands_unwanted": ("Tallis",)},
    "I stick with Bruma’s things, so find a lamp": {"brands_wanted": ("Bruma",)},
    "I want a dog bed, no Furrow please.": {"brands_unwanted": ("Furrow",)},
    "No Furrow, please": {"brands_unwanted": ("Furrow",)},
    "No Plastic please": {},
    "no furrow please": {"must_not": ("furrow",)},
    "I returned the feeder from Bruma.": {},
    "I need a lamp by Friday": {"deadline": "by Friday"},
    "I need a gift from Grandma's list": {},
    "I need a warm coat from China": {},
    "Not Only That, it is late.": {},
    "No worries about the color.": {},
    # demands
    "It must be dishwasher safe.": {"must": ("dishwasher safe",)},
    "The bowl has to be dishwasher safe and quiet.": {"must": ("dishwasher safe", "quiet")},
    "It must be quiet, light and easy-care, glass preferred": {"must": ("quiet", "light", "easy-care")},
    "A fragrance-free lotion, without parabens": {"must": ("fragrance-free",), "must_not": ("parabens",)},
    "A weather-resistant bird feeder": {"must": ("weather-resistant",)},
    "It should be machine washable, machine-washable!": {"must": ("machine washable",)},
    "A bottle without BPA": {"must_not": ("BPA",)},
    "A toothbrush, no plastic.": {"must_not": ("plastic",)},
    "Storage with no plastic or glass": {"must_not": ("plastic", "glass")},
    "A lotion free of artificial dyes": {"must_not": ("artificial dyes",)},
    "Avoid BPA.": {"must_not": ("BPA",)},
    "no BPA, no phthalates, and no fragrance": {"must_not": ("BPA", "phthalates", "fragrance")},
    "The planner must not be spiral bound": {"must_not": ("spiral bound",)},
    "I'd like recommendations that are weather-resistant": {"must": ("weather-resistant",)},
    "Find feeders which are rust-proof": {"must": ("rust-proof",)},
    "They should definitely be cotton": {"must": ("cotton",)},
    "It's important to me that the sheet is cotton.": {"must": ("cotton",)},
    "I'd only consider machine washable ones.": {"must": ("machine washable",)},
    "Undated is a condition.": {"must": ("Undated",)},
    "Two conditions: dimmable, and nothing with smart features.": {
        "must": ("dimmable",),
        "must_not": ("smart features",),
    },
    "It's important to me that it is good.": {},
    "My label maker should be part of it.": {},
    "I'm done with plastic.": {"must_not": ("plastic",)},
    "Leave out whatever comes with clamps.": {"must_not": ("clamps",)},
    "I don't want anything with paint or varnish.": {"must_not": ("paint", "varnish")},
    "I'm done with my old lamp.": {},
    "I'm done with searching.": {},
    "It must be vegan, and please nothing with animal hair.": {"must": ("vegan",), "must_not": ("animal hair",)},
    "It must be insulated and quiet": {"must": ("insulated", "quiet")},
    "It must be approved by vets": {"must": ("approved by vets",)},
    "I wonder whether it should be taken with food": {},
    "It must be rated at least 4 stars": {},
    "I'd like to know how often it has to be tested": {},
    "Explain when an old one has to be replaced": {},
    "It should be stored in a dark place": {},
    "My old feeders that are weather-resistant broke": {},
    "I have two that are rust-proof": {},
    "It doesn't need to be waterproof": {},
    "My old waterproof one broke": {},
    "A hassle-free, budget-friendly setup without breaking the bank": {},
    "There must be something better": {},
    "It must be delivered soon": {},
    "I can't live without coffee": {},
    "Without a doubt, no rush and no preference": {},
    "I have no garden": {},
    "I must be tired": {},
    "There is no Zigbee around here": {},
    "The one from Tallis broke": {},
    "I need a kettle. My last one by Tallis leaked.": {},
    "I had one from Tallis once, and it was fine": {},
    "Find a kettle; one from Tallis broke, nothing by them again": {"brands_unwanted": ("Tallis",)},
    "The kettle from Tallis died within a month. I want nothing from that brand.": {"brands_unwanted": ("Tallis",)},
    "I'd like one from Tallis": {"brands_wanted": ("Tallis",)},
    "One from Tallis would be great": {"brands_wanted": ("Tallis",)},
    "I have something from Tallis in mind": {"brands_wanted": ("Tallis",)},
    "No known allergies, no major medical history. Debt-free, and a fan of Taylor Swift.": {},
    "Help me avoid common reasons for returns": {},
    "No more than one idea, no later please": {},
    "Explain how to bring a cat into a new home without stress": {},
    # deadlines
    "I need it by December 24.": {"deadline": "by December 24"},
    "Plan gifts that arrive within two weeks": {"deadline": "within two weeks"},
    "It has to be here before Christmas": {"deadline": "before Christmas"},
    "no later than June 3rd, 2024": {"deadline": "no later than June 3rd, 2024"},
    "Mine broke within two weeks": {},
    "Linen is fine, but it creases within two hours": {},
    "The blades go dull within two weeks": {},
    "I have one that doesn't wilt before the weekend": {},
    "It must be here within two weeks": {"deadline": "within two weeks"},
    "I want the garden beds planted by May": {"deadline": "by May"},
    "It comes to us by Friday, I hope": {"deadline": "by Friday"},
    "It may cost what it likes over the next three months": {},
    "Read to the kids before bed, by hand": {},
}


@pytest.mark.parametrize(("text", "expected"), OTHERS.items())
def test_a_sentence_gives_these_limits_and_no_others(text: str, expected: dict[str, Any]) -> None:
    assert limits(text) == expected


def test_a_whole_question_gives_all_its_limits() -> None:
    text = (
        "For my two Labradors I need two dog beds that must be machine washable, without zippers, nothing from Tallis, "
        "ideally from Bruma. Keep the total under $150 and have them here by March 3."
    )
    assert limits(text) == {
        "budget": usd("150"),
        "scope": "total",
        "brands_wanted": ("Bruma",),
        "brands_unwanted": ("Tallis",),
        "must": ("machine washable",),
        "must_not": ("zippers",),
        "deadline": "by March 3",
    }


@given(st.text(alphabet=st.sampled_from("ab $€£0129.,-–!\n'’ nounderavoidfrom"), max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    limits(text)


@pytest.mark.parametrize(
    "unit", ["under $5 ", "$5-", "no a, ", "must be a and ", "two a ", "prefer A, ", "9,", "a-", "by "]
)
def test_the_longest_texts_are_read_in_little_time(unit: str) -> None:
    begun = time.process_time()
    limits(unit * (LONGEST_TEXT // len(unit)))
    assert time.process_time() - begun < 3


@pytest.mark.parametrize(
    ("text", "unwanted"),
    [
        ("A mascara for under $10, no talc, and shampoo", ("talc",)),
        ("A cream with no talc, dyes, and parabens", ("talc", "dyes", "parabens")),
        ("A cream with no talc or dyes", ("talc", "dyes")),
        ("A cream with no dyes, and no fragrance", ("dyes", "fragrance")),
    ],
)
def test_what_follows_an_exclusion_may_be_another_wish(text: str, unwanted: tuple[str, ...]) -> None:
    assert Question(text).must_not == demands(*unwanted)


BAG_AND_BLANKET = "I need a diaper bag and a swaddle blanket."


@pytest.mark.parametrize(
    ("text", "must", "must_not"),
    [
        (f"{BAG_AND_BLANKET} The swaddle blanket has to be cotton.", demands("cotton", of="swaddle blanket"), ()),
        (f"{BAG_AND_BLANKET} For the blanket, no zips please.", (), demands("zips", of="swaddle blanket")),
        ("I need a waterproof diaper bag and a swaddle blanket.", demands("waterproof", of="diaper bag"), ()),
        (
            "We're getting a cat. I need a cat bed and a leash. The cat bed must be vegan.",
            demands("vegan", of="cat bed"),
            (),
        ),
        (f"{BAG_AND_BLANKET} Everything must be machine washable.", demands("machine washable"), ()),
        (f"{BAG_AND_BLANKET} Bag and blanket must be vegan.", demands("vegan"), ()),
        ("I need a diaper bag. The bag has to be waterproof.", demands("waterproof"), ()),
        (
            f"{BAG_AND_BLANKET} The bag must be vegan. It must be organic. The blanket must be vegan.",
            (*demands("vegan", of="diaper bag"), *demands("organic"), *demands("vegan", of="swaddle blanket")),
            (),
        ),
        (f"{BAG_AND_BLANKET} The bag must be vegan. All must be vegan.", demands("vegan"), ()),
    ],
)
def test_a_demand_is_said_of_the_one_of_several_things_that_its_sentence_names(
    text: str, must: tuple[Demand, ...], must_not: tuple[Demand, ...]
) -> None:
    question = Question(text)
    assert (question.must, question.must_not) == (must, must_not)


def test_a_demand_that_is_said_of_no_thing_to_buy_holds_for_all_of_them() -> None:
    said = (*demands("cotton", of="blanket"), *demands("vegan"), *demands("quiet", of="hotel"))
    names = ["swaddle blanket", "diaper bag"]
    assert said_of(said, "swaddle blanket", names) == ("cotton", "vegan", "quiet")
    assert said_of(said, "diaper bag", names) == ("vegan", "quiet")
