"""Writes the text of a question and its wish together, so that both say the same."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby
from math import ceil
from random import Random

from drretail.env.world import World
from drretail.grounding.report.evidence_ids import short_hash
from drretail.grounding.text.wording import SYMBOLS, listed
from drretail.grounding.text.words import NUMBERS
from drretail.querygen.rules.assortment import PHRASES, Assortment, comparable
from drretail.querygen.rules.limits import Choice, choices
from drretail.querygen.rules.needs import Need, is_used_up
from drretail.records.query import Query
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish

SOURCE = "offline:generator"
_TOOLS = ("get_user_orders", "get_product_details", "product_catalog_search")
# How often an axis is chosen where the shop's records bear it.
_WEIGHTS = {"fit": 8, "property": 4, "trust": 0.2}
# How often there is a budget, and a second thing; how many axes there are at most.
_BUDGET, _TWO_THINGS, _AXES = 0.7, 0.45, 2
_SEVERAL, _PIECES = 0.5, (2, 3, 4)
"""How often and how many are wanted of what is used up."""
_LEAST = 2
"""With fewer offers that would do, there is nothing to choose from."""
# A budget rests on a price at one of these quantiles, and exceeds it by this factor.
_LEVELS, _ROOM = (0.4, 0.5, 0.6, 0.75), Decimal("1.1")
_STEP, _LEAST_BUDGET = 5, 10
"""Budgets are multiples of the first number, and nobody limits sums below the second."""
COUNTS = {number: word for word, number in NUMBERS.items()}
"""Numbers in words."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a question is to ask for, chosen before it is written."""

    needs: tuple[Need, ...]
    """One, or two of the same kind."""
    wants: tuple[Want, ...]
    """One for each need."""
    chosen: tuple[Choice, ...]
    """The demands on the first."""


@dataclass(slots=True)
class Author:
    """Writes the questions of one user."""

    world: World
    assortment: Assortment
    user_id: str
    rng: Random
    needs: Sequence[Need]

    def query(self, need: Need, number: int) -> Query | None:
        """The question for this need, the user's ``number``-th; None if it would set no limit."""
        plan = self._plan(need)
        budget = self._budget(plan)
        if budget is None and not plan.chosen:
            return None
        owned = tuple(need.listing.product.product_id for need in plan.needs)
        return Query(
            query_id=f"{short_hash(self.user_id)}-{number}",
            user_id=self.user_id,
            text=_text(plan, budget),
            mode="profile_aware",
            kind=need.kind,
            rationale=f'The record shows "{need.listing.product.title}" (order {need.order.order_id}).',
            expected_tools=_TOOLS if len(plan.needs) == 1 else (*_TOOLS, "calculator"),
            wish=Wish(wants=plan.wants, budget=budget, owned=owned),
            world_fingerprint=self.world.manifest.fingerprint,
            source=SOURCE,
        )

    def bears_demand(self, need: Need) -> bool:
        """True if records bear a demand on fields or options."""
        return any(True for axis in ("fit", "property") for _ in self._choices(need, axis))

    def _choices(self, need: Need, axis: str) -> Iterable[Choice]:
        """The demands of an axis that the offers of a kind bear."""
        return choices(self.assortment.of(need.category, need.thing), axis, need.listing.product, need.order)

    def _plan(self, need: Need) -> _Plan:
        """Random axes of those that the records bear, at most one demand of each, on different fields."""
        offers, chosen, want = self.assortment.of(need.category, need.thing).offers, list[Choice](), _want(need)
        # A draw by weight without replacement (Efraimidis and Spirakis).
        for axis in sorted(_WEIGHTS, key=lambda axis: -(self.rng.random() ** (1 / _WEIGHTS[axis]))):
            options = [*self._choices(need, axis)] if len(chosen) < _AXES else []
            self.rng.shuffle(options)
            for choice in options:
                with_it = choice.added_to(want)
                is_new = all(choice.names.isdisjoint(other.names) for other in chosen)
                if is_new and len(offers.keeping(with_it)) >= _LEAST:
                    chosen, want = [*chosen, choice], with_it
                    break
        if need.kind == "restock" and is_used_up(need.listing.product) and self.rng.random() < _SEVERAL:
            want = want.model_copy(update={"quantity": self.rng.choice(_PIECES), "several": False})
        others = [other for other in self.needs if self._may_go_with(need, other)]
        also = [self.rng.choice(others)] if others and self.rng.random() < _TWO_THINGS else []
        chosen.sort(key=lambda choice: [*_WEIGHTS].index(choice.axis))
        return _Plan((need, *also), (want, *map(_want, also)), tuple(chosen))

    def _may_go_with(self, need: Need, other: Need) -> bool:
        """True for two needs of one kind, for things of which none is both."""
        first, second = (self.assortment.of(each.category, each.thing).ids for each in (need, other))
        return need.kind == other.kind and first.isdisjoint(second)

    def _budget(self, plan: _Plan) -> Money | None:
        """A round amount that buys a fitting product for each want; None if the prices of these are unknown."""
        if self.rng.random() >= _BUDGET and len(plan.needs) == 1:
            return None
        level, cost, currencies = self.rng.choice(_LEVELS), Decimal(0), set[str]()
        for want in plan.wants:
            priced = comparable(self.assortment.of(want.kinds[0], want.name).offers.keeping(want))
            if not priced:
                return None
            at_level = priced[ceil(level * (len(priced) - 1))]
            cost += (at_level.price or 0) * want.quantity
            currencies.add(at_level.product.currency)
        amount = round_budget(cost * _ROOM)
        is_known = len(currencies) == 1 and currencies <= SYMBOLS.keys() and amount >= _LEAST_BUDGET
        return Money.of(amount, currencies.pop()) if is_known else None


def _text(plan: _Plan, budget: Money | None) -> str:
    frame, need, quantity = PHRASES["frame"], plan.needs[0], plan.wants[0].quantity
    is_single = len(plan.needs) == quantity == 1
    amount = budget and f"{SYMBOLS[budget.currency]}{budget.value:,}"
    # "have a floral pattern and at least 4.5 stars", not "have a floral pattern, have at least 4.5 stars"
    verbs = groupby((choice.clause.partition(" ") for choice in plan.chosen), lambda clause: clause[0])
    clauses = [f"{verb} {listed([rest for *_, rest in same])}" for verb, same in verbs]
    sentences = [
        need.sentence("open"),
        frame["should"].format(clauses=listed(clauses)) if clauses else "",
        frame["number"].format(count=COUNTS[quantity]) if quantity > 1 else "",
        *(also.sentence("also") for also in plan.needs[1:]),
        frame["budget" if is_single else "total"].format(amount=amount) if amount else "",
    ]
    return " ".join(filter(None, sentences))


def _want(need: Need) -> Want:
    return Want(name=need.thing, kinds=(need.category,), several=need.kind == "restock")


def round_budget(total: Decimal) -> int:
    """The next amount that people would name as a budget."""
    return ceil(total / _STEP) * _STEP
