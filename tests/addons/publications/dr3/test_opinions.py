"""What a wish requires of a report, in words."""

from typing import Any

from drretail.addons.publications.dr3.opinions import wish_requirements
from drretail.records.query import Query
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish


def required(wish: Wish | None) -> list[tuple[str | None, str]]:
    made = wish_requirements(Query(query_id="q1", text="?", wish=wish, source="test"))
    return [(criterion.kind, criterion.text) for criterion in made.criteria]


def test_a_typed_wish_becomes_requirements_in_words() -> None:
    limits: dict[str, Any] = {"must": ("cotton",), "must_not": ("perfume",), "price_max": Money(amount="25.5")}
    limits |= {"rating_min": 4, "ratings_min": 1000, "brands_wanted": ("Anvil", "Oak"), "brands_unwanted": ("Flimsy",)}
    feeder = Want(name="feeder", kinds=("Bird Feeders", "feeder"), quantity=2, **limits)
    scoop = Want(name="scoop", kinds=("scoop",), optional=True)
    wish = Wish(wants=(feeder, scoop), budget=Money.of(60), deadline="2023-12-24", owned=("a seed scoop",))
    assert required(wish) == [
        ("want", "It recommends what is asked for as feeder (Bird Feeders or feeder), 2 pieces."),
        ("must", "As feeder it recommends only what meets this demand: cotton."),
        ("must_not", "As feeder it recommends nothing that is or has what is not wanted: perfume."),
        ("rating_min", "As feeder it recommends only what is rated with at least 4 stars."),
        ("ratings_min", "As feeder it recommends only what has at least 1,000 ratings."),
        ("price_max", "As feeder it recommends only what costs no more than $25.50 a piece."),
        ("brands_wanted", "As feeder it recommends only what is by Anvil or Oak."),
        ("brands_unwanted", "As feeder it recommends nothing by Flimsy."),
        ("want", "It says whether to buy what is asked for as scoop."),
        ("budget", "What it recommends costs no more than $60.00 together."),
        ("deadline", "It keeps to the date by which things are needed: 2023-12-24."),
        ("owned", "It does not recommend to buy again what is owned already: a seed scoop."),
    ]
    again = Wish(wants=(Want(name="scoop", kinds=("scoop",), again=True),), owned=("a seed scoop",))
    assert [kind for kind, _ in required(again)] == ["want"], "where more of what is owned is wanted"
    assert required(Wish()) == [("want", "It recommends to buy nothing.")]
    assert required(None) == []
