"""What the shop offers, looked up once: many queries ask for the same things."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache

from drretail.env.catalog.base import CatalogQuery, Match, SortBy, fold_category
from drretail.env.world import World
from drretail.grounding.listing import Listing, folded, listing_of
from drretail.querygen.things import Thing, folded_words, thing_of

_HITS = 50
_BRAND_HITS = 20
# Among fewer offers no price is high or low.
_LEAST_PRICES = 4


@dataclass(slots=True)
class Stock:
    """The offers of one world. Every look-up is remembered; not for several threads at once."""

    world: World
    _listings: dict[str, Listing] = field(default_factory=dict[str, Listing])
    _offers: dict[tuple[str, bool], tuple[Listing, ...]] = field(
        default_factory=dict[tuple[str, bool], tuple[Listing, ...]]
    )
    """By name, and whether the thing is of a known kind: an everyday phrase may spell like the name of one."""
    _in_category: dict[str, tuple[Listing, ...]] = field(default_factory=dict[str, tuple[Listing, ...]])
    _prices: dict[str, tuple[Decimal, ...]] = field(default_factory=dict[str, tuple[Decimal, ...]])
    _places: dict[str, float | None] = field(default_factory=dict[str, float | None])
    _brands: dict[str, bool] = field(default_factory=dict[str, bool])
    _titles: dict[str, bool] = field(default_factory=dict[str, bool])
    _is_in: dict[tuple[str, bool, str], bool] = field(default_factory=dict[tuple[str, bool, str], bool])
    _categories: frozenset[str] | None = None

    def offers(self, thing: Thing) -> tuple[Listing, ...]:
        """Products of this very kind: of the best matches, and of the cheapest that hold every word of a name of it."""
        key = thing.name, thing.kind is not None
        if key not in self._offers:
            found = [
                listing
                for name in _names(thing)
                for listing in (
                    *self._search(name, "any", "relevance"),
                    *self._search(name, "all", "popularity"),
                    *self._search(name, "all", "price"),
                )
            ]
            kind = {it.product.product_id: it for it in found if _is_a(thing, it.product.title, it.product.categories)}
            self._offers[key] = tuple(kind.values())
        return self._offers[key]

    def is_in(self, thing: Thing, category: str) -> bool:
        """True when the shop has such a thing in a category, by the category that the search would take."""
        key = thing.name, thing.kind is not None, fold_category(category)
        if key not in self._is_in:
            found = self._search(thing.name, "all", "relevance", category)
            self._is_in[key] = any(_is_a(thing, it.product.title) for it in found) or any(
                fold_category(category) in map(fold_category, (it.product.category, *it.product.categories))
                for it in self.offers(thing)
            )
        return self._is_in[key]

    def prices(self, thing: Thing) -> tuple[Decimal, ...]:
        """The known prices of the offers of a kind, rising."""
        if thing.name not in self._prices:
            known = (it.price for it in self.offers(thing))
            self._prices[thing.name] = tuple(sorted(price for price in known if price is not None))
        return self._prices[thing.name]

    def price_place(self, listing: Listing) -> float | None:
        """The share of the offers of its kind that are cheaper; None where a price or the kind is unknown."""
        key = listing.product.product_id
        if key not in self._places:
            self._places[key] = None if listing.price is None else self._place(listing.product.title, listing.price)
        return self._places[key]

    def _place(self, title: str, price: Decimal) -> float | None:
        thing = thing_in_title(title)
        prices = () if thing is None else self.prices(thing)
        return bisect_left(prices, price) / len(prices) if len(prices) >= _LEAST_PRICES else None

    def cheapest_in(self, category: str) -> tuple[Listing, ...]:
        """The cheapest products of a category; none of one that the shop does not have."""
        if category not in self._in_category:
            found = self._search("", "any", "price", category) if self.has_category(category) else []
            self._in_category[category] = tuple(found)
        return self._in_category[category]

    def has_category(self, category: str) -> bool:
        if self._categories is None:
            self._categories = frozenset(map(fold_category, self.world.catalog.categories()))
        return fold_category(category) in self._categories

    def has_brand(self, brand: str) -> bool:
        """True when some product is of this brand, or sold by a store of this name; case makes no difference."""
        if brand not in self._brands:
            page = self.world.catalog.search(CatalogQuery(brand, match="phrase", limit=_BRAND_HITS))
            found = self.listings([hit.product_id for hit in page.hits])
            self._brands[brand] = any(folded(brand) in listing.makers for listing in found)
        return self._brands[brand]

    def has_title(self, name: str) -> bool:
        """True when the words of a name stand together, in its order, in the texts of some product."""
        if name not in self._titles:
            self._titles[name] = self.world.catalog.search(CatalogQuery(name, match="phrase", limit=1)).total > 0
        return self._titles[name]

    def has_product(self, product_id: str) -> bool:
        return bool(self.listings([product_id]))

    def listings(self, product_ids: Sequence[str]) -> list[Listing]:
        """The products of these ids, without those that the shop does not hold."""
        missing = [product_id for product_id in product_ids if product_id not in self._listings]
        if missing:
            found = self.world.store.products(missing)
            self._listings |= {product_id: listing_of(product) for product_id, product in found.items()}
        return [self._listings[product_id] for product_id in product_ids if product_id in self._listings]

    def _search(self, text: str, match: Match, sort_by: SortBy, category: str | None = None) -> list[Listing]:
        query = CatalogQuery(text, category=category, match=match, sort_by=sort_by, limit=_HITS)
        return self.listings([hit.product_id for hit in self.world.catalog.search(query).hits])


@lru_cache(maxsize=100_000)
def thing_in_title(title: str) -> Thing | None:
    """The thing that a title names; remembered, since the same titles are read for many things."""
    return thing_of(title)


@lru_cache(maxsize=100_000)
def thing_bought(title: str, path: tuple[str, ...]) -> Thing | None:
    """The thing that a product is, by its title and category path; as in query generation."""
    return thing_of(title, path)


def _names(thing: Thing) -> tuple[str, ...]:
    """Its name, then the others under which shops sell its kind: whoever writes "bird house" has birdhouses."""
    named = (thing.name, *(thing.kind.titles if thing.kind is not None else ()))
    return tuple({" ".join(folded_words(name)): name for name in reversed(named)}.values())[::-1]


def _is_a(thing: Thing, title: str, path: tuple[str, ...] = ()) -> bool:
    """True when title or leaf category name the kind; for other things, when the title has head and words of it."""
    if thing.kind is not None:
        sold = thing_bought(title, path)
        return sold is not None and sold.kind is not None and sold.name == thing.name
    other = thing_in_title(title)
    if other is None or other.kind is not None:
        return False
    return other.head == thing.head and set(folded_words(thing.name)) <= set(folded_words(title))
