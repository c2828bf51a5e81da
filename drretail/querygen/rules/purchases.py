"""What a user's orders show: each product once, with its orders, its name and whether such a thing lasts."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from drretail.grounding.constraints.listing import Listing, folded, pieces_in
from drretail.grounding.profile.naming import may_be_shown
from drretail.querygen.checks.shopper import Shopper
from drretail.querygen.rules.assortment import PHRASES
from drretail.querygen.rules.kinds import Kind, kind_of, quoted_title

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)  # strftime("%B") would follow the machine's locale
# Fields that only goods have which are used up.
_OF_GOODS_USED_UP = ("Item Form", "Scent", "Flavor")
# Of what is sold by the dozen nobody knows whether it lasts.
_MANY = 6
_OUTDOORS = frozenset("backyard boots coats garden jackets lawn outdoor outdoors patio rain".split())  # noqa: SIM905
# Nobody compares or replaces a code.
_NO_GOODS = frozenset("app apps download ebook ebooks subscription software".split())  # noqa: SIM905
GROUPS: dict[str, dict[str, Any]] = {name: group for group in PHRASES["group"].values() for name in group["files"]}


@dataclass(frozen=True, slots=True)
class Purchase:
    """A product that has been delivered to the user, once or several times."""

    listing: Listing
    days: tuple[date, ...]
    """Of its orders, newest first."""
    order_ids: tuple[str, ...]
    kind: Kind | None
    quote: str
    group: dict[str, Any]
    """Of phrases.toml, by the file that the product came from."""

    @property
    def product_id(self) -> str:
        return self.listing.product.product_id

    @property
    def lasts(self) -> bool | None:
        """False for what is used up; None where neither the department nor the record tells."""
        details = self.listing.product.details
        if any(details.get(name) for name in _OF_GOODS_USED_UP):
            return False
        return None if pieces_in(self.listing.product.title) >= _MANY else self.group.get("lasts")

    @property
    def is_outdoors(self) -> bool:
        """True for what stands in the weather, by its category."""
        return bool(_OUTDOORS & set(folded(" ".join(self.listing.product.categories)).split()))

    @property
    def month(self) -> str:
        """ "March 2021"."""
        return f"{MONTHS[self.days[0].month - 1]} {self.days[0].year}"


def purchases_of(shopper: Shopper) -> Iterator[Purchase]:
    """The purchases that can be quoted, newest first. Nobody owns what was returned or is still on its way."""
    by_product: dict[str, list[tuple[date, str]]] = {}
    for order in shopper.orders:
        if order.order_status == "Delivered" and order.product_id in shopper.products:
            days = by_product.setdefault(order.product_id, [])
            days.append((date.fromisoformat(order.order_date[:10]), order.order_id))
    for product_id, orders in by_product.items():
        listing = shopper.products[product_id]
        product, quote = listing.product, quoted_title(listing.product)
        about = set(folded(f"{product.title} {' '.join(product.categories)}").split())
        if (
            quote is not None
            and may_be_shown(product)
            and not _NO_GOODS & about
            and "gift" not in set(folded(product.title).split())
        ):
            days, ids = zip(*orders, strict=True)
            group = GROUPS.get(product.category) or PHRASES["group"]["other"]
            yield Purchase(listing, days, ids, kind_of(product), quote, group)
