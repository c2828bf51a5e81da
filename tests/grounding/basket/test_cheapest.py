"""The basket solver, against all baskets there are."""

from decimal import Decimal
from itertools import product as combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.basket.cheapest import Basket, Slot, cheapest_basket
from drretail.grounding.constraints.listing import fulfils, is_ruled_out, listing_of
from drretail.records.money import Money
from drretail.records.query import Constraints, demands
from drretail.records.shop import Product


def product(product_id: str, price: float | None = 10.0, **fields: object) -> Product:
    return Product.model_validate(
        {"product_id": product_id, "title": f"Feeder {product_id}", "price": price, "category": "Pets"} | fields
    )


def slot(name: str, *products: Product, quantity: int = 1) -> Slot:
    return Slot(name, tuple(map(listing_of, products)), quantity)


def ids(basket: Basket | None) -> list[str]:
    return [] if basket is None else [pick.product_id for pick in basket.picks]


def test_each_thing_is_bought_where_it_is_cheapest() -> None:
    basket = cheapest_basket(
        [slot("a", product("A1", 9), product("A2", 7)), slot("b", product("B1", 3), quantity=2)], Constraints()
    )
    assert basket is not None
    assert ids(basket) == ["A2", "B1"]
    assert basket.total == Decimal(13)


def test_no_product_fills_two_slots() -> None:
    shared = [product("X", 5), product("Y", 20)]
    assert ids(cheapest_basket([slot("a", *shared), slot("b", *shared, product("Z", 6))], Constraints())) == ["X", "Z"]


@pytest.mark.parametrize(
    ("amount", "scope", "fits"),
    [("12", "total", False), ("13", "total", True), ("7", "per_item", True), ("6.99", "per_item", False)],
)
def test_a_budget_bounds_the_whole_or_each_piece(amount: str, scope: str, fits: bool) -> None:
    constraints = Constraints.model_validate({"budget": Money.of(amount), "budget_scope": scope})
    basket = cheapest_basket([slot("a", product("A", 7)), slot("b", product("B", 3), quantity=2)], constraints)
    assert (basket is not None) is fits


def test_unknown_prices_and_other_currencies_are_no_offers() -> None:
    strange = [product("A", None), product("B", 1, price_from=True), product("C", 1, currency="EUR")]
    assert cheapest_basket([slot("a", *strange)], Constraints()) is None
    assert ids(cheapest_basket([slot("a", *strange)], Constraints(budget=Money.of(5, "EUR")))) == ["C"]


def test_one_pick_is_of_a_wanted_brand_and_none_of_an_unwanted_one() -> None:
    slots = [
        slot("a", product("A1", 1, store="Tallow"), product("A2", 2), product("A3", 9, store="Nordlys")),
        slot("b", product("B1", 1), product("B2", 4, store="NORDLYS")),
    ]
    constraints = Constraints(brands_wanted=("Nordlys",), brands_unwanted=("tallow",))
    assert ids(cheapest_basket(slots, constraints)) == ["A2", "B2"]


def test_what_is_owned_or_lacks_a_demand_is_not_bought() -> None:
    offers = [
        product("A", 1, features=("waterproof",)),
        product("B", 2),
        product("C", 3, features=("Waterproof leather",)),
        product("D", 4, features=("waterproof, leather-free",)),
    ]
    constraints = Constraints(must=demands("waterproof"), must_not=demands("leather"), owned=("A",))
    assert ids(cheapest_basket([slot("a", *offers)], constraints)) == ["D"]


def test_a_thing_that_nobody_offers_leaves_no_basket() -> None:
    assert cheapest_basket([slot("a", product("A")), slot("b")], Constraints()) is None
    assert cheapest_basket([], Constraints()) is None


def test_a_demand_binds_the_things_that_can_meet_it() -> None:
    lamps = slot("lamp", product("L", 5))
    sheets = slot("sheets", product("S1", 5), product("S2", 6, features=("hypoallergenic",)))
    assert ids(cheapest_basket([lamps, sheets], Constraints(must=demands("hypoallergenic")))) == ["L", "S2"]
    assert cheapest_basket([lamps], Constraints(must=demands("hypoallergenic"))) is None


def test_what_is_said_of_one_thing_is_not_demanded_of_another() -> None:
    """Of the bag, too, there is one of cotton; but cotton was said of the swaddle blanket alone, as was "no zips"."""
    bag = slot("diaper bag", product("BAG1", 5, features=("Two zips",)), product("BAG2", 9, features=("Cotton",)))
    blanket = slot(
        "swaddle blanket",
        product("S1", 4, features=("Muslin",)),
        product("S2", 5, features=("Cotton", "With zips")),
        product("S3", 6, features=("Cotton",)),
    )
    of_all = Constraints(must=demands("cotton"))
    of_one = Constraints(must=demands("cotton", of="blanket"), must_not=demands("zips", of="swaddle blanket"))
    assert ids(cheapest_basket([bag, blanket], of_all)) == ["BAG2", "S2"]
    assert ids(cheapest_basket([bag, blanket], of_one)) == ["BAG1", "S3"]


def test_a_demand_on_one_thing_that_another_alone_can_meet_leaves_no_basket() -> None:
    bag = slot("diaper bag", product("BAG", 5, features=("Cotton",)))
    blanket = slot("swaddle blanket", product("S", 4, features=("Muslin",)))
    assert cheapest_basket([bag, blanket], Constraints(must=demands("cotton", of="swaddle"))) is None
    assert ids(cheapest_basket([bag], Constraints(must=demands("cotton", of="swaddle")))) == ["BAG"]


def test_ratings_are_demands_too() -> None:
    listing = listing_of(product("A", average_rating=4.2, rating_number=60))
    assert fulfils(listing, "rated at least 4 stars")
    assert not fulfils(listing, "rated at least 4.5 stars")
    assert not is_ruled_out(listing, "fewer than 50 reviews")
    assert is_ruled_out(listing, "fewer than 100 reviews")


PRICES = st.sampled_from([1.0, 2.0, 2.5, 4.0, 8.0])
OFFERS = st.lists(st.tuples(st.integers(0, 6), PRICES, st.booleans()), max_size=6, unique_by=lambda it: it[0])


@given(
    offers=st.lists(OFFERS, min_size=1, max_size=4),
    quantities=st.lists(st.integers(1, 3), min_size=4, max_size=4),
    budget=st.none() | st.integers(1, 30),
    per_item=st.booleans(),
    branded=st.booleans(),
)
def test_no_basket_is_cheaper(
    offers: list[list[tuple[int, float, bool]]],
    quantities: list[int],
    budget: int | None,
    per_item: bool,
    branded: bool,
) -> None:
    slots = [
        slot(
            str(index),
            *(product(f"P{n}", price, store="Tallow" if brand else "Ostrava") for n, price, brand in row),
            quantity=count,
        )
        for index, (row, count) in enumerate(zip(offers, quantities, strict=False))
    ]
    constraints = Constraints(
        budget=None if budget is None else Money.of(budget),
        budget_scope="per_item" if per_item else "total",
        brands_wanted=("Tallow",) if branded else (),
    )
    totals = [
        sum(price * count for (_, price, _), count in zip(chosen, quantities, strict=False))
        for chosen in combinations(*offers)
        if len({n for n, _, _ in chosen}) == len(chosen)
        and (not branded or any(brand for _, _, brand in chosen))
        and (budget is None or not per_item or all(price <= budget for _, price, _ in chosen))
    ]
    within = [total for total in totals if budget is None or per_item or total <= budget]
    found = cheapest_basket(slots, constraints)
    assert (None if found is None else float(found.total)) == min(within, default=None)
