"""Many listings as columns, so that a limit, a demand or a price is compared with thousands of them at once.

Rows are numbered in the order of the listings. Prices stay exact: they are sorted once, and amounts are looked up among
them.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, partial
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from drretail.grounding.constraints import (
    Ruling,
    best_of,
    decided_by_code,
    decided_by_value,
    offers_for,
    option_states,
)
from drretail.grounding.listing import Listing, folded_name, is_of_brand, pieces_in
from drretail.records.criteria import State
from drretail.records.shop import Money, has_offers
from drretail.records.wish import Demand, Want
from drretail.remembered import remembered_by

Rows = NDArray[np.intp]
"""Numbers of rows."""
Mask = NDArray[np.bool_]
"""For each row whether it is meant."""
STATES: tuple[State, ...] = get_args(State)
MET, BROKEN, OPEN = map(STATES.index, ("met", "broken", "open"))
_LIST = re.compile(r"[;,](?!\d)")


@dataclass(frozen=True)
class Field:
    """The values of one field of the details."""

    codes: NDArray[np.int32]
    """For each row the number of its value; -1 for a product without the field."""
    values: tuple[Any, ...]
    """In the order in which they first occur."""

    @cached_property
    def texts(self) -> tuple[str, ...]:
        return tuple(map(str, self.values))

    @cached_property
    def is_filled(self) -> Mask:
        """Whether each value is not empty."""
        return np.array([bool(value) for value in self.values], bool)

    @cached_property
    def is_list(self) -> Mask:
        """Whether each value enumerates several things."""
        return np.array([_LIST.search(text) is not None for text in self.texts], bool)

    def counts(self, rows: Rows | None = None) -> NDArray[np.intp]:
        """How many of these rows have each value, first those without the field."""
        return np.bincount((self.codes if rows is None else self.codes[rows]) + 1, minlength=len(self.values) + 1)


@dataclass(frozen=True)
class Prices:
    """The known prices in one currency, lowest first, ties by id."""

    rows: Rows
    known: Sequence[Decimal]
    places: NDArray[np.intp]
    """For each row its place among ``known``; -1 without such a price."""

    def up_to(self, amount: Decimal | int, pieces: int = 1) -> int:
        """How many prices are at most the amount for so many pieces."""
        return bisect_right(self.known, amount, key=lambda price: price * pieces)


class Columns:
    """The columns of some listings, each made when it is first asked for."""

    def __init__(self, listings: Sequence[Listing]) -> None:
        self.listings = listings

    @cached_property
    def ids(self) -> Sequence[str]:
        return [listing.product.product_id for listing in self.listings]

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """The row of each product."""
        return {product_id: row for row, product_id in enumerate(self.ids)}

    @cached_property
    def all(self) -> Mask:
        """All rows."""
        return np.ones(len(self.listings), bool)

    def mask(self, product_ids: Iterable[str]) -> Mask:
        """The rows of these products, as far as they are among the listings."""
        mask = np.zeros(len(self.listings), bool)
        mask[[self.rows[key] for key in product_ids if key in self.rows]] = True
        return mask

    def chosen(self, mask: Mask) -> list[Listing]:
        """The listings of these rows."""
        return [self.listings[row] for row in np.flatnonzero(mask).tolist()]

    @cached_property
    def stars(self) -> NDArray[np.float64]:
        """The average ratings; NaN where there is none."""
        return np.array([listing.product.average_rating for listing in self.listings], float)

    @cached_property
    def ratings(self) -> NDArray[np.float64]:
        """The numbers of ratings; NaN where it is unknown."""
        return np.array([listing.product.rating_number for listing in self.listings], float)

    def rated(self, stars: float, ratings: int) -> Mask:
        """The rows with at least so many stars from at least so many ratings; unknown ones count as 0."""
        return (np.nan_to_num(self.stars) >= stars) & (np.nan_to_num(self.ratings) >= ratings)

    @cached_property
    def costs(self) -> NDArray[np.float64]:
        """The prices, in whichever currency; NaN where none is known. To be compared with whole amounts only."""
        return np.array([listing.price for listing in self.listings], float)

    @cached_property
    def is_pack(self) -> Mask:
        """Whether the title names several pieces."""
        return np.array([pieces_in(listing.product.title) > 1 for listing in self.listings], bool)

    @cached_property
    def prices(self) -> Mapping[str, Prices]:
        """The known prices in each currency; the currencies in the order in which they first occur."""
        by_currency: dict[str, list[tuple[Decimal, str, int]]] = {}
        for row, listing in enumerate(self.listings):
            if listing.price is not None:
                known = by_currency.setdefault(listing.product.currency, [])
                known.append((listing.price, listing.product.product_id, row))
        prices: dict[str, Prices] = {}
        for currency, known in by_currency.items():
            known.sort()
            rows, places = np.array([row for *_, row in known], np.intp), np.full(len(self.listings), -1, np.intp)
            places[rows] = np.arange(len(rows))
            prices[currency] = Prices(rows, [price for price, *_ in known], places)
        return prices

    def comparable(self, among: Mask | None = None) -> Rows:
        """The rows of known price, cheapest first, in the most common currency and without outliers."""
        of_all = [
            (prices, prices.rows if among is None else prices.rows[among[prices.rows]])
            for prices in self.prices.values()
        ]
        if not any(len(rows) for _, rows in of_all):
            return np.array([], np.intp)
        # Of two currencies that are as common, the one that occurs first.
        prices, rows = max(of_all, key=lambda pair: (len(pair[1]), -pair[1].min(initial=len(self.listings))))
        places = prices.places[rows]
        middle = prices.known[int(places[len(places) // 2])]
        least, most = bisect_left(prices.known, middle / 5), bisect_right(prices.known, middle * 5)
        return rows[(places >= least) & (places < most)]

    @cached_property
    def details(self) -> Mapping[str, Field]:
        """The fields of the details by their names."""
        codes: dict[str, dict[Any, int]] = {}
        values: dict[str, list[Any]] = {}
        places: dict[str, tuple[list[int], list[int]]] = {}
        for row, listing in enumerate(self.listings):
            for name, value in listing.product.details.items():
                key = value if isinstance(value, str) else (type(value), str(value))
                if name not in codes:
                    codes[name], values[name], places[name] = {}, [], ([], [])
                if (code := codes[name].get(key)) is None:
                    code = codes[name][key] = len(values[name])
                    values[name].append(value)
                rows, of_rows = places[name]
                rows.append(row)
                of_rows.append(code)
        fields: dict[str, Field] = {}
        for name, (rows, of_rows) in places.items():
            column = np.full(len(self.listings), -1, np.int32)
            column[rows] = of_rows
            fields[name] = Field(column, tuple(values[name]))
        return fields

    @remembered_by(folded_name)
    def field(self, name: str) -> Field:
        """The values of the field that is called so, whatever its capitals."""
        called = folded_name(name)
        same = [other for other in self.details if folded_name(other) == called]
        if len(same) == 1:
            return self.details[same[0]]
        # Fields that are called alike, or none.
        numbers: dict[str, int] = {}
        values: list[Any] = []
        codes = np.full(len(self.listings), -1, np.int32)
        for row, listing in enumerate(self.listings):
            if called in listing.fields:
                value = listing.fields[called]
                key = f"{type(value)} {value}"
                if key not in numbers:
                    numbers[key] = len(values)
                    values.append(value)
                codes[row] = numbers[key]
        return Field(codes, tuple(values))

    @remembered_by(lambda demand, *, unwanted=False: (demand, unwanted))
    def states(self, demand: Demand, *, unwanted: bool = False) -> NDArray[np.int8]:
        """For each row whether it keeps a demand, as ``decided_by_code`` says: numbers of ``STATES``."""
        if demand.field is None:
            rulings = (decided_by_code(demand, listing, unwanted=unwanted) for listing in self.listings)
            return np.array([STATES.index(ruling.state) for ruling in rulings], np.int8)
        field, decide = self.field(demand.field), partial(decided_by_value, demand, unwanted=unwanted)
        of_values = [OPEN, *(STATES.index(decide(value).state) for value in field.values)]
        return np.array(of_values, np.int8)[field.codes + 1]

    def rulings(self, demand: Demand) -> Counter[Ruling]:
        """How often records rule so on a demand."""
        if demand.field is None:
            return Counter(decided_by_code(demand, listing) for listing in self.listings)
        field, rulings = self.field(demand.field), Counter[Ruling]()
        for value, count in zip((None, *field.values), field.counts().tolist(), strict=True):
            if count:
                rulings[decided_by_value(demand, value)] += count
        return rulings

    def keeping(self, want: Want, state: State = "met") -> Mask:
        """The rows that keep a want's limits, with its demands in this state: "broken" if one is, "open" if one is."""
        states = [self.states(demand) for demand in want.must]
        states += [self.states(demand, unwanted=True) for demand in want.must_not]
        if want.options:
            options = (STATES.index(best_of(option_states(want, listing, listing.offers))) for listing in self.listings)
            states.append(np.fromiter(options, np.int8, len(self.listings)))
        together = np.full(len(self.listings), MET, np.int8)
        for worse in (OPEN, BROKEN):
            for of_demand in states:
                together[of_demand == worse] = worse
        return self.within(want) & (together == STATES.index(state))

    def within(self, want: Want, *, unknown_does: bool = False) -> Mask:
        """The rows that keep the limits of brand, stars, ratings, options, price and stock, as ``is_within`` says."""
        mask = ~self.of_brands(want.brands_unwanted)
        if want.brands_wanted:
            unknown = self.where("no maker", lambda listing: not listing.makers) if unknown_does else False
            mask &= self.of_brands(want.brands_wanted) | unknown
        for known, least in ((self.stars, want.rating_min), (self.ratings, want.ratings_min)):
            if least is not None:
                mask &= (known >= least) | (np.isnan(known) if unknown_does else False)
        may_differ = mask if want.price_max or want.options else mask & self.where("offers", _has_offers)
        for row in np.flatnonzero(may_differ).tolist():
            mask[row] = bool(offers_for(want, self.listings[row]))
        return mask

    def of_brands(self, brands: Iterable[str]) -> Mask:
        """The rows that are of any of these brands."""
        mask = np.zeros(len(self.listings), bool)
        for brand in brands:
            mask |= self.where(("brand", brand), partial(is_of_brand, brand=brand))
        return mask

    @remembered_by(lambda key, _: key)
    def where(self, key: Hashable, keeps: Callable[[Listing], bool]) -> Mask:
        """The rows of which this is true; remembered by the key, and not to be changed."""
        return np.fromiter(map(keeps, self.listings), bool, len(self.listings))

    def paid(self, budget: Money | None, quantity: int) -> Mask:
        """The rows whose price is unknown, or of which the budget pays so many; one pack is enough."""
        prices = None if budget is None else self.prices.get(budget.currency)
        if budget is None or prices is None:
            return self.all
        whole, each = prices.up_to(budget.value), prices.up_to(budget.value, quantity)
        return prices.places < np.where(self.is_pack, whole, each)


def _has_offers(listing: Listing) -> bool:
    return has_offers(listing.product)
