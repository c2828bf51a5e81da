"""All that a shop has of the kinds that a wish names, and the baskets that follow from it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from drretail.env.catalog.base import CatalogQuery, fold_category
from drretail.env.world import World
from drretail.grounding.basket.reference import reference_of
from drretail.grounding.constraints.fits import fitting
from drretail.grounding.constraints.kinds import is_of_kind
from drretail.grounding.constraints.listing import Listing, listing_of
from drretail.records.query import Query, Reference
from drretail.records.shop import VOID_STATUSES
from drretail.records.wish import Want


@dataclass(slots=True)
class Offers:
    """What one world offers; every look-up is remembered, since many queries want the same things.

    Not for several threads at once.
    """

    world: World
    _of_kind: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    _listings: dict[str, Listing] = field(default_factory=dict[str, Listing])
    _would_do: dict[Want, frozenset[str]] = field(default_factory=dict[Want, frozenset[str]])
    _categories: frozenset[str] | None = None

    def of_want(self, want: Want) -> tuple[Listing, ...]:
        """Every product of any of its kinds, by id: all that the shop has, not only the best matches of a search."""
        ids = sorted({product_id for kind in want.kinds for product_id in self.of_kind(kind)})
        return tuple(self.listings(ids))

    def would_do(self, want: Want) -> frozenset[str]:
        """The ids of the products that would do for a want, whatever the shopper has."""
        if want not in self._would_do:
            found = fitting(want, self.of_want(want)).listings
            self._would_do[want] = frozenset(listing.product.product_id for listing in found)
        return self._would_do[want]

    def of_kind(self, kind: str) -> tuple[str, ...]:
        """The ids of every product of a kind.

        Whatever is of a kind holds all its words, or is in a category of that name (``is_of_kind``).
        """
        if kind not in self._of_kind:
            found = set(self.world.catalog.matching(CatalogQuery(kind, match="all")))
            if self.has_category(kind):
                found.update(self.world.catalog.matching(CatalogQuery("", category=kind)))
            listings = self.listings(sorted(found))
            self._of_kind[kind] = tuple(it.product.product_id for it in listings if is_of_kind(it.product, kind))
        return self._of_kind[kind]

    def listings(self, product_ids: Sequence[str]) -> list[Listing]:
        """The products of these ids, without those that the shop does not hold."""
        missing = [product_id for product_id in product_ids if product_id not in self._listings]
        if missing:
            found = self.world.store.products(missing)
            self._listings |= {product_id: listing_of(product) for product_id, product in found.items()}
        return [self._listings[product_id] for product_id in product_ids if product_id in self._listings]

    def has_category(self, category: str) -> bool:
        if self._categories is None:
            self._categories = frozenset(map(fold_category, self.world.catalog.categories()))
        return fold_category(category) in self._categories

    def reference(self, query: Query) -> Reference:
        """What the shop could sell for a query; what its user has is left out, unless one more of it is wanted."""
        wants = () if query.wish is None else query.wish.wants
        return reference_of(query, [self.of_want(want) for want in wants], self._bought(query.user_id))

    def _bought(self, user_id: str | None) -> frozenset[str]:
        """The products of the orders that a user kept; none for nobody, and for one that the shop does not know."""
        orders = () if user_id is None else self.world.store.orders(user_id).orders
        return frozenset(order.product_id for order in orders if order.order_status not in VOID_STATUSES)
