"""Limits that a wish may have: options, fields, and what an owned product connects to. Also tests assortment.py."""

from collections.abc import Sequence

import pytest

from drretail.grounding.basket import Candidates
from drretail.grounding.listing import Listing, listing_of
from drretail.grounding.vocabulary import Vocabulary
from drretail.querygen.rules.assortment import KindOffers
from drretail.querygen.rules.limits import by_fields, by_options, choices
from drretail.records.shop import Product
from tests.querygen.conftest import products


def offers_with(name: str, values: Sequence[str]) -> Candidates:
    """Offers of one kind with these values of a field; another one, the best rated, has the first value, too."""
    stars = [3.0] * len(values) + [4.8]
    fields = {"rating_number": 900}
    shelf = [
        each.model_copy(update={"title": value, "details": {name: value}, "average_rating": rating, **fields})
        for each, value, rating in zip(products(), [*values, values[0]], stars, strict=False)
    ]
    return Candidates(listing_of(each, Vocabulary(lambda: shelf)) for each in shelf)


@pytest.mark.parametrize(("sizes", "asked"), [("S", ""), ("SM", "MS"), ("SMLX", "LMSX"), ("SSSM", "M")])
def test_an_option_is_asked_for_that_some_variants_have_and_most_have_not(sizes: str, asked: str) -> None:
    """Every shirt comes in these sizes: what tells no shirts apart tells their variants apart."""

    def shirt(number: int) -> Listing:
        rows = [{"id": f"{at}", "Size": size, "price": 20 + number, "stock": 3} for at, size in enumerate(sizes)]
        own = Product(product_id=f"T{number:02}", title="Shirt", category="Shirts", details={"Variants": rows})
        return listing_of(own)

    made = by_options(KindOffers(Candidates(map(shirt, range(4))), kind="shirts"))
    assert [(choice.want, choice.clause) for choice in made] == [
        ({"options": {"Size": (size,)}}, f"come in size {size}") for size in asked
    ]


def test_a_field_is_asked_for_as_people_say_it() -> None:
    for name, values, clauses in (
        ("Capacity", "1 L|1.7 L|2 L|3 L|3 L", ["hold at least 2 liters", "hold at least 3 liters"]),
        ("Noise Level", "9 B|80 dB|65 dB|48 dB|47 dB", ["make at most 50 dB of noise", "make at most 65 dB of noise"]),
        ("Scent", "Rose|Rose|Rose|Fragrance Free|Fragrance Free", []),
        ("Scent", "Square|Square|Square|Bowl|Bowl", []),  # of bowl sets
        ("Hair Type", "All|All|All|Short Hair|Short Hair", ["suit short hair"]),
        ("Number of Pieces", "2|2|4|12|12", ["be a set of at least 4 pieces", "be a set of at least 12 pieces"]),
        (
            "Brightness",
            "90 lumens|95 lumens|800 lumens|1,000 lumens|1,600 lumens",
            ["give at least 800 lumens", "give at least 1,000 lumens", "give at least 1,600 lumens"],
        ),
        ("Capacity", "24 x 15 L|3 L x 2|12 L x 4|8 L x 8|9 L x 9", []),
        ("Is Dishwasher Safe", "No|No|No|Yes|Yes", ["be dishwasher safe"]),
        ("Material", "Oak|Oak|Oak|Pine, Steel|Pine", []),  # a list leaves open what it leaves out
        ("Container Type", "Jar|Jar|Jar|Airless Pump|Airless Pump", ["come in an airless pump"]),
        ("Material", "oak|oak|oak|oak|oak|oak|oak|oak|oak|pine", []),  # too few
    ):
        found = by_fields(KindOffers(offers_with(name, values.split("|")), kind="bowl sets"))
        assert [choice.clause for choice in found] == clauses, name


@pytest.mark.parametrize(("title", "is_asked"), [("Arden USB Lamp", True), ("Arden Lamp", False)])
def test_a_connector_is_as_last_time_only_where_the_title_says_it(title: str, is_asked: bool) -> None:
    """Without a word in the title "USB" may be of a port, as in the record of a charger with ten other tips."""
    offers = KindOffers(offers_with("Connector Type", ("RCA", "USB", "RCA", "USB")), kind="lamps")
    owned = Product(product_id="L", title=title, category="Lamps", details={"Connector Type": "USB"})
    clauses = [choice.clause for choice in choices(offers, "fit", owned, "0123456789")]
    assert clauses == ["have the same connector as last time"] * is_asked
