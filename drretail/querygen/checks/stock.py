"""What the shop offers, looked up once: many queries ask for the same things."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from drretail.env.catalog.base import CatalogQuery, Match, SortBy, fold_category
from drretail.env.world import World
from drretail.grounding.constraints.listing import Listing, folded, listing_of
from drretail.querygen.rules.naming import Thing, is_called

HITS = 50
"""So many products are looked at in each search."""
_BRAND_HITS = 20


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
    _brands: dict[str, bool] = field(default_factory=dict[str, bool])
    _categories: frozenset[str] | None = None

    def offers(self, thing: Thing) -> tuple[Listing, ...]:
        """Products of this name: of the best matches, the most popular and the cheapest with all its words."""
        if thing.words not in self._offers:
            found = self._search(thing.name, "all", "relevance")
            if len(found) >= HITS:
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

    def like(self, title: str) -> list[Listing]:
        """The products whose words are nearest to a title's, the nearest first."""
        return self._search(title, "any", "relevance")

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
        """True when some product is of this brand, sold by a store of this name, or has a title that begins so."""
        if brand not in self._brands:
            page = self.world.catalog.search(CatalogQuery(brand, match="phrase", limit=_BRAND_HITS))
            found = self.listings([hit.product_id for hit in page.hits])
            self._brands[brand] = any(is_of(listing, brand) for listing in found)
        return self._brands[brand]

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
        query = CatalogQuery(text, category=category, match=match, sort_by=sort_by, limit=HITS)
        return self.listings([hit.product_id for hit in self.world.catalog.search(query).hits])


def is_of(listing: Listing, brand: str) -> bool:
    """True when a product is of a brand, or where rows name no maker its title begins with it, in whatever case."""
    named = folded(brand)
    return named in listing.makers or f"{folded(listing.product.title)} ".startswith(f"{named} ")
