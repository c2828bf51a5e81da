"""The shop's offers of a kind, and whether a demand tells them apart, so that a question may make it.

A question calls a product by its category if the title confirms it, otherwise by its shortened title.
"""

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from importlib.resources import files
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from drretail.env.catalog.base import Catalog, CatalogQuery
from drretail.grounding.basket import Candidates
from drretail.grounding.columns import MET, OPEN, Columns, Mask, Rows
from drretail.grounding.kinds import OF_WHOM, Kind, KindGroup, kind_of, lowered, stems
from drretail.grounding.listing import Listing, folded
from drretail.grounding.text.wording import may_be_shown
from drretail.querygen.checks.case import Stock
from drretail.querygen.checks.contract import HITS, LEAST_OFFERS, LEAST_SHARE, MOST_SHARE
from drretail.records.shop import Product
from drretail.records.wish import Demand
from drretail.remembered import remembered, remembered_by

PHRASES: Mapping[str, Any] = tomllib.loads((files("drretail.querygen.rules") / "phrases.toml").read_text("utf-8"))
T = TypeVar("T")
HALF_A_YEAR = 182
"""Days after which a pack is used up, a child has outgrown its things, and what names a year is out of date."""
_DATED = re.compile(r"\b(?:20\d\d|calendar|planner)s?\b", re.IGNORECASE)
# The share of a kind's offers that are in its own part of the shop: "cases" may be of anything.
_NEARLY_ALL = 0.8
# The least share of a kind's titles that say its name.
_SAID = 0.05
ENOUGH = 3
"""The least offers of a kind, besides what the shopper has, for an answer to choose from."""
# With fewer offers that keep a demand, there is nothing to choose from.
_LEAST_KEEP = 2
_DECIDED = 0.6
"""The share of offers for which records must decide a demand."""
_HITS = 50
_BATCH = 500
"""Hits of a plain search that are looked at for the offers of a kind."""


