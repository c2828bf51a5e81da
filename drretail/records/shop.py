"""The shop's records, shaped as Listings 1-3 of the paper (App. A.1)."""

from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from pydantic import Field

from drretail.records.base import Document, Record
from drretail.records.money import USD

SHOP_URL = "http://ecommerce.com"
EPOCH = datetime.fromtimestamp(0, UTC).replace(tzinfo=None)
OrderStatus = Literal["Delivered", "Shipped", "Processing", "Cancelled", "Returned"]
ORDER_STATUSES: tuple[OrderStatus, ...] = ("Delivered", "Shipped", "Processing", "Cancelled", "Returned")
# Orders of these statuses count in "orders by status" only, never in spend, averages or favourites.
VOID_STATUSES: frozenset[str] = frozenset({"Cancelled", "Returned"})


def product_url(product_id: str) -> str:
    """The address by which a product is cited (Listing 3)."""
    return f"{SHOP_URL}/{product_id}"


def order_date(timestamp: int) -> str:
    """ISO date and time with microseconds and no zone, as in Listing 2, of milliseconds UTC."""
    return (EPOCH + timedelta(milliseconds=timestamp)).isoformat(timespec="microseconds")


class Product(Record):
    """Listing 3, with the two rating fields that the search tool filters on, and the file's category."""

    product_id: str = Field(min_length=1)
    title: str
    features: tuple[str, ...] = ()
    description: tuple[str, ...] = ()
    price: float | None = None
    """In ``currency``; None where the shop does not know it, never 0 for unknown."""
    price_from: bool = False
    """True when the listing said "from X": ``price`` is the lowest of several."""
    currency: str = USD
    average_rating: float | None = None
    rating_number: int | None = None
    store: str | None = None
    categories: tuple[str, ...] = ()
    """Root to leaf; [category] where the source has none."""
    category: str
    """The stem of the Amazon file that the product came from, e.g. "Pet_Supplies"."""
    details: dict[str, Any] = Field(default_factory=dict)
    bought_together: None = None
    availability: Literal["in stock", "out of stock"] | None = Field(
        default=None, exclude_if=lambda state: state is None
    )
    """Known only in a shop that moves, and so is ``as_of``."""
    as_of: str | None = Field(default=None, exclude_if=lambda time: time is None)
    """The shop's time at which price and availability held."""

    def __hash__(self) -> int:
        return hash(self.product_id)  # the details are a dict, which has none

    @property
    def product_url(self) -> str:
        return product_url(self.product_id)

    @property
    def leaf_category(self) -> str:
        """The most specific category there is; else that of the file."""
        return self.categories[-1] if self.categories else self.category

    @property
    def brand(self) -> str | None:
        """``details["Brand"]``, else the store: real rows keep the brand only there."""
        brand = self.details.get("Brand")
        return brand if isinstance(brand, str) and brand.strip() else self.store


class Order(Record):
    """Listing 2. ``timestamp`` is in milliseconds UTC; ``order_date`` is derived from it."""

    order_id: str
    user_id: str
    product_id: str
    timestamp: int
    quantity: int = Field(default=1, ge=1)
    order_status: OrderStatus = "Delivered"

    @property
    def order_date(self) -> str:
        return order_date(self.timestamp)


class Address(Record):
    address1: str
    city: str
    state: str
    zip: str
    country: str = "US"


class UserProfile(Record):
    """Listing 1."""

    user_id: str
    email: str
    first_name: str
    last_name: str
    phone_number: str
    address: Address
    account_status: str = "active"


class CountOf(Record):
    """A name with the number of orders it occurs in."""

    name: str
    orders: int


class ProductCount(Record):
    product_id: str
    title: str
    orders: int


class UserStatistics(Record):
    """What the shop can count about a user; void orders (Cancelled, Returned) only in ``orders_by_status``."""

    user_id: str
    orders: int
    """All orders, of every status."""
    orders_by_status: dict[str, int]
    items: int
    """Sum of quantities of the orders that are not void."""
    spend: float
    """Sum of quantity x current price over the orders that are not void and whose price is known."""
    currency: str = USD
    orders_with_unknown_price: int
    mean_order: float | None
    """``spend`` over the orders it was summed from; None when there is none."""
    first_order: str | None
    last_order: str | None
    orders_per_month: float | None
    """Orders that are not void over the months (of 30.44 days) between the first and the last, at least one."""
    top_categories: tuple[CountOf, ...]
    top_brands: tuple[CountOf, ...]
    top_products: tuple[ProductCount, ...]
    reorder_share: float | None
    """Share of orders that are not void whose product the user had ordered before."""


class UserRow(Record):
    """A user's aggregates, kept in the store for sampling."""

    user_id: str
    n_orders: int
    spend: float
    last_order: int
    top_category: str


METRIC = "next_purchase"


class PurchaseItem(Record):
    """A product by what a guess may hit of it."""

    product_id: str
    category: str | None = None
    """The last part of its category path; None where the shop knows only the department."""
    brand: str | None = None
    price_band: str | None = None
    """None where the shop knows no price."""


class NextPurchase(Document):
    """exp/rubrics/next_purchase/<query_id>.json: frozen when the experiment opens, for worlds that hold orders out."""

    query_id: str
    user_id: str | None = None
    bought: tuple[PurchaseItem, ...] = ()
    """Of the held-out orders that were not cancelled or returned; empty for a user without any."""
    gone: tuple[str, ...] = ()
    """Products of such orders that the shop does not have."""
    wanted: bool | None = None
    """Whether something of it is of a kind that the query wants; None where nobody has typed it."""
    favourite: str | None = None
    """The leaf category of which the user had ordered most by then; None where no order is of a known one."""
    popular_in_favourite: tuple[PurchaseItem, ...] = ()
    """The products with most ratings, most first."""
    popular: tuple[PurchaseItem, ...] = ()
    """The same of the whole shop."""
