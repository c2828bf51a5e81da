"""What a user's record tells, read through the tools; every purchase names the orders that it comes from."""

import re
from dataclasses import dataclass
from datetime import date
from typing import Any

from drretail.errors import UserError
from drretail.grounding.text.serialisation import whole_items
from drretail.querygen.rules.naming import Thing, is_among, name_of
from drretail.querygen.rules.phrases import folded_words
from drretail.tools.toolkit import Toolkit

_PAGE = 100
# More than this tells nothing new about a shopper, and every product is one more tool call.
_ORDERS = 200
_PRODUCTS = 24
_USED_UP_DAYS = 240
# Nouns of categories whose goods are bought again and again.
_USED_UP = frozenset(
    """
    beverage cleanser conditioner cosmetic cream detergent diaper food fragrance grocery lotion medication moisturizer
    seed serum shampoo snack soap sunscreen supplement treat vitamin wipe
    """.split()  # noqa: SIM905 -- a list of so many words is not read one a line
)
_OUTDOORS = frozenset({"patio", "lawn", "garden", "gardening", "outdoor", "backyard"})
# Nobody compares or replaces a code.
_NO_GOODS = re.compile(r"\b(?:gift cards?|digital|e-?books?|downloads?|subscriptions?|software|apps?)\b", re.IGNORECASE)


def is_used_up(path: tuple[str, ...], thing: Thing) -> bool:
    """True for a thing of such a category that is bought again and again."""
    return is_among(path, thing, _USED_UP)


@dataclass(frozen=True, slots=True)
class Purchase:
    """A product that has been delivered to the user, once or several times."""

    product_id: str
    thing: Thing
    day: date
    """Of the last order."""
    order_ids: tuple[str, ...]
    price: float | None
    brand: str | None
    path: tuple[str, ...] = ()
    """Its categories, from the root to the leaf."""
    category: str = ""
    """The stem of the file that it came from."""

    @property
    def uses_up(self) -> bool:
        """True for what is bought again and again, by its category."""
        return is_used_up(self.path, self.thing)

    @property
    def is_outdoors(self) -> bool:
        """True for what stands in the weather, by its category."""
        return bool(_OUTDOORS & set(folded_words(" ".join(self.path))))

    def lasts(self, today: date) -> bool:
        """False for what must have been used up since."""
        return not self.uses_up or (today - self.day).days <= _USED_UP_DAYS


@dataclass(frozen=True, slots=True)
class History:
    """What drafts are made from."""

    user_id: str
    today: date
    country: str
    state: str
    """"" where the profile names none."""
    orders: int
    """All orders, of every status."""
    delivered: int
    """Those that arrived, of the newest 200."""
    purchases: tuple[Purchase, ...]
    """Newest first, one for each product that can be named."""
    titles: tuple[str, ...] = ()
    """Of all orders; what was returned was once wanted, too."""
    product_ids: frozenset[str] = frozenset()
    """Of all orders: nobody is asked to buy the same."""

    def owns(self, thing: Thing) -> Purchase | None:
        """The newest purchase of a thing of this name."""
        return next((purchase for purchase in self.purchases if purchase.thing.words == thing.words), None)

    def lacks(self, thing: Thing) -> bool:
        """True when no purchase is such a thing, and no order's title so much as names it."""
        owned = any(purchase.thing.head == thing.head for purchase in self.purchases)
        return not owned and not any(thing.is_in(title) for title in self.titles)


def read_history(toolkit: Toolkit, user_id: str) -> History:
    """The history of a user, at most the newest 200 orders and 24 products of it."""
    profile = _asked(toolkit, "get_user_profile", user_id=user_id)
    statistics = _asked(toolkit, "get_user_statistics", user_id=user_id)
    orders = _newest_orders(toolkit, user_id)
    return History(
        user_id=user_id,
        today=toolkit.session.now.date(),
        country=profile["address"]["country"],
        state=profile["address"]["state"],
        orders=statistics["orders"],
        delivered=sum(order["order_status"] == "Delivered" for order in orders),
        purchases=_purchases(toolkit, orders),
        titles=tuple(dict.fromkeys(order.get("product_title", "") for order in orders)),
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
        orders += whole_items(page, "orders")
        if not page["orders"] or len(orders) >= page["total"]:
            break
    return orders


def _purchase(toolkit: Toolkit, orders: list[dict[str, Any]]) -> Purchase | None:
    """The product of some orders, newest first; None where the shop has lost it or it can't be named."""
    reply = toolkit.call("get_product_details", {"product_id": orders[0]["product_id"]})
    if reply.error is not None:
        return None
    product = reply.value
    path = tuple(product.get("categories", []))
    name = name_of(product["title"], path, product.get("store"))
    if name is None or _NO_GOODS.search(f"{name} {' '.join(path)}"):
        return None
    return Purchase(
        product_id=product["product_id"],
        thing=Thing(name),
        day=date.fromisoformat(orders[0]["order_date"][:10]),
        order_ids=tuple(order["order_id"] for order in orders),
        price=None if product.get("price_from") else product.get("price"),
        brand=_speakable_brand(product.get("details", {}).get("Brand") or product.get("store")),
        path=path,
        category=product["category"],
    )


def _speakable_brand(brand: object) -> str | None:
    """A brand that one would say: one or two words that begin with a capital, and no stand-in."""
    if not isinstance(brand, str) or brand.casefold() in {"generic", "unknown", "unbranded", "n/a"}:
        return None
    names = brand.split()
    well_formed = 1 <= len(names) <= 2 and all(word.isalpha() and word[0].isupper() for word in names)
    return brand if well_formed and len(brand) <= 20 else None


def _asked(toolkit: Toolkit, tool: str, **arguments: object) -> dict[str, Any]:
    """A tool's answer. Raises UserError: without the record of a user no query can be made."""
    reply = toolkit.call(tool, arguments)
    if reply.error is not None:
        raise UserError(f"{tool} failed for user {arguments['user_id']!r}: {reply.value['error']['message']}")
    return reply.value
