"""Picks keep to what the shopper insists on and complains of, and their sentences to the figures."""

from decimal import Decimal

import pytest

from drretail.env.world import World
from drretail.llm.offline.shopper.aspects import read_aspects
from drretail.llm.offline.shopper.candidates import Candidate
from drretail.llm.offline.shopper.choosing import Demands, Shelf, fill_shelf
from drretail.llm.offline.shopper.complaints import complained_of
from drretail.llm.offline.shopper.customer import Customer
from drretail.llm.offline.shopper.needs import read_needs
from drretail.llm.offline.shopper.relevance import is_sold_as
from drretail.llm.offline.shopper.report.naming import Names, cut_title
from drretail.llm.offline.shopper.report.standing import standing
from drretail.llm.offline.shopper.scope import belongs_to
from drretail.llm.offline.shopper.situation import SEARCH, Lookup, Situation
from drretail.llm.offline.shopper.study import read_demands, study
from drretail.llm.offline.shopper.wondering import wondering_clauses
from drretail.records.query import Constraints

from .beauty import BRONZER, MASCARA, OTHER_BRONZER, OWNER
from .shop import USER, talk


def candidate(title: str, price: str | None = None, rating: float = 4.0, ratings: int = 100) -> Candidate:
    amount = None if price is None else Decimal(price)
    return Candidate(title, f"P:{title}", title, amount, False, "USD", rating, ratings, None, "")


def shelf(query: str, *seen: Candidate, demands: Demands | None = None) -> Shelf:
    (need,) = read_needs(query, Constraints()).needs
    return fill_shelf(need, seen, demands or read_demands(query), Customer())


def best(query: str, *seen: Candidate, demands: Demands | None = None) -> str:
    return shelf(query, *seen, demands=demands).options[0].product.title


GLITTER = "My eyeshadow has started to annoy me: the glitter ends up on my cheeks. I need a new eyeshadow."


def test_what_the_shopper_complains_of_is_read() -> None:
    assert complained_of(GLITTER) == ("glitter",)
    assert complained_of("They annoy me: they slip back.") == ()


def test_what_annoys_is_not_recommended_again() -> None:
    glitter, matte = candidate("Glitter Eyeshadow", rating=4.3, ratings=160), candidate("Matte Eyeshadow", rating=4.0)
    assert best(GLITTER, glitter, matte) == "Matte Eyeshadow"


def test_the_thing_complained_of_is_neither_pick_nor_runner_up(beauty: World) -> None:
    report = talk(beauty, "I'm fed up with my bronzer. I need a new bronzer.", OWNER).report
    assert OTHER_BRONZER in report.split("\n## ")[0]
    left_out = report.index("Left out:")
    assert BRONZER not in report.replace(report[left_out : left_out + 200], "")
    assert "this one would take its place" in report
    assert "still serves" not in report


def test_what_a_record_cannot_tell_of_a_ban_is_said(beauty: World) -> None:
    report = talk(beauty, "I need a mascara, nothing with talc").report
    assert f"Its record neither names nor rules out “talc” [P:{MASCARA}]." in report


def test_what_is_insisted_on_and_not_said_stands_beside_the_recommendation(world: World) -> None:
    report = talk(world, "I need a bird feeder. It must be stainless steel.", USER).report
    lead = report.split("\n## ")[0]
    assert "“stainless steel”, which you insist on" in lead
    assert report.count("stainless steel”") == 1


def test_what_is_insisted_on_outweighs_a_better_rating() -> None:
    plain, steel = (
        candidate("Bird Feeder", rating=4.9, ratings=900),
        candidate("Stainless Steel Bird Feeder", rating=4.1),
    )
    assert best("I need a bird feeder. It must be stainless steel.", plain, steel) == steel.title


@pytest.mark.parametrize(
    ("query", "of"),
    [
        ("I need a sulfate-free shampoo and nail files.", "shampoo"),
        ("I need nail files, and a shampoo. The shampoo must be sulfate-free.", "shampoo"),
        ("I need a shampoo that is sulfate-free and nail files.", "shampoo"),
        ("I need nail files and a shampoo. They must be sulfate-free.", None),
        ("I need a shampoo. It must be sulfate-free.", None),
    ],
)
def test_a_demand_of_one_thing_is_not_put_on_another(query: str, of: str | None) -> None:
    assert belongs_to(query, "sulfate-free", read_needs(query, Constraints()).needs) == of


