"""Columns say of many listings what the rules for one say of each."""

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.basket import Candidates, best_choice, cheapest_choice, reference_of
from drretail.grounding.columns import STATES
from drretail.grounding.constraints import UNDECIDED, decided_by_code, fitting, is_within, priced_in
from drretail.grounding.listing import Listing, listing_of, pieces_in
from drretail.records.query import Query
from drretail.records.shop import Money
from drretail.records.wish import Demand, Want, Wish
from tests.grounding.goods import product

BRANDS = ("Tallow", "Nordlys", None)
DETAILS = st.fixed_dictionaries(
    {},
    optional={
        "Color": st.sampled_from(["Red", "blue", "", None, ["Red"]]),
        "color": st.sampled_from(["Green", "Red"]),
        "Size": st.sampled_from(["2 L", "3 L", "1.5 L", 4, "4"]),
    },
)
ROWS = st.tuples(
    st.sampled_from([None, 1.0, 4.99, 5.0, 24.95, 25.0, 130.0]),
    st.sampled_from(["USD", "USD", "EUR"]),
    st.sampled_from([None, 3.0, 4.5]),
    st.sampled_from([None, 0, 20, 900]),
    st.sampled_from(BRANDS),
    st.sampled_from(["Feeder", "Feeder, red, 3 pack"]),
    DETAILS,
)
DEMANDS = (
    Demand(say="red"),
    Demand(say="red", field="Color"),
    Demand(say="at least 2 L", field="size", least=2, unit="L"),
    Demand(say="new", field="Condition"),
)
WANTS = st.builds(
    Want,
    name=st.just("feeder"),
    kinds=st.just(("feeders",)),
    must=st.lists(st.sampled_from(DEMANDS), max_size=2, unique_by=str).map(tuple),
    must_not=st.lists(st.sampled_from(DEMANDS[:2]), max_size=1).map(tuple),
    rating_min=st.sampled_from([None, 0.0, 4.5]),
    ratings_min=st.sampled_from([None, 20]),
    price_max=st.sampled_from([None, Money.of("4.99"), Money.of(25)]),
    brands_wanted=st.sampled_from([(), ("Tallow",)]),
    brands_unwanted=st.sampled_from([(), ("Nordlys",)]),
)


def candidates_of(rows: Sequence[tuple[Any, ...]]) -> Candidates:
    return Candidates(
        listing_of(
            product(
                f"B{number:02}", price, title=title, currency=currency, average_rating=stars, rating_number=ratings,
                store=brand, details=details,
            )
        )
        for number, (price, currency, stars, ratings, brand, title, details) in enumerate(rows)
    )  # fmt: skip


@given(st.lists(ROWS, max_size=12).map(candidates_of), WANTS)
def test_they_keep_limits_and_demands_as_each_listing_does(candidates: Candidates, want: Want) -> None:
    columns = candidates.columns
    for state in STATES:
        assert columns.chosen(columns.keeping(want, state)) == fitting(want, candidates, state=state)
    for unknown_does in (True, False):
        within = [is_within(want, listing, unknown_does=unknown_does) for listing in candidates]
        assert columns.within(want, unknown_does=unknown_does).tolist() == within
    for demand in DEMANDS:
        assert candidates.rulings(demand) == Counter(decided_by_code(demand, listing) for listing in candidates)


def comparable(listings: Sequence[Listing]) -> list[Listing]:
    priced = [listing for listing in listings if listing.price is not None]
    if not priced:
        return []
    currency = Counter(listing.product.currency for listing in priced).most_common(1)[0][0]
    same = [listing for listing in priced if listing.product.currency == currency]
    same.sort(key=lambda each: (each.price or 0, each.product.product_id))
    middle = same[len(same) // 2].price or Decimal(0)
    return [each for each in same if middle / 5 <= (each.price or 0) <= middle * 5]


@given(st.lists(ROWS, max_size=12).map(candidates_of), st.data())
def test_prices_are_compared_exactly(candidates: Candidates, data: st.DataObject) -> None:
    columns = candidates.columns
    ids = data.draw(st.sets(st.sampled_from(columns.ids))) if candidates else set[str]()
    among = [listing for listing in candidates if listing.product.product_id in ids]
    assert [candidates[row] for row in columns.comparable()] == comparable(candidates)
    assert [candidates[row] for row in columns.comparable(columns.mask(ids))] == comparable(among)
    for budget in (Money.of("24.95"), Money.of("9.98"), Money.of(25, "EUR"), Money.of(1, "GBP")):
        prices = [
            (priced_in(each, each.offers[0], budget.currency), pieces_in(each.product.title)) for each in candidates
        ]
        paid = [price is None or price * (1 if pieces > 1 else 2) <= budget.value for price, pieces in prices]
        assert columns.paid(budget, 2).tolist() == paid
    assert columns.paid(None, 2).all()


@given(st.lists(ROWS, max_size=12).map(candidates_of), WANTS, st.sets(st.sampled_from(["B00", "B01", "B02"])))
def test_few_fits_make_the_same_baskets_as_all(candidates: Candidates, want: Want, bought: set[str]) -> None:
    wish = Wish(wants=(want, want.model_copy(update={"name": "another"})))
    query = Query(query_id="q1", text="?", wish=wish, source="t")
    reference = reference_of(query, [candidates, candidates], bought)
    cheapest, best = cheapest_choice(reference.things), best_choice(reference.things, None)
    for basket, chosen in ((reference.cheapest, cheapest), (reference.best, best)):
        picked = None if basket is None else [item.product_id for item in basket.items]
        assert picked == (None if chosen is None else [fit.product_id for fit in chosen])
    assert len(candidates.few(want, UNDECIDED, "USD", 2)) <= len(candidates)
