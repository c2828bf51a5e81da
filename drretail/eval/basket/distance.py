"""What the picks of a report come to beside the cheapest and the best basket that keep to the query."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from drretail.grounding.text.wording import format_money
from drretail.records.money import USD
from drretail.records.query import NOT_TYPED, Constraints, Fit, Lack, Reference, WantedThing


@dataclass(frozen=True, slots=True)
class Chosen:
    """A wanted thing, and the recommended product that would do for it."""

    thing: WantedThing
    fit: Fit

    @property
    def price(self) -> Decimal | None:
        """Of one piece."""
        return None if self.fit.price is None else Decimal(self.fit.price)

    @property
    def cost(self) -> Decimal | None:
        """Of all pieces that are wanted."""
        return None if self.price is None else self.price * self.thing.quantity


def chosen_for(things: Sequence[WantedThing], recommended: Sequence[str]) -> list[Chosen]:
    """For as many things as can be, the product that is recommended first and would do, none for two of them.

    In the order of the things. A thing gives way to an earlier product for another one only where both can be had.
    """
    places = {product_id: place for place, product_id in reversed(list(enumerate(recommended)))}
    wanted = [
        sorted((places[fit.product_id], fit.product_id) for fit in it.fits if fit.product_id in places) for it in things
    ]
    taken: dict[str, int] = {}
    """By product, the number of the thing that it stands for."""

    def place(number: int, tried: set[str]) -> bool:
        for _, product_id in wanted[number]:
            if product_id not in tried:
                tried.add(product_id)
                if product_id not in taken or place(taken[product_id], tried):
                    taken[product_id] = number
                    return True
        return False

    for number in range(len(things)):
        place(number, set())
    by_thing = {number: product_id for product_id, number in taken.items()}
    return [_chosen(things[number], by_thing[number]) for number in sorted(by_thing)]


def _chosen(thing: WantedThing, product_id: str) -> Chosen:
    return Chosen(thing, next(fit for fit in thing.fits if fit.product_id == product_id))


LACKS: Mapping[Lack, str] = {
    "not_typed": NOT_TYPED,
    "no_things": "no thing that is asked for could be read from the query",
    "nothing_offered": "the shop does not offer everything that is asked for",
    "no_price": "the shop names no price of what would do, or none in the currency of the budget",
    "too_dear": "what keeps to the query costs more than its budget",
    "no_such_brand": "nothing of the wanted brand keeps to the query",
    "demands": "nothing in the shop is said to be what the query demands",
    "owned": "the user has all that keeps to the query",
    "no_basket": "no basket in the shop keeps to the query",
}
NO_BUDGET = "the query has no budget"
NOTHING_CHOSEN = "nothing that is asked for is recommended"
NOT_ALL_CHOSEN = "not everything that is asked for is recommended"
UNKNOWN_PRICE = "the price of a recommended product is unknown"


@dataclass(frozen=True, slots=True)
class Measured:
    """One measure of a report; ``value`` is None where there is nothing to measure, and ``reason`` says why."""

    value: float | None
    reason: str


@dataclass(frozen=True)
class Distance:
    """The picks of one report: for each wanted thing the product recommended first that would do for it."""

    reference: Reference
    constraints: Constraints
    chosen: tuple[Chosen, ...]

    @classmethod
    def of(cls, reference: Reference, constraints: Constraints, recommended: Sequence[str]) -> "Distance":
        """``recommended`` are product ids in the order of the report."""
        return cls(reference, constraints, tuple(chosen_for(reference.things, recommended)))

    def covered(self) -> Measured:
        """The share of the wanted things for which a product is recommended that would do."""
        if self.reference.best is None:
            return Measured(None, self._lack())
        return Measured(len(self.chosen) / len(self.reference.things), self._told())

    def within_budget(self) -> Measured:
        """1 where the picks keep to the budget, else 0."""
        if self.reference.best is None:
            return Measured(None, self._lack())
        if self.constraints.budget is None:
            return Measured(None, NO_BUDGET)
        if not self.chosen:
            return Measured(None, NOTHING_CHOSEN)
        if self._is_over():
            return Measured(0.0, self._told())
        return Measured(None, UNKNOWN_PRICE) if self._total() is None else Measured(1.0, self._told())

    def feasible(self) -> Measured:
        """1 where the picks are everything that is asked for, and keep to all that the query demands, else 0."""
        if self.reference.best is None:
            return Measured(None, self._lack())
        kept = self._is_whole() and self._total() is not None and not self._is_over() and self._has_brand()
        return Measured(float(kept), self._told())

    def cost_ratio(self) -> Measured:
        """What the picks cost over what the cheapest basket costs: 1 is the least, less where a wanted brand lacks."""
        if self.reference.cheapest is None:
            return Measured(None, self._lack())
        if not self._is_whole():
            return Measured(None, NOT_ALL_CHOSEN)
        total, least = self._total(), self.reference.cheapest.total.value
        if total is None or not least:
            return Measured(None, UNKNOWN_PRICE)
        return Measured(float(total / least), self._told())

    def utility_ratio(self) -> Measured:
        """What the picks are worth over what the best basket is worth, from 0 to 1.

        A thing without a pick is worth nothing, nor is a pick without a known price; what leaves a thing out to spend
        more on the others is worth no more than the best. Nothing is worth anything where the budget is broken, or
        everything is picked and nothing is of the wanted brand: that is no basket.
        """
        if self.reference.best is None:
            return Measured(None, self._lack())
        if self._is_over() or (self._is_whole() and not self._has_brand()):
            return Measured(0.0, self._told())
        worth = sum(it.fit.worth for it in self.chosen if it.price is not None)
        return Measured(min(1.0, worth / max(1, self.reference.best.worth)), self._told())

    def _lack(self) -> str:
        return LACKS["no_basket" if self.reference.lack is None else self.reference.lack]

    def _is_whole(self) -> bool:
        return bool(self.chosen) and len(self.chosen) == len(self.reference.things)

    def _total(self) -> Decimal | None:
        """None where a price is unknown."""
        costs = [it.cost for it in self.chosen]
        known = [cost for cost in costs if cost is not None]
        return sum(known, Decimal(0)) if len(known) == len(costs) else None

    def _is_over(self) -> bool:
        """True where the known prices alone break the budget."""
        budget = self.constraints.budget
        if budget is None:
            return False
        if self.constraints.budget_scope == "per_item":
            return any(it.price is not None and it.price > budget.value for it in self.chosen)
        return sum((it.cost for it in self.chosen if it.cost is not None), Decimal(0)) > budget.value

    def _has_brand(self) -> bool:
        return not self.constraints.brands_wanted or any(it.fit.wanted_brand for it in self.chosen)

    def _told(self) -> str:
        """ "bird feeder: B0…; nothing for nest box; $36.99 together"."""
        by_thing = {it.thing.name: it.fit.product_id for it in self.chosen}
        picks = [f"{it.name}: {by_thing[it.name]}" for it in self.reference.things if it.name in by_thing]
        lacks = [f"nothing for {it.name}" for it in self.reference.things if it.name not in by_thing]
        total = self._total()
        return "; ".join([*picks, *lacks, *([self._money(total)] if self.chosen and total is not None else [])])

    def _money(self, total: Decimal) -> str:
        cheapest = self.reference.cheapest
        return f"{format_money(total, USD if cheapest is None else cheapest.total.currency)} together"


MEASURES = {
    "covered": Distance.covered,
    "within_budget": Distance.within_budget,
    "feasible": Distance.feasible,
    "cost_ratio": Distance.cost_ratio,
    "utility_ratio": Distance.utility_ratio,
}
"""By variant, in the order of tables."""