def test_a_question_keeps_its_end() -> None:
    assert wondering_clauses("Find out whether sulfate-free formulas clean as well.") == [
        "whether sulfate-free formulas clean as well"
    ]


def test_by_what_things_are_to_be_compared_is_read_and_its_lack_said(world: World) -> None:
    assert read_aspects("I'd like them compared on grip size and spare parts, please.") == ("grip size", "spare parts")
    report = talk(world, "I need a bird feeder; I want them compared on grip size and capacity.").report
    assert "How they compare on “grip size”: no record that I opened says anything of that" in report
    assert "“capacity”" not in report


def test_a_title_for_the_other_pet_gives_way() -> None:
    dogs = candidate("Grooming Brush for Dogs", rating=4.6)
    both = candidate("Grooming Brush for Dogs and Cats", rating=4.4)
    query = "I need a pet grooming brush for my cat"
    assert best(query, dogs, both, demands=Demands(Constraints(), pets=("cat",))) == both.title


def test_a_lip_balm_with_sunscreen_in_its_name_is_no_sunscreen() -> None:
    (need,) = read_needs("I need a sunscreen", Constraints()).needs
    assert not is_sold_as(need, "Sunscreen Lip Balm SPF 30")
    assert is_sold_as(need, "Sunscreen SPF 30 for Face")
    assert shelf("I need a sunscreen", candidate("Sunscreen Lip Balm SPF 30")).options == ()


@pytest.mark.parametrize(
    ("title", "name"),
    [
        (
            "Old Kennel Row Slicker Grooming Brush for Dogs and Cats of All Sizes",
            "Old Kennel Row Slicker Grooming Brush",
        ),
        (
            "Charyeah Bath Pillow Bathtub Spa Pillow With Powerful Suction Cups",
            "Charyeah Bath Pillow Bathtub Spa Pillow",
        ),
        ("Mossbury Pruning Shears, SK5 Steel", "Mossbury Pruning Shears, SK5 Steel"),
    ],
)
def test_a_short_title_ends_with_a_whole_phrase(title: str, name: str) -> None:
    assert cut_title(title, 55) == name


def sentence_of(query: str, *seen: Candidate) -> str:
    """Where the cheapest of these stands, as the report says it."""
    hits = [
        {
            "evidence": one.evidence,
            "product_id": one.product_id,
            "title": one.title,
            "price": str(one.price) if one.price is not None else None,
            "average_rating": one.rating,
            "rating_number": one.ratings,
        }
        for one in seen
    ]
    found = (Lookup(SEARCH, {"query": "x"}, {"hits": hits}),)
    known = study(Situation(query, None, None, None, frozenset(), found))
    (pick,) = known.basket.picks
    assert pick is not None
    return standing(known, 0, pick, Names(option.product for option in known.shelves[0].rivals))


def test_the_cheapest_is_never_recommended_without_a_reason() -> None:
    cheap, better = candidate("Dog Bed Basic", "20", 4.5, 400), candidate("Dog Bed Fine", "160", 4.6, 500)
    said = sentence_of("I need a dog bed", cheap, better, candidate("Dog Bed Other", "90", 4.0))
    assert "It is the cheapest of the three dog beds I compared, and rated only a little below the best" in said


def test_of_the_same_average_none_is_called_the_higher() -> None:
    few, many = candidate("Bird Feeder A", "20", 4.5, 62), candidate("Bird Feeder B", None, 4.5, 2795)
    other = candidate("Bird Feeder C", "19", 4.0)
    said = sentence_of("I need a bird feeder", few, many, other)
    assert "higher" not in said
    assert "strongly" not in said


def test_less_of_what_was_asked_is_only_said_of_what_says_less() -> None:
    glitter = candidate("Glitter Eyeshadow, long lasting", rating=4.6, ratings=900)
    said = sentence_of(f"{GLITTER} It must be long lasting.", glitter, candidate("Matte Eyeshadow, long lasting"))
    assert "says less" not in said
    assert "names “glitter”, which annoys you" in said


def test_a_budget_that_is_far_off_makes_cheapness_count_less() -> None:
    cheap, better = candidate("Dog Bed Basic", "20", 3.9, 255), candidate("Dog Bed Fine", "60", 4.2, 255)
    assert best("I need a dog bed under $200", cheap, better) == better.title
