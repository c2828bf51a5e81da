"""What a user's orders show: each product once, with its orders, its name and whether such a thing lasts."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from importlib.resources import files
from typing import Any, Literal

from drretail.grounding.constraints.listing import Listing, folded, pieces_in
from drretail.grounding.profile.intimate import may_be_shown
from drretail.querygen.checks.shopper import Shopper
from drretail.querygen.rules.kinds import Kind, kind_of, quoted_title

_FILE = files("drretail.querygen.rules").joinpath("phrases.toml")
PHRASES: Mapping[str, Any] = tomllib.loads(_FILE.read_text(encoding="utf-8"))
"""phrases.toml."""
A_YEAR = 365
"""Days after which what lasts may be due to be replaced."""
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)  # strftime("%B") would follow the machine's locale
Lasting = Literal["lasts", "used_up", "unsure"]
# Fields that only goods have which are used up, and those that only devices have.
_OF_GOODS_USED_UP, _OF_DEVICES = ("Item Form", "Scent", "Flavor"), ("Power Source", "Wattage", "Voltage", "Batteries")
# Of what is sold by the dozen nobody knows whether it lasts.
_MANY = 6
_OUTDOORS = frozenset("backyard boots coats garden jackets lawn outdoor outdoors patio rain".split())  # noqa: SIM905
# Nobody compares or replaces a code, and what was bought to be given away is not the shopper's.
_NO_GOODS = frozenset("app apps download ebook ebooks gift subscription software".split())  # noqa: SIM905
# After a year a child has outgrown it, and what names a year in its title is over.
_OUTGROWN = frozenset("babies baby boys girls infant infants kids newborn toddler toddlers".split())  # noqa: SIM905
_DATED = re.compile(r"\b20\d\d\b")


@dataclass(frozen=True, slots=True)
class Purchase:
    """A product that has been delivered to the user, once or several times."""

    listing: Listing
    days: tuple[date, ...]
    """Of its orders, newest first."""
    order_ids: tuple[str, ...]
    kind: Kind | None
    quote: str

    @property
    def product_id(self) -> str:
        return self.listing.product.product_id

    @property
    def lasting(self) -> Lasting:
        """Whether such a thing lasts, as far as department and record tell."""
        product, departments = self.listing.product, PHRASES["departments"]
        if product.category in departments["used_up"] or any(product.details.get(name) for name in _OF_GOODS_USED_UP):
            return "used_up"
        is_device = any(product.details.get(name) for name in _OF_DEVICES)
        may_last = product.category in departments["lasts"] and pieces_in(product.title) < _MANY
        return "lasts" if is_device or may_last else "unsure"

    @property
    def is_outdoors(self) -> bool:
        """True for what stands in the weather, by its category below the department."""
        return bool(_OUTDOORS & set(folded(" ".join(self.listing.product.categories[1:])).split()))

    @property
    def month(self) -> str:
        """ "March 2021"."""
        return f"{MONTHS[self.days[0].month - 1]} {self.days[0].year}"


def purchases_of(shopper: Shopper, today: date) -> Iterator[Purchase]:
    """The purchases that can be quoted, newest first. Nobody owns what was returned or is still on its way."""
    by_product: dict[str, list[tuple[date, str]]] = {}
    for order in shopper.orders:
        if order.order_status == "Delivered" and order.product_id in shopper.products:
            days = by_product.setdefault(order.product_id, [])
            days.append((date.fromisoformat(order.order_date[:10]), order.order_id))
    for product_id, orders in by_product.items():
        product, quote = shopper.products[product_id].product, quoted_title(shopper.products[product_id].product)
        words = set(folded(f"{product.title} {' '.join(product.categories)}").split())
        is_over = (today - orders[0][0]).days > A_YEAR and (words & _OUTGROWN or _DATED.search(product.title))
        if quote is not None and may_be_shown(product) and not words & _NO_GOODS and not is_over:
            days, ids = zip(*orders, strict=True)
            yield Purchase(shopper.products[product_id], days, ids, kind_of(product), quote)
