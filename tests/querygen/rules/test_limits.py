"""Limits that a wish may have: options, fields, and what an owned product connects to. Also tests assortment.py."""

from collections.abc import Sequence

import pytest

from drretail.querygen.rules.assortment import KindOffers
from drretail.querygen.rules.limits import by_fields, by_options, choices, left_open
from drretail.records.shop import Order, Product
from drretail.records.wish import Want
from drretail.shopping.basket import Candidates
from drretail.shopping.listing import Listing, listing_of
from drretail.shopping.vocabulary import Vocabulary
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


@pytest.mark.parametrize(
    ("name", "values", "clauses"),
    [
        ("Scent", "Rose|Rose|Fragrance Free|Fragrance Free|Fragrance Free", ["have a rose scent"]),
        ("Scent", "Square|Square|Bowl|Bowl|Bowl", ["have a square scent"]),  # "bowl" says nothing of bowl sets
        ("Hair Type", "All|All|Short Hair|Short Hair|Short Hair", ["suit all hair", "suit short hair"]),
        ("Material", "Oak|Oak|Pine|Beech|Steel", []),  # open: its values are not shared
        ("Material", "Oak|Oak|Oak|Oak|Pine", []),  # one value rules
        ("UPC", "0012|0012|0345|0345|0345", []),  # no word says it
    ],
)
def test_a_field_is_asked_for_whose_values_are_few_and_shared(name: str, values: str, clauses: list[str]) -> None:
    found = by_fields(KindOffers(offers_with(name, values.split("|")), kind="bowl sets"))
    assert [choice.clause for choice in found] == clauses


ORDER = Order.model_construct(order_id="0123456789", timestamp=1_640_995_200_000)


@pytest.mark.parametrize(("title", "is_asked"), [("Arden USB Lamp", True), ("Arden Lamp", False)])
def test_a_connector_is_as_last_time_only_where_the_title_says_it(title: str, is_asked: bool) -> None:
    """Without a word in the title "USB" may be of a port, as in the record of a charger with ten other tips."""
    offers = KindOffers(offers_with("Connector Type", ("RCA", "USB", "RCA", "USB")), kind="lamps")
    owned = Product(product_id="L", title=title, category="Lamps", details={"Connector Type": "USB"})
    clauses = [choice.clause for choice in choices(offers, "fit", owned, ORDER)]
    assert clauses == ["have the same connector"] * is_asked


@pytest.mark.parametrize(
    ("name", "values", "is_open"), [("Size", "L|S", True), ("Size", "L|l", False), ("Color", "Red|Blue", False)]
)
def test_whom_a_thing_is_for_is_open_where_offers_differ_in_it(name: str, values: str, is_open: bool) -> None:
    assert left_open(offers_with(name, values.split("|"))) == is_open


FACTS = [
    {
        "url": "https://a.example/test",
        "kind": "Desk > Lamps",
        "facts": [
            {"asks": "Whose passed?", "quote": "Arden passed.", "limit": {"brands_wanted": ["Arden"]}},
            {"says": []},
        ],
    }
]


@pytest.mark.parametrize(
    ("axis", "limits"),
    [
        ("fit", {"brands_wanted": ("Tallow",)}),
        ("more", {"the measure": ("12",)}),  # of 8, 12 and 16 liters
        ("band", {"price_min": ("20",), "price_max": ("35",)}),
        ("page", {"brands_wanted": ("Arden",)}),
    ],
)
def test_what_an_axis_limits_says_where_it_comes_from(axis: str, limits: dict[str, tuple[str, ...]]) -> None:
    offers = offers_with("Capacity", ("8 Liters", "8 Liters", "12 Liters", "12 Liters", "16 Liters"))
    shelf = KindOffers(
        Candidates(
            listing_of(each.product.model_copy(update={"store": name}))
            for each, name in zip(offers, ("Tallow", "Tallow", "Arden", "Arden", "Nordlys", "Ostrava"), strict=True)
        ),
        kind="lamps",
    )
    owned = shelf.offers[0].product.model_copy(update={"categories": ("All", "Desk", "Lamps")})
    *_, choice = choices(shelf, axis, owned, ORDER, FACTS)
    found = list(choice.added_to(Want(name="lamps", kinds=("lamps",))).limits)
    assert {"the measure" if limit.demand else limit.name: limit.values for limit in found} == limits
    kinds = {source.kind for limit in found for source in limit.sources}
    assert kinds == {"fit": {"profile"}, "more": {"profile"}, "page": {"page"}}.get(axis, set())
