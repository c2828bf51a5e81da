"""The reference of a query: what would do, its baskets, and what is proved of a wish."""

from decimal import Decimal
from itertools import product as combinations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from drretail.records.criteria import Decision, Gold, State
from drretail.records.query import Proof, Query, Reference, WantedThing
from drretail.records.shop import Money, Product
from drretail.records.wish import Demand, Want, Wish
from drretail.shopping.basket import UNRATED, best_choice, reference_of, total_of, worths
from drretail.shopping.constraints import record_sha
from drretail.shopping.listing import Listing, listing_of
from tests.build import known
from tests.goods import product, things, want

Offered = tuple[Want, list[Product]]


def found(*wanted: Offered, bought: tuple[str, ...] = (), **limits: Any) -> Reference:
    wish = Wish.model_validate({"wants": tuple(of for of, _ in wanted), **limits})
    query = Query(query_id="q1", text="?", wish=wish, source="t")
    return reference_of(query, [[listing_of(one) for one in products] for _, products in wanted], bought)


def ids(reference: Reference) -> tuple[list[str], list[str]]:
    cheapest, best = known(reference.cheapest), known(reference.best)
    return [item.product_id for item in cheapest.items], [item.product_id for item in best.items]


CHEAP = product("A", 5, average_rating=3.0, rating_number=500)
GOOD = product("B", 9.50, average_rating=4.8, rating_number=500)
SCARF = product("C", 20, average_rating=5.0, rating_number=900)
UNPRICED = product("D", None)
DRY = Demand(say="waterproof", field="Waterproof", any_of=("yes",))


def test_the_cheapest_and_the_best_are_told_apart_and_may_cost_all_of_the_budget_and_no_cent_more() -> None:
    reference = found((want(quantity=2), [CHEAP, GOOD]), budget=Money.of(20))
    assert ids(reference) == (["A"], ["B"])
    cheapest, best = known(reference.cheapest), known(reference.best)
    assert (cheapest.total, best.total) == (Money.of(10), Money.of(19))
    item = best.items[0]
    assert (item.thing, item.price, item.quantity, best.worth) == ("feeder", "9.5", 2, 478)
    assert ids(found((want(quantity=2), [CHEAP]), budget=Money.of(10))) == (["A"], ["A"])
    assert found((want(quantity=2), [CHEAP]), budget=Money.of(9.99)).lack == "too_dear"


def test_everything_that_would_do_is_kept_and_what_is_owned_or_bought_left_out() -> None:
    reference = found((want(), [GOOD, CHEAP, UNPRICED, product("E", 1, currency="EUR")]))
    (thing,) = reference.things
    assert [(fit.product_id, fit.price) for fit in thing.fits] == [("A", "5"), ("B", "9.5"), ("D", None), ("E", None)]
    shelf = [CHEAP, GOOD, SCARF]
    assert ids(found((want(not_owned=True), shelf), bought=("B", "Z"), owned=("C",))) == (["A"], ["A"])
    assert ids(found((want(), shelf), bought=("B", "Z"), owned=("C",))) == (["A"], ["C"]), "it may be bought again"


def test_what_is_optional_is_bought_where_the_budget_allows_and_never_by_the_cheapest() -> None:
    wanted = (want("feeder"), [CHEAP]), (want("scarf", optional=True), [SCARF])
    assert ids(found(*wanted)) == (["A"], ["A", "C"])
    assert ids(found(*wanted, budget=Money.of(20))) == (["A"], ["A"])
    missing = found((want("feeder"), [CHEAP]), (want("bath", optional=True), []))
    assert ids(missing) == (["A"], ["A"])
    assert missing.lack is None


def test_what_leaves_a_demand_open_is_undecided_and_no_basket_holds_it() -> None:
    woven, silent = product("W", 9, details={"Waterproof": "Yes"}), product("S", 1)
    reference = found((want(must=(DRY, "blessed")), [woven, silent]))
    (thing,) = reference.things
    assert {fit.product_id: fit.open for fit in thing.undecided} == {"S": ("waterproof", "blessed"), "W": ("blessed",)}
    assert (thing.fits, reference.best, reference.lack) == ((), None, "not_said")
    free = product("F", 9, average_rating=3.0, rating_number=500, details={"Ingredients": "Water, oil"})
    reference = found(
        (want(must_not=(Demand(say="perfume", field="Ingredients", none_of=("Water, oil",)),)), [free, GOOD])
    )
    assert [fit.product_id for fit in reference.things[0].fits] == ["F"]
    assert ids(reference) == (["F"], ["F"])


def test_why_there_is_no_basket() -> None:
    feeder, ten = [CHEAP, GOOD], {"budget": Money.of(10)}
    rows: list[tuple[list[Offered], dict[str, Any], str]] = [
        ([(want("feeder"), [CHEAP]), (want("bath"), [])], ten, "not_sold"),
        ([(want(price_max=Money.of(4)), feeder)], {}, "too_dear"),
        ([(want(), feeder)], {"budget": Money.of(100, "EUR")}, "no_price"),
        ([(want(not_owned=True), feeder)], {"owned": ("A", "B")}, "owned"),
        ([(want(rating_min=4.9, not_owned=True), feeder)], {"owned": ("A", "B")}, "no_basket"),
    ]
    for wanted, limits, lack in rows:
        reference = found(*wanted, **limits)
        assert (reference.lack, reference.cheapest, reference.best) == (lack, None, None)
    foreign = found((want(), [product("A", 5, currency="EUR"), product("B", 7, currency="EUR")]))
    assert known(foreign.cheapest).total == Money.of(5, "EUR"), "without a budget the shop's own currency counts"


