"""Writes the text of a question and its wish together, so that both say the same."""

import re
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
from drretail.querygen.checks.case import Shopper
from drretail.querygen.rules.assortment import PHRASES, Assortment, comparable
from drretail.querygen.rules.limits import Choice, choices
from drretail.querygen.rules.needs import Need
from drretail.records.query import Query
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish

SOURCE = "offline:generator"
_TOOLS = ("get_user_orders", "get_product_details", "product_catalog_search", "web_search")
# How often an axis is chosen where the shop's records bear it.
_WEIGHTS = {"fit": 4, "property": 8, "pack": 2, "trust": 0.4}
_OF_FIELDS = ("fit", "property", "pack")
# How often there is a budget, and a second thing; how many axes there are at most.
_BUDGET, _TWO_THINGS, _AXES = 0.8, 0.35, 2
_SEVERAL, _PIECES = 0.5, (2, 3, 4)
"""How often and how many are wanted of what is used up."""
_LEAST = 2
"""With fewer offers that would do, there is nothing to choose from."""
# A budget rests on a price at one of these quantiles, and exceeds it by this factor.
_LEVELS, _ROOM = (0.4, 0.5, 0.6, 0.75), Decimal("1.1")
# A budget below the first number is a multiple of the second.
_STEPS = ((30, 5), (100, 10), (300, 25), (1000, 50), (10**12, 100))
# Nobody limits smaller sums, or wants to spend more than so many times what was paid before.
_LEAST_BUDGET, _MOST_ABOVE = 10, Decimal("2.5")
COUNTS = {number: word for word, number in NUMBERS.items()}
"""Numbers in words."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a question is to ask for, chosen before it is written."""

    needs: tuple[Need, ...]
    """One, or two of the same kind."""
    want: Want
    """What is wanted for the first."""
    chosen: tuple[Choice, ...]
    """Its demands."""

    @property
    def wants(self) -> tuple[Want, ...]:
        return (self.want, *map(_want, self.needs[1:]))


