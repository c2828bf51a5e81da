"""The shop's records, shaped as Listings 1-3 of the paper (App. A.1), and an amount of money, exact to the cent."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from functools import partial
from operator import is_
from typing import Any, Literal, Self

from pydantic import ConfigDict, Field, field_validator

from drretail.records.base import Document, Record

USD = "USD"
_DOLLARS = ("USD", "AUD", "CAD", "NZD", "HKD", "SGD", "TWD", "MXN", "ARS", "CLP", "COP", "BRL")
SIGNS: dict[str, tuple[str, ...]] = {
    "$": _DOLLARS,
    **{"US$": ("USD",), "A$": ("AUD",), "AU$": ("AUD",), "C$": ("CAD",), "CA$": ("CAD",), "NZ$": ("NZD",)},
    **{"HK$": ("HKD",), "S$": ("SGD",), "NT$": ("TWD",), "MX$": ("MXN",), "R$": ("BRL",)},
    **{"€": ("EUR",), "£": ("GBP", "EGP", "GIP"), "¥": ("JPY", "CNY"), "￥": ("JPY", "CNY"), "円": ("JPY",)},
    **{"元": ("CNY", "TWD"), "₹": ("INR",), "₩": ("KRW",), "원": ("KRW",), "₽": ("RUB",), "₺": ("TRY",), "₴": ("UAH",)},
    **{"₫": ("VND",), "฿": ("THB",), "₪": ("ILS",), "₱": ("PHP",), "₦": ("NGN",), "₡": ("CRC",), "₸": ("KZT",)},
    **{"zł": ("PLN",), "Kč": ("CZK",), "Ft": ("HUF",), "kr": ("SEK", "NOK", "DKK", "ISK"), "Fr": ("CHF",)},
    **{"SFr": ("CHF",), "lei": ("RON", "MDL"), "лв": ("BGN",), "грн": ("UAH",), "руб": ("RUB",), "TL": ("TRY",)},
    **{"Rs": ("INR", "PKR", "LKR", "NPR"), "RM": ("MYR",), "Rp": ("IDR",), "R": ("ZAR",), "đ": ("VND",)},
}
"""The signs that shops print, as in CLDR, with the ISO 4217 codes that each may mean, the usual one first."""


def may_share_a_sign(code: str, other: str) -> bool:
    """True if two codes are the same, or some sign may mean both: what is written "$" may be Canadian."""
    return code == other or any(code in codes and other in codes for codes in SIGNS.values())


MOST_DIGITS = 15
"""Digits before the point. Larger amounts are no prices, and would not be exact to the cent."""


class Money(Record):
    """``amount`` is a decimal string such as "120" or "19.99"; ``currency`` an ISO 4217 code."""

    model_config = ConfigDict(coerce_numbers_to_str=True)  # as models write amounts

    amount: str
    currency: str = USD

    @field_validator("amount")
    @classmethod
    def _is_a_decimal(cls, amount: str) -> str:
        try:
            value = Decimal(amount)
        except InvalidOperation:  # an ArithmeticError, which pydantic would let through
            raise ValueError(f"{amount!r} is not a decimal number") from None
        if not value.is_finite() or value < 0 or value.adjusted() >= MOST_DIGITS:
            raise ValueError(f"{amount!r} is not an amount of money")
        return amount

    @property
    def value(self) -> Decimal:
        return Decimal(self.amount)

    @classmethod
    def of(cls, value: Decimal | float | int | str, currency: str = USD) -> Self:
        """Money from a number, rounded to cents, trailing zeros of whole amounts dropped."""
        cents = Decimal(str(value)).quantize(Decimal("0.01"))
        whole = cents == cents.to_integral_value()
        return cls(amount=str(cents.to_integral_value() if whole else cents), currency=currency)


SHOP_URL = "http://ecommerce.com"
EPOCH = datetime.fromtimestamp(0, UTC).replace(tzinfo=None)
OrderStatus = Literal["Delivered", "Shipped", "Processing", "Cancelled", "Returned"]
ORDER_STATUSES: tuple[OrderStatus, ...] = ("Delivered", "Shipped", "Processing", "Cancelled", "Returned")
# Orders of these statuses count in "orders by status" only, never in spend, averages or favourites.
VOID_STATUSES: frozenset[str] = frozenset({"Cancelled", "Returned"})
VARIANTS, STOCK, LIST_PRICE, OTHER_TITLES = "Variants", "Stock", "List price", "Other titles"
"""Keys of a product's details, as ``drretail ingest`` writes them for your own shop."""
_NO_OPTIONS: Mapping[str, str] = {}
_OF_VARIANT = frozenset({"id", "price", "stock", "list_price", "sku"})