@given(wanted=things(), budget=st.none() | st.integers(1, 40))
def test_no_choice_is_worth_more_and_none_as_good_is_cheaper(wanted: list[WantedThing], budget: int | None) -> None:
    priced = [[fit for fit in thing.fits if fit.price is not None] for thing in wanted]
    ranked = [
        (-sum(fit.worth for fit in chosen), total_of(wanted, chosen), [fit.product_id for fit in chosen])
        for chosen in combinations(*priced)
        if len({fit.product_id for fit in chosen}) == len(chosen)
    ]
    within = [rank for rank in ranked if budget is None or rank[1] <= budget]
    chosen = best_choice(wanted, None if budget is None else Decimal(budget))
    found = None if chosen is None else (-sum(fit.worth for fit in chosen), total_of(wanted, chosen), [
        fit.product_id for fit in chosen
    ])  # fmt: skip
    assert found == min(within, default=None)
    cheapest = best_choice(wanted, by_worth=False)
    totals = [rank[1] for rank in ranked]
    assert (None if cheapest is None else total_of(wanted, cheapest)) == min(totals, default=None)
    affords = cheapest is not None and (budget is None or total_of(wanted, cheapest) <= budget)
    assert (chosen is not None) is affords


def test_a_mean_of_few_ratings_is_believed_less_and_what_is_not_rated_is_worth_the_middle() -> None:
    many = listing_of(product("A", average_rating=4.6, rating_number=900))
    few = listing_of(product("B", average_rating=5.0, rating_number=1))
    unrated = listing_of(product("C"))
    found = worths([many, few, unrated])
    assert found["A"] == 460
    assert found["C"] == round(100 * (4.6 + 5.0) / 2)
    assert found["C"] < found["B"] < 500
    assert worths([unrated]) == {"C": 100 * UNRATED}
    assert worths([]) == {}


PRESS = Want(name="press", kinds=("french press",))


def press(product_id: str, price: float | None, **more: Any) -> Listing:
    fields = {"title": "Acme French Press", "average_rating": 4.5, "rating_number": 100, "store": "Acme"} | more
    return listing_of(product(product_id, price, **fields))


def proved(*offers: Listing, could_be: tuple[Listing, ...] = (), want: Want = PRESS, **wish: Any) -> Proof:
    """Of a wish for a press, where ``could_be`` are more products that may be one."""
    owned = wish.pop("bought", ())
    gold = wish.pop("gold", None)
    query = Query(query_id="q", text="?", source="t", wish=Wish(wants=(want,), **wish), gold=gold)
    reference = reference_of(query, [offers], owned, could_be=[(*offers, *could_be)])
    assert reference.proof is not None
    return reference.proof


def pressed(**limits: Any) -> Want:
    return Want.model_validate({**PRESS.model_dump(), **limits})


STYLED = press("D", 10, title="Press, French Style")
GLASS = press("A", 20, details={"Material": "Glass"})
THIRTY: dict[str, Any] = {"budget": Money.of(30)}
SEVENTY = {"want": pressed(quantity=4), "budget": Money.of(70)}


def of_steel(state: State) -> dict[str, Any]:
    """A wish for steel, of which a model has read the record of the glass press."""
    sha = record_sha(GLASS.product)
    read = Decision(want="press", demand="steel", product_id="A", record_sha=sha, state=state, by="model:a")
    return {"want": pressed(must=("steel",)), "gold": Gold(query_id="q", decisions=(read,))}


def test_a_wish_is_proved_refuted_or_left_open() -> None:
    plain = press("A", 20)
    rows: list[tuple[list[Listing], dict[str, Any], str]] = [
        ([plain], THIRTY, "refuted"),
        # an unknown price, or a cheap product that may be one, leaves it open
        *(([press("A", 40)], {**THIRTY, "could_be": (other,)}, "open") for other in (press("N", None), STYLED)),
        # a demand is proved by who has read the record alone; stars and brands are
        ([GLASS], of_steel("broken"), "proved: demands"),
        ([GLASS], {"want": pressed(rating_min=4.8)}, "proved: demands"),
        ([GLASS, press("U", 20, average_rating=None)], {"want": pressed(rating_min=4.8)}, "open"),
        ([GLASS], {"want": pressed(brands_wanted=("Nordlys",))}, "proved: demands"),
        # what the shopper has, a missing kind, and several pieces
        ([plain], {"bought": ("A",), "want": pressed(not_owned=True)}, "proved: owned"),
        ([], {}, "proved: not_sold"),
        ([plain], SEVENTY, "proved: too_dear"),
        ([plain, press("P", 60, title="Acme French Press, Pack of 4")], SEVENTY, "open"),
    ]
    for offers, about, state in rows:
        proof = proved(*offers, **about)
        assert (f"proved: {proof.lack}" if proof.state == "proved" else proof.state) == state, about
