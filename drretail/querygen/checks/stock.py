"""What the shop offers, looked up once: many queries ask for the same things."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from drretail.env.catalog.base import CatalogQuery, Match, SortBy, fold_category
from drretail.env.world import World
from drretail.grounding.constraints.listing import Listing, folded, listing_of
from drretail.querygen.rules.naming import Thing, is_called, thing_of

_HITS = 50
_BRAND_HITS = 20
# Among fewer offers no price is high or low.
_LEAST_PRICES = 4


@dataclass(slots=True)
class Stock:
    """The offers of one world. Every look-up is remembered; not for several threads at once."""

    world: World
    _listings: dict[str, Listing] = field(default_factory=dict[str, Listing])
    _offers: dict[tuple[str, ...], tuple[Listing, ...]] = field(
        default_factory=dict[tuple[str, ...], tuple[Listing, ...]]
    )
    _popular: dict[str, tuple[Listing, ...]] = field(default_factory=dict[str, tuple[Listing, ...]])
    _in_category: dict[str, tuple[Listing, ...]] = field(default_factory=dict[str, tuple[Listing, ...]])
    _prices: dict[str, tuple[Decimal, ...]] = field(default_factory=dict[str, tuple[Decimal, ...]])
    _places: dict[str, float | None] = field(default_factory=dict[str, float | None])
    _brands: dict[str, bool] = field(default_factory=dict[str, bool])
    _titles: dict[str, bool] = field(default_factory=dict[str, bool])
    _is_in: dict[tuple[str, str], bool] = field(default_factory=dict[tuple[str, str], bool])
    _categories: frozenset[str] | None = None

    def offers(self, thing: Thing) -> tuple[Listing, ...]:
        """Products of this name: of the best matches, the most popular and the cheapest with all its words."""
        if thing.words not in self._offers:
            found = self._search(thing.name, "all", "relevance")
            if len(found) >= _HITS:
                found += [*self._search(thing.name, "all", "popularity"), *self._search(thing.name, "all", "price")]
            elif len(thing.words) > 1:
                found += self._search(thing.name, "any", "relevance")
            kind = {it.product.product_id: it for it in found if is_called(it.product, thing)}
            self._offers[thing.words] = tuple(kind.values())
        return self._offers[thing.words]

    def most_popular(self, category: str) -> tuple[Listing, ...]:
        """The most rated products of a category."""
        if category not in self._popular:
            self._popular[category] = tuple(self._search("", "any", "popularity", category))
        return self._popular[category]

    def is_in(self, thing: Thing, category: str) -> bool:
        """True when the shop has such a thing in a category, by the category that the search would take."""
        key = thing.name, fold_category(category)
        if key not in self._is_in:
            found = self._search(thing.name, "all", "relevance", category)
            self._is_in[key] = any(is_called(it.product, thing) for it in found)
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
            self._places[key] = None if listing.price is None else self._place(listing, listing.price)
        return self._places[key]

    def _place(self, listing: Listing, price: Decimal) -> float | None:
        thing = thing_of(listing.product)
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