_PASSED = {"delivered": ("shipped",), "returned": ("delivered", "shipped")}


def has_been(status: str, recorded: str) -> bool | None:
    """Whether an order of the recorded status is or was of another, in small letters; None where it may have been."""
    if status == recorded or status in _PASSED.get(recorded, ()):
        return True
    is_listed = {status.title(), recorded.title()} <= {*ORDER_STATUSES}  # what is "in transit" was shipped
    return False if is_listed and (status, recorded) != ("shipped", "cancelled") else None


def product_url(product_id: str) -> str:
    """The address by which a product is cited (Listing 3)."""
    return f"{SHOP_URL}/{product_id}"


def order_date(timestamp: int, utc_offset: int = 0) -> str:
    """The ISO date and time of milliseconds UTC, with microseconds and no zone, as in Listing 2.

    It is what the shop wrote: its clock was ``utc_offset`` minutes ahead of UTC.
    """
    return (EPOCH + timedelta(milliseconds=timestamp, minutes=utc_offset)).isoformat(timespec="microseconds")


class Policy(Record):
    """[policy] of your own shop's mapping: what holds for every order. None is not said."""

    shipping: float | None = Field(default=None, ge=0)
    """What shipping costs, in the shop's currency."""
    free_from: float | None = Field(default=None, ge=0)
    """The value of an order from which shipping costs nothing."""
    delivery_days: int | tuple[int, int] | None = None
    """Until an order arrives; two numbers are the fewest and the most."""
    return_days: int | None = Field(default=None, ge=0)
    """Within which an order can be returned."""

    @field_validator("delivery_days")
    @classmethod
    def _is_in_order(cls, days: int | tuple[int, int] | None) -> int | tuple[int, int] | None:
        fewest, most = days if isinstance(days, tuple) else (days or 0,) * 2
        if not 0 <= fewest <= most:
            raise ValueError("policy.delivery_days is the fewest and the most days, such as [2, 4]")
        return days


# No lambda: each product that is written asks four times.
_is_none = partial(is_, None)


class Product(Record):
    """Listing 3, with the two rating fields that the search tool filters on, and the file's category."""

    product_id: str = Field(min_length=1)
    title: str
    features: tuple[str, ...] = ()
    description: tuple[str, ...] = ()
    price: float | None = None
    """In ``currency``; None if the shop does not know it, never 0 for unknown."""
    price_from: bool = False
    """True if the listing said "from X": ``price`` is the lowest of several."""
    currency: str = USD
    average_rating: float | None = None
    rating_number: int | None = None
    store: str | None = None
    categories: tuple[str, ...] = ()
    """Root to leaf; [category] if the source has none."""
    category: str
    """The stem of the Amazon file that the product came from, e.g. "Pet_Supplies". In your own shop, the first part of
    its category path.
    """
    details: dict[str, Any] = Field(default_factory=dict)
    bought_together: None = None
    page: str | None = Field(default=None, exclude_if=_is_none)
    """The address of the shop's own page. It is shown to readers and judges of reports, as the address of the source,
    and to no agent.
    """
    image: str | None = Field(default=None, exclude_if=_is_none)
    """The address of its first picture."""

    def __eq__(self, other: object) -> bool:
        # The id first: a product is looked for among thousands, and pydantic compares ten times slower.
        is_same = isinstance(other, Product) and self.product_id == other.product_id
        return is_same and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(self.product_id)  # the details are a dict, which has none

    @property
    def product_url(self) -> str:
        return product_url(self.product_id)

    @property
    def titles(self) -> str:
        """Its title, and those that it has in other languages, one a line."""
        others = self.details.get(OTHER_TITLES)
        return "\n".join((self.title, *(map(str, others) if isinstance(others, list) else ())))

    @property
    def leaf_category(self) -> str:
        """The most specific category; the product's ``category`` if it has no path."""
        return self.categories[-1] if self.categories else self.category

    @property
    def brand(self) -> str | None:
        """``details["Brand"]``, the only place where real rows keep the brand; without it, the store."""
        brand = self.details.get("Brand")
        return brand if isinstance(brand, str) and brand.strip() else self.store


def product_of(offer_id: str) -> str:
    """The id of the product of an offer: "T" of "T/T-M"."""
    return offer_id.partition("/")[0]


def variant_title(title: str, name: str) -> str:
    """A title with the options of a variant: "Merino Shirt (M / navy)"."""
    return f"{title} ({name})" if name else title