@dataclass(frozen=True, eq=False)
class KindOffers:
    """The offers of one kind, or those of them that keep to something. Rows are those of all offers of the kind."""

    of_kind: tuple[Listing, ...]
    """All offers of the kind."""
    hits: tuple[str, ...] = ()
    """The ids of what a plain search for the kind shows, in this order."""
    kind: str = ""
    """What the kind is called."""
    is_prose: Callable[[str], bool] = bool
    """Whether words read as English in a sentence, as the shop writes them."""
    part: Mask | None = None
    """The rows of these offers; None if they are all of the kind."""
    whole: "KindOffers | None" = None
    """All offers of the kind, if these are a part of them."""

    @cached_property
    def candidates(self) -> Candidates:
        """All offers of the kind, as baskets are made of them."""
        if self.whole is not None:
            return self.whole.candidates
        return self.of_kind if isinstance(self.of_kind, Candidates) else Candidates(self.of_kind)

    @property
    def columns(self) -> Columns:
        """All offers of the kind as columns."""
        return self.candidates.columns

    @cached_property
    def mask(self) -> Mask:
        """The rows of these offers."""
        return self.columns.all if self.part is None else self.part

    @cached_property
    def offers(self) -> tuple[Listing, ...]:
        """These offers, by id."""
        return self.of_kind if self.part is None else tuple(self.columns.chosen(self.part))

    @cached_property
    def first_row(self) -> int | None:
        """The row of the first hit that is an offer."""
        rows = (self.columns.rows.get(hit, -1) for hit in self.hits)
        return next((row for row in rows if row >= 0 and self.mask[row]), None)

    @cached_property
    def first(self) -> Listing | None:
        """The first hit that is an offer."""
        return None if self.first_row is None else self.of_kind[self.first_row]

    @cached_property
    def worth(self) -> NDArray[np.int64]:
        """For each row the worth among all of the kind."""
        if self.whole is not None:
            return self.whole.worth
        worth = self.candidates.worths
        return np.array([worth[product_id] for product_id in self.columns.ids], np.int64)

    @cached_property
    def is_said(self) -> bool:
        """True if enough titles have the words of the kind's name in this order: none says "traditional laptops"."""
        words = [word for word in stems(self.kind) if word not in OF_WHOM]
        titles = [iter(stems(offer.product.title)) for offer in self.offers]
        return sum(all(word in title for word in words) for title in titles) >= _SAID * len(titles)

    @cached_property
    def priced_rows(self) -> Rows:
        """The rows of the offers whose prices can be compared, cheapest first."""
        return self.columns.comparable(self.part)

    @cached_property
    def counted_rows(self) -> Rows:
        """The rows among which shares are counted: the priced ones, or all if few have prices."""
        return self.priced_rows if len(self.priced_rows) >= LEAST_OFFERS else np.flatnonzero(self.mask)

    @property
    def priced(self) -> tuple[Listing, ...]:
        """The offers whose prices can be compared, cheapest first."""
        return tuple(self.of_kind[row] for row in self.priced_rows.tolist())

    @property
    def counted(self) -> tuple[Listing, ...]:
        """The offers among which shares are counted."""
        return tuple(self.of_kind[row] for row in self.counted_rows.tolist())

    @cached_property
    def fields(self) -> Mapping[str, Rows]:
        """The fields that enough offers fill for a share to say something, with the numbers of their values.

        Not those with lists in them: what a list of features leaves out, a product may have all the same.
        """
        fields: dict[str, Rows] = {}
        for name, column in sorted(self.columns.details.items()):
            counts = column.counts(self.counted_rows)[1:] * column.is_filled
            total = counts.sum()
            if total >= LEAST_OFFERS and counts[column.is_list].sum() <= LEAST_SHARE * total:
                fields[name] = np.flatnonzero(counts)
        return fields

    @remembered
    def values_of(self, name: str) -> Sequence[str]:
        """The values of one of the ``fields`` as people write them; few fields are asked for."""
        texts = self.columns.details[name].texts
        return sorted({lowered(texts[code]) for code in self.fields[name].tolist()})

    @cached_property
    def best_row(self) -> int | None:
        """The row of the one that is worth most; None without offers."""
        return self.best_of(self.mask)

    @cached_property
    def best(self) -> Listing | None:
        """The one that is worth most; None without offers."""
        return None if self.best_row is None else self.of_kind[self.best_row]

    def best_of(self, mask: Mask) -> int | None:
        """The row of the one of these offers that is worth most, the first of several; None without any."""
        rows = np.flatnonzero(mask)
        return int(rows[self.worth[rows].argmax()]) if len(rows) else None

    @remembered
    def once(self, make: "Callable[[KindOffers], Iterable[T]]") -> tuple[T, ...]:
        """What a function makes of these offers; it is called once, however many shoppers want the kind."""
        return (*make(self),)

    @remembered
    def is_selective(self, demand: Demand) -> bool:
        """True if records decide a demand for most offers, it ``tells_apart``, and the best one doesn't keep to it.

        Who keeps to what the best offer has anyway need not know of the demand: a sort by ratings would do.
        """
        states = self.columns.states(demand)
        if self.best_row is None or states[self.best_row] == MET:
            return False
        decided = np.count_nonzero(states[self.counted_rows] != OPEN)
        return bool(decided >= _DECIDED * len(self.counted_rows)) and self.tells_apart(states == MET)

    def tells_apart(self, keeps: Mask) -> bool:
        """True if enough offers keep to it to choose from, enough don't, and the first hit doesn't.

        And it has to make the search harder: no solver that looks at few hits comes nearer to the best that is left.
        """
        # The first hit may be an outlier, which is not counted.
        if self.first_row is not None and keeps[self.first_row]:
            return False
        rows = self.counted_rows
        kept, count = rows[keeps[rows]], len(rows)
        if count < LEAST_OFFERS or len(kept) < _LEAST_KEEP or not LEAST_SHARE <= len(kept) / count <= MOST_SHARE:
            return False
        return all(share <= of_all for share, of_all in zip(self.found(kept), self._found_of_all, strict=True))

    def found(self, rows: Rows) -> tuple[float, ...]:
        """The share of the worth of these offers' best one that is found within so many hits, for each of HITS."""
        best = int(self.worth[rows].max(initial=0)) or 1
        among = set(rows.tolist())
        shown = [int(self.worth[row]) if row in among else 0 for row in self._hit_rows]
        return tuple(max(shown[:depth], default=0) / best for depth in HITS)

    @cached_property
    def _hit_rows(self) -> Sequence[int]:
        """The rows of the hits that solvers look at; -1 for what is no offer."""
        return [self.columns.rows.get(hit, -1) for hit in self.hits[: max(HITS)]]

    @cached_property
    def _found_of_all(self) -> tuple[float, ...]:
        return self.found(self.counted_rows)

    def keeping(self, keeps: Mask) -> "KindOffers":
        """Only the offers of these rows, as if the shop had no others."""
        return (self.whole or self)._part(self.mask & keeps)

    @remembered_by(np.ndarray.tobytes)
    def _part(self, part: Mask) -> "KindOffers":
        return replace(self, part=part, whole=self)

    @remembered_by(lambda limits, _: limits)
    def rows_keeping(self, limits: Hashable, keeps: Callable[[Columns], Mask]) -> Mask:
        """The rows of the kind that keep to these limits; ``keeps`` is asked once, however many shoppers want them."""
        return keeps(self.columns)

    @remembered
    def is_within(self, part: tuple[str, ...]) -> bool:
        """True if nearly all are in this part of the shop."""
        inside = sum(times for path, times in self._paths.items() if path[: len(part)] == part)
        return inside >= _NEARLY_ALL * len(self.offers)

    @cached_property
    def _paths(self) -> Counter[tuple[str, ...]]:
        """How many offers have each path of categories: few paths, where a kind has thousands of offers."""
        return Counter(offer.product.categories for offer in self.offers)

    @cached_property
    def _prices(self) -> Sequence[Decimal]:
        return [offer.price for offer in self.priced if offer.price is not None]

    def has_cheaper_and_dearer(self, price: Decimal | None) -> bool:
        """True if the upper quartile is at least twice the lower one, and the price is neither least nor greatest."""
        prices = self._prices
        if price is None or len(prices) <= LEAST_OFFERS or not prices[0] < price < prices[-1]:
            return False
        return prices[len(prices) * 3 // 4] >= 2 * prices[len(prices) // 4]


@dataclass
class Assortment:
    """The kinds of one shop. Lookups are cached, so that many users cost little more than one."""

    stock: Stock
    catalog: Catalog
    _alike: dict[Kind, Kind] = field(default_factory=dict[Kind, Kind])
    """One of each kind, so that thousands of products share it."""

    @remembered
    def kinds_in(self, part: tuple[str, ...], depth: int) -> tuple[Kind, ...]:
        """The kinds of a part of the shop that lie so many categories deep, and are hardly anywhere else."""
        called = defaultdict[str, list[tuple[str, Kind]]](list)
        for path, named, product_ids in self._named_in(part, depth):
            if (kind := self._offered(named, path)) is not None:
                called[kind.category] += ((product_id, kind) for product_id in product_ids)
        kinds: list[Kind] = []
        for name in sorted(called):
            # What the last product that may be spoken of is called; few have to be read.
            for product_id, kind in sorted(called[name], key=lambda pair: pair[0], reverse=True):
                if is_topic(self.stock.offers.listings([product_id])[0].product):
                    kinds.append(kind)
                    break
        return tuple(kinds)

    def _named_in(self, part: tuple[str, ...], depth: int) -> Iterable[KindGroup]:
        """The products of a part by what their records call them."""
        ids, store = self.catalog.matching(CatalogQuery("", category=part[-1])), self.stock.offers.world.store
        groups: dict[tuple[tuple[str, ...], Kind], list[str]] = {}
        # Not as listings, which are remembered: a part may hold thousands of products.
        batches = (ids[start : start + _BATCH] for start in range(0, len(ids), _BATCH))
        for product in (product for batch in batches for product in store.products(batch).values()):
            is_inside = (product.categories[: len(part)], len(product.categories)) == (part, depth)
            if is_inside and (kind := self._named(product)) is not None:
                groups.setdefault((product.categories, kind), []).append(product.product_id)
        return [KindGroup(*of_group, tuple(product_ids)) for of_group, product_ids in groups.items()]

    def kind_of(self, product: Product, had: frozenset[str] = frozenset()) -> Kind | None:
        """The kind by the first name that titles say and enough offers have, nearly all around it; ``had`` are none."""
        kind = self._named(product)
        return None if kind is None else self._offered(kind, product.categories, had)

    def _offered(self, kind: Kind, path: tuple[str, ...], had: frozenset[str] = frozenset()) -> Kind | None:
        for name in kind.names:
            offered = self.of(name)
            left = len(offered.of_kind) - sum(product_id in offered.columns.rows for product_id in had)
            if left >= ENOUGH and offered.is_said and offered.is_within(path[:-1]):
                return Kind(kind.name, name, kind.gender)
        return None

    @remembered_by(lambda product: product.product_id)
    def _named(self, product: Product) -> Kind | None:
        """What the product's record calls its kind; reading titles is most of the work, so each is read once."""
        kind = kind_of(product)
        return kind and self._alike.setdefault(kind, kind)

    @remembered
    def of(self, name: str) -> KindOffers:
        """The offers of a kind."""
        hits = self.catalog.search(CatalogQuery(name, limit=_HITS)).hits
        return KindOffers(
            self.stock.offers.of_kind(name), tuple(hit.product_id for hit in hits), name, self.stock.is_prose
        )

    @remembered_by(lambda name, other: frozenset((name, other)))
    def are_apart(self, name: str, other: str) -> bool:
        """True if no product is of both kinds."""
        return self.of(other).columns.rows.keys().isdisjoint(self.of(name).columns.ids)


def is_topic(product: Product, age: int = 0) -> bool:
    """False for codes, presents, parts, intimate products, and what is outgrown or out of date at this age in days."""
    words, known = {*folded(f"{product.title} {' '.join(product.categories)}").split()}, PHRASES["known"]
    has_passed = age > HALF_A_YEAR and (_DATED.search(product.title) or not words.isdisjoint(known["outgrown"]))
    return not has_passed and words.isdisjoint(known["no_topics"]) and may_be_shown(product)
