"""What a user's record tells, read through the tools; every fact names the orders that it comes from."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from drretail.errors import UserError
from drretail.grounding.listing import folded
from drretail.grounding.materials import MATERIALS, made_of
from drretail.querygen.things import Thing, thing_named, thing_of, titles_name
from drretail.tools.toolkit import Toolkit

_PAGE = 100
# More than this tells nothing new about a shopper, and every product is one more tool call.
_ORDERS = 200
_PRODUCTS = 24
_USED_UP_DAYS = 240


@dataclass(frozen=True, slots=True)
class Purchase:
    """A product that has been delivered to the user, once or several times."""

    product_id: str
    thing: Thing
    day: date
    """Of the last order."""
    order_ids: tuple[str, ...]
    price: float | None
    currency: str
    brand: str | None
    category: str
    """The stem of the file that the product came from."""
    first: date | None = None
    """Of the first order, where there were several."""
    material: str = ""
    """What it is made of, folded, with a space on either side."""

    @property
    def uses_up(self) -> bool:
        return self.thing.talk.uses_up

    def lasts(self, today: date) -> bool:
        """False for what must have been used up since."""
        return not self.uses_up or (today - self.day).days <= _USED_UP_DAYS

    def is_of(self, materials: Iterable[str]) -> bool:
        """True for what the shop says to be of one of these materials, or of which it names none."""
        named = any(f" {folded(it)} " in self.material for it in materials)
        return named or not any(f" {it} " in self.material for it in MATERIALS)

    def is_outgrown(self, today: date) -> bool:
        """True for what was bought for a baby who is none any more."""
        return 0 < self.thing.talk.days < (today - self.day).days


@dataclass(frozen=True, slots=True)
class Favourite:
    """A name that stands out in the record, with its orders."""

    name: str
    order_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class History:
    """What drafts are made from; lists are in order of weight or newest first."""

    user_id: str
    today: date
    country: str
    state: str
    """"" where the profile names none."""
    orders: int
    """All orders, of every status."""
    mean_order: float | None
    purchases: tuple[Purchase, ...]
    """Newest first, one for each product for which there is a good phrase."""
    categories: tuple[Favourite, ...]
    brands: tuple[Favourite, ...]
    kinds: tuple[Favourite, ...]
    titles: tuple[str, ...] = ()
    """Of all orders of every status, of products without a good phrase, too."""
    product_ids: frozenset[str] = frozenset()
    """Of the same."""

    @property
    def consumables(self) -> tuple[Purchase, ...]:
        """What is used up, the most often reordered first."""
        return tuple(sorted((it for it in self.purchases if it.uses_up), key=lambda it: -len(it.order_ids)))

    def owns(self, name: str) -> Purchase | None:
        """The newest purchase of a kind of thing."""
        return next((purchase for purchase in self.purchases if purchase.thing.name == name), None)

    def makers(self, name: str) -> frozenset[str | None]:
        """The brands of a kind of thing; None among them where one is not known."""
        return frozenset(it.brand for it in self.purchases if it.thing.name == name)

    def times(self, name: str) -> int:
        """How often a kind of thing was ordered and delivered."""
        return sum(len(it.order_ids) for it in self.purchases if it.thing.name == name)

    def lacks(self, name: str) -> bool:
        """True when no order's title so much as names a kind of thing that we know of."""
        return self.owns(name) is None and not titles_name(thing_named(name), self.titles)


def read_history(toolkit: Toolkit, user_id: str) -> History:
    """The history of a user, at most the newest 200 orders and 24 products of it."""
    profile = _asked(toolkit, "get_user_profile", user_id=user_id)
    statistics = _asked(toolkit, "get_user_statistics", user_id=user_id)
    address: dict[str, str] = profile["address"]
    orders = _newest_orders(toolkit, user_id)
    purchases = _purchases(toolkit, orders)
    return History(
        user_id=user_id,
        today=toolkit.session.now.date(),
        country=address["country"],
        state=address["state"],
        orders=statistics["orders"],
        mean_order=statistics["mean_order"],
        purchases=purchases,
        categories=_favourites((it.category, it) for it in purchases),
        brands=_favourites((it.brand, it) for it in purchases if it.brand),
        kinds=_favourites((it.thing.name, it) for it in purchases),
        titles=tuple(dict.fromkeys(order["product_title"] or "" for order in orders)),
        product_ids=frozenset(order["product_id"] for order in orders),
    )


def _purchases(toolkit: Toolkit, orders: list[dict[str, Any]]) -> tuple[Purchase, ...]:
    by_product: dict[str, list[dict[str, Any]]] = {}
    for order in orders:
        # Nobody owns what was returned or is still on its way.
        if order["order_status"] == "Delivered":
            by_product.setdefault(order["product_id"], []).append(order)
    found = (_purchase(toolkit, orders) for orders in list(by_product.values())[:_PRODUCTS])
    return tuple(purchase for purchase in found if purchase is not None)


def _newest_orders(toolkit: Toolkit, user_id: str) -> list[dict[str, Any]]:
    orders: list[dict[str, Any]] = []
    while len(orders) < _ORDERS:
        page = _asked(toolkit, "get_user_orders", user_id=user_id, limit=_PAGE, offset=len(orders))
        orders += page["orders"]
        if not page["orders"] or len(orders) >= page["total"]:
            break
    return orders


def _purchase(toolkit: Toolkit, orders: list[dict[str, Any]]) -> Purchase | None:
    """The product of some orders, newest first; None where the shop has lost it or no good phrase is found."""
    reply = toolkit.call("get_product_details", {"product_id": orders[0]["product_id"]})
    if reply.error is not None:
        return None
    product = reply.value
    thing = thing_of(product["title"], tuple(product["categories"]))
    if thing is None:
        return None
    return Purchase(
        product_id=product["product_id"],
        thing=thing,
        day=date.fromisoformat(orders[0]["order_date"][:10]),
        order_ids=tuple(order["order_id"] for order in orders),
        price=None if product.get("price_from") else product["price"],
        currency=product["currency"],
        brand=_speakable_brand(product["details"].get("Brand") or product["store"]),
        category=product["category"],
        first=date.fromisoformat(orders[-1]["order_date"][:10]),
        material=f" {folded(made_of(product['title'], product['details']))} ",
    )


def _speakable_brand(brand: object) -> str | None:
    """A brand that one would say: one or two words that begin with a capital, and no stand-in."""
    if not isinstance(brand, str) or brand.casefold() in {"generic", "unknown", "unbranded", "n/a"}:
        return None
    names = brand.split()
    well_formed = 1 <= len(names) <= 2 and all(word.isalpha() and word[0].isupper() for word in names)
    return brand if well_formed and len(brand) <= 20 else None


def _favourites(named: Iterable[tuple[str | None, Purchase]]) -> tuple[Favourite, ...]:
    orders: dict[str, list[str]] = {}
    for name, purchase in named:
        orders.setdefault(name or "", []).extend(purchase.order_ids)
    ranked = sorted(orders.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(Favourite(name, tuple(ids)) for name, ids in ranked)


def _asked(toolkit: Toolkit, tool: str, **arguments: object) -> dict[str, Any]:
    """A tool's answer. Raises UserError: without the record of a user no query can be made."""
    reply = toolkit.call(tool, arguments)
    if reply.error is not None:
        raise UserError(f"{tool} failed for user {arguments['user_id']!r}: {reply.value['error']['message']}")
    return reply.value