@dataclass(frozen=True, slots=True)
class Offer:
    """What is bought: a variant of a product, or the product itself if it has no variants."""

    offer_id: str
    """The product's id, and that of the variant behind a slash: "T/T-M"."""
    options: Mapping[str, str]
    price: Decimal | None = None
    list_price: Decimal | None = None
    stock: int | None = None
    """None if the shop doesn't count it."""
    is_available: bool | None = None
    """None if the shop doesn't say."""

    @property
    def name(self) -> str:
        return " / ".join(self.options.values())

    def has(self, pieces: int = 1) -> bool:
        """False if it is known that fewer are left."""
        return self.is_available is not False and (self.stock is None or self.stock >= pieces)


def offers_of(item: Product) -> tuple[Offer, ...]:
    """The offers in a product's record: each variant with its price and stock, or the product itself."""
    listed = item.details.get(VARIANTS)
    rows = [row for row in listed if isinstance(row, dict)] if isinstance(listed, list) else []
    if not rows:
        price, details = None if item.price_from else item.price, item.details
        offer = Offer(
            item.product_id, _NO_OPTIONS, _number(price), _number(details.get(LIST_PRICE)), *_stock(details.get(STOCK))
        )
        return (offer,)
    return tuple(
        Offer(
            f"{item.product_id}/{row.get('id') or number}",
            {str(name): str(value) for name, value in row.items() if name not in _OF_VARIANT},
            _number(row.get("price")),
            _number(row.get("list_price")),
            *_stock(row.get("stock")),
        )
        for number, row in enumerate(rows, 1)
    )


def variant_ids(item: Product) -> set[str]:
    """The ids of a product's variants, without that of the product."""
    variants = {offer.offer_id.partition("/")[2] for offer in offers_of(item)} if VARIANTS in item.details else set()
    return variants - {""}


def has_offers(item: Product) -> bool:
    """True if the record names variants, stock or a list price."""
    return not item.details.keys().isdisjoint((VARIANTS, STOCK, LIST_PRICE))


def _number(value: object) -> Decimal | None:
    match = re.search(r"\d[\d,]*(?:\.\d+)?", str(value)) if value is not None else None
    return None if match is None else Decimal(match[0].replace(",", "")).normalize()


def _stock(value: object) -> tuple[int | None, bool | None]:
    """How many there are, and whether there are any."""
    words = "" if isinstance(value, bool) else str(value).strip().casefold().replace("_", " ")
    if re.fullmatch(r"-?\d+", words):
        return max(0, int(words)), int(words) > 0
    if words in ("out of stock", "sold out"):
        return 0, False
    return None, True if words in ("in stock", "available") else None


class Order(Record):
    """Listing 2. Orders compare by ``timestamp``, milliseconds UTC; ``order_date`` is what the shop wrote."""

    order_id: str
    user_id: str
    product_id: str
    timestamp: int
    quantity: int = Field(default=1, ge=1)
    order_status: OrderStatus = "Delivered"
    utc_offset: int = Field(default=0, exclude=True)
    """Minutes that the shop's clock was ahead of UTC."""

    @property
    def order_date(self) -> str:
        return order_date(self.timestamp, self.utc_offset)


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
    """Sum of the quantities of orders that are not void."""
    spend: float
    """Sum of quantity x current price over the orders that are not void and whose price is known."""
    currency: str = USD
    orders_with_unknown_price: int
    mean_order: float | None
    """``spend`` per order that it was summed from; None if there is no such order."""
    first_order: str | None
    last_order: str | None
    orders_per_month: float | None
    """Orders that are not void per month (of 30.44 days) between the first and the last, over at least one month."""
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


class ProfileFact(Record):
    """One fact from a shop's record about a user, with the orders that show it."""

    code: str
    text: str
    orders: tuple[str, ...] = ()
    """Their ids; only the newest if there are many."""
    more_orders: int = 0
    """How many further orders it rests on."""


class ProfileSummary(Document):
    """The facts about a user that judges are given; frozen in exp/profiles/<user_id>.json when the experiment opens."""

    user_id: str
    statements: tuple[ProfileFact, ...]

    @property
    def text(self) -> str:
        """All statements, one per line."""
        return "\n".join(f"- {statement.text}" for statement in self.statements)

    @property
    def text_with_orders(self) -> str:
        """All statements, one per line, each with the ids of its orders."""
        lines: list[str] = []
        for statement in self.statements:
            more = f" and {statement.more_orders} more" if statement.more_orders else ""
            orders = f" (orders {', '.join(statement.orders)}{more})" if statement.orders else ""
            lines.append(f"- {statement.text}{orders}")
        return "\n".join(lines)
