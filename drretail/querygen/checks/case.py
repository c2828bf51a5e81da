"""What every check starts from, the shop, the user and the query; and how a check reports a finding."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from drretail.env.catalog.base import CatalogQuery
from drretail.env.offers import Offers
from drretail.env.world import World
from drretail.errors import NotFound
from drretail.records.evidence import Finding
from drretail.records.query import Query, Reference
from drretail.records.shop import VOID_STATUSES, Order, UserProfile
from drretail.records.wish import Want, Wish
from drretail.remembered import remembered
from drretail.reports.text.words import content_stems
from drretail.shopping.basket import Candidates
from drretail.shopping.constraints import Decisions
from drretail.shopping.listing import Listing, is_of_brand

# Products looked at in a search for a brand.
_BRAND_HITS = 20
# A shop of which hardly any price is known, such as one file of reviews, is none with prices.
_FEW_PRICES = 0.1


class Code(NamedTuple):
    """What a finding's code means, and what to do about it."""

    meaning: str
    remedy: str


class Stock:
    """The offers of one world, with the lookups that checks and the generator share. Not thread-safe."""

    def __init__(self, world: World) -> None:
        self._catalog = world.catalog
        self.web = world.web
        self.offers = Offers(world)

    @cached_property
    def has_prices(self) -> bool:
        """True if the shop names prices as a rule, so that a want without any can't be met."""
        priced, products = (self._catalog.search(CatalogQuery("", price_min=least, limit=1)) for least in (0, None))
        return priced.total > _FEW_PRICES * products.total

    @remembered
    def has_brand(self, brand: str) -> bool:
        """True if some product is of this brand, is sold by such a store, or has a title that begins with the name."""
        page = self._catalog.search(CatalogQuery(brand, match="phrase", limit=_BRAND_HITS))
        listings = self.offers.listings([hit.product_id for hit in page.hits])
        return any(is_of_brand(listing, brand) for listing in listings)


@dataclass(frozen=True)
class Shopper:
    """A user with all orders, newest first, and the ordered products by id."""

    profile: UserProfile
    orders: tuple[Order, ...]
    products: dict[str, Listing]

    @cached_property
    def kept(self) -> tuple[Order, ...]:
        """The orders that were neither cancelled nor returned."""
        return tuple(order for order in self.orders if order.order_status not in VOID_STATUSES)

    @cached_property
    def bought(self) -> frozenset[str]:
        """The ids of the products of kept orders."""
        return frozenset(order.product_id for order in self.kept)

    @cached_property
    def listings(self) -> list[Listing]:
        """The product of each kept order, in the same order, as far as the shop has it."""
        return [self.products[order.product_id] for order in self.kept if order.product_id in self.products]


def read_shopper(world: World, stock: Stock, user_id: str) -> Shopper | None:
    """The user's profile, orders and products; None if the world has no such user."""
    try:
        profile = world.store.user(user_id)
    except NotFound:
        return None
    orders = stock.offers.orders(user_id)
    listings = stock.offers.listings(list(dict.fromkeys(order.product_id for order in orders)))
    return Shopper(profile, orders, {listing.product.product_id: listing for listing in listings})


@dataclass(frozen=True)
class QueryCase:
    """One query in its world. ``shopper`` is None if the query names no user, or one that the world lacks."""

    query: Query
    shopper: Shopper | None
    stock: Stock

    @cached_property
    def offered(self) -> Sequence[tuple[Want, Candidates]]:
        """Each want with all of the shop's products of its kinds; empty if the wish is not typed."""
        wish, decisions = self.query.wish or Wish(), Decisions(self.query.gold)
        return [(want, self.stock.offers.of_want(want, decisions)) for want in wish.wants]

    @cached_property
    def owned(self) -> Sequence[Listing]:
        """The products that the wish names as owned, as far as the shop has them."""
        return [] if self.query.wish is None else self.stock.offers.listings(self.query.wish.owned)

    @cached_property
    def reference(self) -> Reference:
        """The baskets that meet the wish, by which answers are measured, or why there are none."""
        # A user unknown to the shop has bought nothing; names.py reports unknown users.
        asker = self.query if self.shopper else self.query.model_copy(update={"user_id": None})
        return self.stock.offers.reference(asker)


def names_of(listing: Listing) -> set[str]:
    """The stems of the words that may name a product: its title, maker and categories."""
    product = listing.product
    return set(content_stems(" ".join((product.title, product.brand or "", product.store or "", *product.categories))))


def finding(
    code: str,
    text: str,
    evidence: str | None = None,
    *,
    severity: Literal["error", "warning"] = "error",
    span: tuple[int, int] | None = None,
    evidence_id: str | None = None,
) -> Finding:
    """A finding; ``span`` is the place in the query's text that ``text`` quotes."""
    start, end = span or (None, None)
    return Finding(
        code=code, severity=severity, start=start, end=end, text=text, found=evidence, evidence_id=evidence_id
    )
