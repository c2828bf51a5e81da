"""Who asks: where they live, what they ordered, and what they usually spend."""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from drretail.grounding.states import STATES
from drretail.llm.offline.shopper.situation import ORDERS, PROFILE, STATISTICS, Situation
from drretail.records.shop import VOID_STATUSES

_OF_PLACE = re.compile(r"\bof [^,\n]+, (?P<state>[A-Z]{2})\b")


@dataclass(frozen=True, slots=True)
class PastOrder:
    evidence: str
    order_id: str
    product_id: str
    title: str
    date: str
    quantity: int
    status: str

    @property
    def void(self) -> bool:
        return self.status in VOID_STATUSES


@dataclass(frozen=True, slots=True)
class Customer:
    """All fields are empty for a shopper who is not known."""

    city: str | None = None
    state: str | None = None
    """The state's full name."""
    profile_evidence: str | None = None
    orders: tuple[PastOrder, ...] = ()
    """Newest first."""
    orders_total: int = 0
    statistics_evidence: str | None = None
    mean_order: Decimal | None = None
    favourite_brands: tuple[str, ...] = ()
    favourite_categories: tuple[str, ...] = ()

    def order_of(self, product_id: str) -> PastOrder | None:
        """The newest order of this very product that was kept."""
        return next((order for order in self.orders if order.product_id == product_id and not order.void), None)

    def returned(self, product_id: str) -> PastOrder | None:
        """The newest order of this product, when it was sent back."""
        newest = next((order for order in self.orders if order.product_id == product_id), None)
        return newest if newest is not None and newest.status == "Returned" else None


def read_customer(situation: Situation) -> Customer:
    profile = _last(situation, PROFILE)
    statistics = _last(situation, STATISTICS)
    address = profile.get("address") or {}
    state = address.get("state")
    orders = [order for lookup in situation.found(ORDERS) for order in lookup.value.get("orders", [])]
    mean = statistics.get("mean_order")
    return Customer(
        city=address.get("city"),
        state=STATES.get(str(state), state) or _state_told(situation.profile),
        profile_evidence=profile.get("evidence"),
        orders=tuple(_order(order) for order in orders),
        orders_total=max((lookup.value.get("total", 0) for lookup in situation.found(ORDERS)), default=0),
        statistics_evidence=statistics.get("evidence"),
        mean_order=None if mean is None else Decimal(str(mean)),
        favourite_brands=_names(statistics.get("top_brands")),
        favourite_categories=_names(statistics.get("top_categories")),
    )


def _state_told(profile: str) -> str | None:
    """The state in "Ann Lee of Salem, OR, US."."""
    found = _OF_PLACE.search(profile)
    return STATES.get(found["state"]) if found else None


def _last(situation: Situation, tool: str) -> dict[str, Any]:
    found = situation.found(tool)
    return found[-1].value if found else {}


def _order(value: dict[str, Any]) -> PastOrder:
    return PastOrder(
        evidence=str(value.get("evidence", "")),
        order_id=str(value.get("order_id", "")),
        product_id=str(value.get("product_id", "")),
        title=value.get("product_title") or "",
        date=str(value.get("order_date", ""))[:10],
        quantity=int(value.get("quantity") or 1),
        status=str(value.get("order_status", "")),
    )


def _names(counts: Any) -> tuple[str, ...]:
    """Names that occur in at least two orders: one purchase is no habit."""
    return tuple(str(item["name"]) for item in counts or [] if item.get("orders", 0) >= 2)
