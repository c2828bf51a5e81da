"""Whether a wish can't be met, proved by an optimistic look, or left open."""

from typing import Any

import pytest

from drretail.grounding.basket.reference import reference_of
from drretail.grounding.constraints.listing import Listing, listing_of
from drretail.records.money import Money
from drretail.records.query import Proof, Query
from drretail.records.wish import Want, Wish
from tests.grounding.basket import things

PRESS = Want(name="press", kinds=("french press",))


def product(product_id: str, price: float | None, **more: Any) -> Listing:
    fields = {"title": "Acme French Press", "average_rating": 4.5, "rating_number": 100, "store": "Acme"} | more
    return listing_of(things.product(product_id, price, **fields))


def proved(*offers: Listing, could_be: tuple[Listing, ...] = (), want: Want = PRESS, **wish: Any) -> Proof:
    """Of a wish for a press, where ``could_be`` are more products that may be one."""
    owned = wish.pop("bought", ())
    query = Query(query_id="q", text="?", source="t", wish=Wish(wants=(want,), **wish))
    reference = reference_of(query, [offers], owned, could_be=[(*offers, *could_be)], orders=("1234567890",))
    assert reference.proof is not None
    return reference.proof


def test_a_budget_below_every_price_is_proved_and_says_what_the_cheapest_is() -> None:
    assert proved(product("A", 20), budget=Money.of(30)).state == "refuted"
    found = proved(product("A", 40), product("B", 35), budget=Money.of(30))
    assert (found.state, found.lack, found.looked_at) == ("proved", "too_dear", 2)
    assert [item.product_id for item in found.cheapest_without["too_dear"].items] == ["B"]


@pytest.mark.parametrize(
    "other",
    [
        product("N", None),
        product("C", 10, title="French Press Replacement Filter"),
        product("D", 10, title="Press, French Style"),
    ],
)
def test_an_unknown_price_or_a_cheap_product_that_may_be_one_leaves_it_open(other: Listing) -> None:
    found = proved(product("A", 40), could_be=(other,), budget=Money.of(30))
    assert (found.state, found.undecided) == ("open", ("press",))


def test_a_demand_is_never_proved_and_stars_and_brands_are() -> None:
    steel = PRESS.model_copy(update={"must": ("steel",), "must_not": ("plastic",)})
    glass = product("A", 20, details={"Material": "Glass"})
    assert proved(glass, want=steel).state == "open"
    rated = PRESS.model_copy(update={"rating_min": 4.8})
    assert (proved(glass, want=rated).state, proved(glass, want=rated).lack) == ("proved", "demands")
    unrated = product("U", 20, average_rating=None)
    assert proved(glass, unrated, want=rated).state == "open"
    branded = PRESS.model_copy(update={"brands_wanted": ("Nordlys",)})
    assert (proved(glass, want=branded).state, proved(glass, want=branded).lack) == ("proved", "no_such_brand")
    nameless = product("X", 20, store=None)
    assert proved(glass, nameless, want=branded).state == "open"


def test_what_the_shopper_has_a_missing_kind_and_an_order_that_was_never_made_are_proved() -> None:
    assert (proved(product("A", 20), bought=("A",)).lack, proved().lack) == ("owned", "not_sold")
    assert proved().state == "proved"
    assert proved(could_be=(product("C", 5, title="Press, French Style"),)).state == "open"
    assert proved(product("A", 20), orders=("1234567890",)).state == "refuted"
    found = proved(product("A", 20), orders=("9876543210",))
    assert (found.state, found.lack) == ("proved", "no_such_order")
    four = PRESS.model_copy(update={"quantity": 4})
    assert proved(product("A", 20), want=four, budget=Money.of(70)).state == "proved"
    pack = product("P", 60, title="Acme French Press, Pack of 4")
    assert proved(product("A", 20), pack, want=four, budget=Money.of(70)).state == "open"