@dataclass(slots=True)
class Author:
    """Writes the questions of one user."""

    world: World
    assortment: Assortment
    shopper: Shopper
    rng: Random
    needs: Sequence[Need]

    def query(self, need: Need, number: int) -> Query | None:
        """The question for this need, the user's ``number``-th; None if it would set no limit."""
        purchase, user_id = need.purchase, self.shopper.profile.user_id
        plan = self._plan(need)
        budget = self._budget(plan)
        if budget is None and not plan.chosen:
            return None
        orders = dict.fromkeys(choice.order for choice in plan.chosen if choice.order is not None)
        owned = tuple(each.product_id for each in plan.needs)
        return Query(
            query_id=f"{short_hash(user_id)}-{number}",
            user_id=user_id,
            text=_text(plan, budget),
            mode="profile_aware",
            kind=need.kind,
            rationale=f'The record shows "{purchase.quote}" (order {purchase.order.order_id}). '
            "What no listing says about such things takes research.",
            expected_tools=_TOOLS if len(plan.needs) == 1 else (*_TOOLS, "calculator"),
            wish=Wish(wants=plan.wants, budget=budget, owned=owned, orders=tuple(orders)),
            world_fingerprint=self.world.manifest.fingerprint,
            source=SOURCE,
        )

    def bears_demand(self, need: Need) -> bool:
        """True if records bear a demand on fields or options."""
        return any(True for axis in _OF_FIELDS for _ in self._choices(need, axis))

    def _choices(self, need: Need, axis: str) -> Iterable[Choice]:
        """The demands of an axis that the offers of a kind bear."""
        if need.kind == "gift" and axis == "fit":
            return ()
        bought, offers = need.purchase, self.assortment.of(need.purchase.kind.category)
        return choices(offers, axis, bought.listing, bought.order.order_id, is_other=need.is_other)

    def _plan(self, need: Need) -> _Plan:
        """Random axes of those that the records bear, at most one demand of each, on different fields."""
        offers, chosen = self.assortment.of(need.purchase.kind.category).offers, list[Choice]()
        want = _want(need)
        # A draw by weight without replacement (Efraimidis and Spirakis).
        for axis in sorted(_WEIGHTS, key=lambda axis: -(self.rng.random() ** (1 / _WEIGHTS[axis]))):
            options = [*self._choices(need, axis)] if len(chosen) < _AXES else []
            self.rng.shuffle(options)
            for choice in options:
                with_it, is_new = (
                    choice.added_to(want),
                    all(choice.names.isdisjoint(other.names) for other in chosen),
                )
                if is_new and len(offers.keeping(with_it)) >= _LEAST:
                    chosen, want = [*chosen, choice], with_it
                    break
        if need.kind == "restock" and "used up" in need.purchase.facts and self.rng.random() < _SEVERAL:
            want = want.model_copy(update={"quantity": self.rng.choice(_PIECES)})
        others = [other for other in self.needs if self._may_go_with(need, other)]
        chosen.sort(key=lambda choice: [*_WEIGHTS].index(choice.axis))
        also = [self.rng.choice(others)] if others and self.rng.random() < _TWO_THINGS else []
        return _Plan((need, *also), want, tuple(chosen))

    def _may_go_with(self, need: Need, other: Need) -> bool:
        """True for two needs of one kind, for things of which none is both."""
        first, second = (self.assortment.of(each.purchase.kind.category).ids for each in (need, other))
        return need.kind == other.kind and "also" in need.row and first.isdisjoint(second)

    def _budget(self, plan: _Plan) -> Money | None:
        """A round amount that buys a fitting product for each want; None if none is near what the shopper has paid."""
        if self.rng.random() >= _BUDGET and len(plan.needs) == 1:
            return None
        level, cost, currencies = self.rng.choice(_LEVELS), Decimal(0), set[str]()
        for want, need in zip(plan.wants, plan.needs, strict=True):
            priced = comparable(self.assortment.of(want.name).offers.keeping(want))
            if not priced:
                return None
            at_level = priced[ceil(level * (len(priced) - 1))]
            price, paid = at_level.price or Decimal(0), need.purchase.listing.price
            # A watch of $50 is no measure for one of $600, and no price is a measure for none.
            if not paid or not paid / 2 <= price <= paid * _MOST_ABOVE:
                return None
            cost += price * want.quantity
            currencies.add(at_level.product.currency)
        amount = rounded(cost * _ROOM)
        is_known = len(currencies) == 1 and currencies <= SYMBOLS.keys() and amount >= _LEAST_BUDGET
        return Money.of(amount, currencies.pop()) if is_known else None


def _text(plan: _Plan, budget: Money | None) -> str:
    frame, need = PHRASES["frame"], plan.needs[0]
    is_single = len(plan.needs) == plan.want.quantity == 1
    sentences = [
        need.row["open"],
        frame["should"] if plan.chosen else "",
        frame["number"] if plan.want.quantity > 1 else "",
        *(need.row["also"].format(**also.slots) for also in plan.needs[1:]),
        "" if budget is None else frame["budget" if is_single else "total"],
    ]
    # "have a floral pattern and at least 4.5 stars", not "have a floral pattern, have at least 4.5 stars"
    verbs = [choice.clause.partition(" ") for choice in plan.chosen]
    grouped = [(verb, [rest for *_, rest in same]) for verb, same in groupby(verbs, lambda clause: clause[0])]
    slots = {
        **need.slots,
        "amount": "" if budget is None else f"{SYMBOLS[budget.currency]}{budget.value:,}",
        "count": COUNTS.get(plan.want.quantity, ""),
        "clauses": listed([f"{verb} {listed(rests)}" for verb, rests in grouped]) if plan.chosen else "",
    }
    # Sentences begin with a capital, except for a quoted title.
    filled = (sentence.format(**slots) for sentence in sentences if sentence)
    return " ".join(re.sub(r"^\w", lambda match: match[0].upper(), sentence) for sentence in filled)


def _want(need: Need) -> Want:
    name = need.purchase.kind.category
    return Want(name=name, kinds=(name,), again=not need.is_other)


def rounded(total: Decimal) -> int:
    """The next amount that people would name as a budget."""
    step = next(step for limit, step in _STEPS if total < limit)
    return ceil(total / step) * step
