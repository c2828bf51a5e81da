"""All products that a shop has of the kinds in a wish, and the baskets that follow from them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from drretail.env.catalog.base import CatalogQuery, fold_category
from drretail.env.world import World
from drretail.errors import NotFound
from drretail.records.query import Query, Reference
from drretail.records.reading import Pick
from drretail.records.shop import VOID_STATUSES, Order
from drretail.records.wish import Want, Wish
from drretail.remembered import remembered
from drretail.shopping.basket import Candidates, reference_of
from drretail.shopping.cart import Cart
from drretail.shopping.constraints import UNDECIDED, Decisions
from drretail.shopping.listing import (
    Listing,
    could_be_of_kind,
    is_unplaced,
    joined_words,
    leaf_of_kind,
    listing_of,
    search_words,
    state_of_kind,
)


@dataclass
class Offers:
    """The products that one world offers; every look-up is remembered, since many queries want the same things.

    Not safe to use from several threads.
    """

    world: World
    _listings: dict[str, Listing] = field(default_factory=dict[str, Listing])
    _orders: tuple[str | None, tuple[Order, ...]] = (None, ())
    _reference: tuple[Query, Reference] | None = None

    def of_want(self, want: Want, decisions: Decisions = UNDECIDED) -> Candidates:
        """Every product of any of the want's kinds, by id: all that the shop has, not a search's best matches."""
        if any(decisions.products_of(want)):
            could_be = self.could_be_for(want, decisions)
            return Candidates(listing for listing in could_be if decisions.kind(want, listing).state == "met")
        return self._of_kinds(want.kinds)

    def could_be_for(self, want: Want, decisions: Decisions = UNDECIDED) -> Candidates:
        """Every product that may be of any of the want's kinds, and those that are decided upon, by id."""
        could_be, decided = self._could_be_of(want.kinds), self.listings(list(decisions.products_of(want)))
        return _by_id((*could_be, *decided)) if decided else could_be

    @remembered
    def _of_kinds(self, kinds: tuple[str, ...]) -> Candidates:
        could_be = self._could_be_of(kinds)
        return Candidates(
            listing for listing in could_be if any(listing.once(state_of_kind, kind) == "met" for kind in kinds)
        )

    @remembered
    def _could_be_of(self, kinds: tuple[str, ...]) -> Candidates:
        return _by_id(listing for kind in kinds for listing in self.could_be(kind))

    def would_do(self, want: Want, decisions: Decisions = UNDECIDED) -> frozenset[str]:
        """The ids of the products that satisfy a want, including those that the shopper has already."""
        return frozenset(self.of_want(want, decisions).keeping(want, decisions).titles)

    def of_kind(self, kind: str) -> Candidates:
        """Every product of a kind, by id."""
        return self.of_want(Want(name=kind, kinds=(kind,)))

    @remembered
    def could_be(self, kind: str) -> list[Listing]:
        """Every product that may be of a kind, by id.

        It has the kind's words, is in a category so named, or is in a department alone and called like things there.
        """
        # Kinds compare words by their stems. A catalog that compares unchanged words misses "feeders".
        text = search_words(kind) or kind if self.world.manifest.analyzer == "english" else ""
        ids = set(self.world.catalog.matching(CatalogQuery(text, match="all")))
        if joined_words(kind):
            ids.update(self.world.catalog.matching(CatalogQuery(joined_words(kind), match="all")))
        if self.has_category(leaf_of_kind(kind)):
            ids.update(self.world.catalog.matching(CatalogQuery("", category=leaf_of_kind(kind))))
        leaf = leaf_of_kind(kind)
        for department, names in self.world.store.vocabulary.heads_below(leaf).items():
            for name in names:
                ids.update(self.world.catalog.matching(CatalogQuery(name, category=department)))
        could_be = self.listings(sorted(ids))
        return [each for each in could_be if could_be_of_kind(each.product, kind) or is_unplaced(each, leaf)]

    def listings(self, product_ids: Sequence[str]) -> list[Listing]:
        """The products of these ids, without those that the shop lacks."""
        missing = [product_id for product_id in product_ids if product_id not in self._listings]
        if missing:
            products = self.world.store.products(missing)
            self._listings |= {
                product_id: listing_of(product, self.world.store.vocabulary) for product_id, product in products.items()
            }
        return [self._listings[product_id] for product_id in product_ids if product_id in self._listings]

    def has_category(self, category: str) -> bool:
        return fold_category(category) in self._categories

    @cached_property
    def _categories(self) -> frozenset[str]:
        return frozenset(map(fold_category, self.world.catalog.categories()))

    def reference(self, query: Query) -> Reference:
        """What the shop could sell for a query, and whether it provably can't.

        Products that the user has are left out where another is wanted. The last one is remembered: who checks a
        query measures it next.
        """
        if self._reference is not None and self._reference[0] is query:
            return self._reference[1]
        wants = () if query.wish is None else query.wish.wants
        decisions = Decisions(query.gold)
        reference = reference_of(
            query,
            [self.of_want(want, decisions) for want in wants],
            self.bought(query.user_id),
            could_be=[self.could_be_for(want, decisions) for want in wants],
        )
        self._reference = query, reference
        return reference

    def cart(self, wish: Wish, reference: Reference, picks: Sequence[Pick]) -> Cart:
        """These picks with their wish, and the records of those that the shop holds."""
        listings = self.listings([pick.product for pick in picks])
        return Cart(
            wish, reference, tuple(picks), {listing.product.product_id: listing.product for listing in listings}
        )

    def bought(self, user_id: str | None) -> frozenset[str]:
        """The ids of the products of a user's orders that were neither cancelled nor returned."""
        orders = (order for order in self.orders(user_id) if order.order_status not in VOID_STATUSES)
        return frozenset(order.product_id for order in orders)

    def orders(self, user_id: str | None) -> tuple[Order, ...]:
        """All orders of a user; empty for None, and for a user that the world lacks."""
        if user_id != self._orders[0]:  # remembered of one user, whose queries come one after the other
            try:
                self._orders = user_id, self.world.store.orders(user_id).orders if user_id else ()
            except NotFound:
                self._orders = user_id, ()
        return self._orders[1]


def _by_id(listings: Iterable[Listing]) -> Candidates:
    by_id = {listing.product.product_id: listing for listing in listings}
    return Candidates(by_id[key] for key in sorted(by_id))
