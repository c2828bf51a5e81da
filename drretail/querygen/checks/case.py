"""What every check of a query starts from, and how it says what it found."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Literal

from drretail.grounding.basket import Basket, Slot, cheapest_basket
from drretail.grounding.constraints import asks_again
from drretail.querygen.asked import Asked, Named, asked_of, things_in
from drretail.querygen.checks.shopper import Shopper
from drretail.querygen.checks.stock import Stock
from drretail.records.evidence import Finding
from drretail.records.query import Constraints, Query


@dataclass(frozen=True)
class Case:
    """One query in its world; ``shopper`` is None where the query names no user, or one that the world lacks."""

    query: Query
    shopper: Shopper | None
    stock: Stock
    now: datetime

    @cached_property
    def named(self) -> tuple[Named, ...]:
        """The things that the text names; phrases that no product of the shop goes by are none."""
        return tuple(
            it for it in things_in(self.query.text) if it.thing.kind is not None or self.stock.offers(it.thing)
        )

    @cached_property
    def asked(self) -> Asked:
        return asked_of(self.query.text, self.named)

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """What the query wants to buy with the shop's offers of it: its things, else its categories."""
        if any(slot.offers for slot in self.thing_slots):
            return self.thing_slots
        return tuple(Slot(name, self.stock.cheapest_in(name)) for name in self.query.constraints.categories)

    @cached_property
    def thing_slots(self) -> tuple[Slot, ...]:
        """The things that the query's words ask for, each with all that the shop has of it."""
        return tuple(
            Slot(
                " or ".join(thing.name for thing in group),
                tuple({it.product.product_id: it for thing in group for it in self.stock.offers(thing)}.values()),
                max(self._quantity(thing.name) for thing in group),
            )
            for group in self.asked.groups
        )

    @cached_property
    def constraints(self) -> Constraints:
        """Those of the query; what its user has bought is owned, too, unless the query wants it again."""
        stated = self.query.constraints
        if self.shopper is None or asks_again(self.query.text):
            return stated
        return stated.model_copy(update={"owned": tuple(sorted({*stated.owned, *self.shopper.bought}))})

    @cached_property
    def basket(self) -> Basket | None:
        """The cheapest basket that keeps to the query, of products that are wanted; None where there is none."""
        return cheapest_basket(self.slots, self.constraints)

    def _quantity(self, name: str) -> int:
        """How many of a thing are wanted: quantities name it in the singular, or by its last word."""
        for wanted, count in self.query.constraints.quantities.items():
            if wanted in (name, name.rsplit(" ", 1)[-1]) or name.removesuffix("s") in (
                wanted,
                wanted.removesuffix("s"),
            ):
                return count
        return 1


def found(
    code: str,
    said: str,
    evidence: str | None = None,
    *,
    severity: Literal["error", "warning"] = "error",
    span: tuple[int, int] | None = None,
    evidence_id: str | None = None,
) -> Finding:
    """A finding; ``span`` is the place in the query's text that ``said`` quotes."""
    start, end = span or (None, None)
    return Finding(
        code=code, severity=severity, start=start, end=end, said=said, found=evidence, evidence_id=evidence_id
    )
