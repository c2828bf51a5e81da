"""Writes the text of a question and its wish together, so that both say the same."""

import calendar
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import groupby
from math import ceil
from random import Random
from typing import Any

from drretail.env.world import World
from drretail.grounding.kinds import GENDERS, Kind, stems
from drretail.grounding.report.evidence_ids import short_hash
from drretail.grounding.text.wording import SYMBOLS, listed
from drretail.grounding.text.words import NUMBERS
from drretail.querygen.checks.case import Shopper
from drretail.querygen.rules.assortment import PHRASES, Assortment, comparable
from drretail.querygen.rules.limits import LIMITS, Choice, choices
from drretail.querygen.rules.needs import Need, Purchase
from drretail.records.query import Query
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish

SOURCE = "offline:generator"
_TOOLS = ("get_user_orders", "get_product_details", "product_catalog_search", "web_search")
# How often an axis is chosen where the shop's records bear it; how often there is a budget; how many axes there are.
_WEIGHTS = {"property": 8, "fit": 4, "pack": 2, "joint budget": 1.5, "trust": 0.4, "taste": 0.4}
_OF_FIELDS = ("fit", "property", "pack")
_BUDGET, _MOST_AXES = 0.8, (1, 2, 2, 3)
_PIECES = (2, 3, 4)
"""How many are wanted of what is used up."""
_LEAST = 2
"""With fewer offers that would do, there is nothing to choose from."""
# A budget rests on a price at one of these quantiles, and exceeds it by this factor.
_LEVELS, _ROOM = (0.4, 0.5, 0.6, 0.75), Decimal("1.1")
# A budget below the first number is a multiple of the second.
_STEPS = ((30, 5), (100, 10), (300, 25), (1000, 50), (10**12, 100))
# Nobody limits smaller sums, or wants to spend more than so many times what was paid before.
_LEAST_BUDGET, _MOST_ABOVE = 10, Decimal("2.5")
_NOT_ASKED: Mapping[str, tuple[str, ...]] = {"gift": ("fit", "taste"), "companion": ("fit", "taste")}
"""By need, what nobody asks for."""
_COUNTS = {number: word for word, number in NUMBERS.items()}
_RECIPIENTS = {"Women": "my sister", "Men": "my brother", "Girls": "my niece", "Boys": "my nephew"}


@dataclass(frozen=True, slots=True)
class Plan:
    """What a question is to ask for, chosen before it is written."""

    kind: Kind
    want: Want
    clauses: tuple[str, ...] = ()
    """How its demands are said."""
    orders: tuple[str, ...] = ()
    """The orders on which they rest."""
    beside: Kind | None = None
    """A second kind, of which one is wanted, too."""

    @property
    def wants(self) -> tuple[Want, ...]:
        return (self.want,) if self.beside is None else (self.want, _want(self.beside))


@dataclass(slots=True)
class Author:
    """Writes the questions of one user; no sentence is used twice while there are others."""

    world: World
    assortment: Assortment
    shopper: Shopper
    rng: Random
    used: set[str] = field(default_factory=set[str])

    def query(self, need: Need, number: int) -> Query | None:
        """The question for this need, the user's ``number``-th; None if the shop has nothing that goes with it."""
        kind, purchase, user_id = self._wanted(need), need.purchase, self.shopper.profile.user_id
        if kind is None:
            return None
        plan = self._plan(need, kind)
        budget, several = self._budget(need, plan), len(plan.wants) > 1
        if budget is None and not plan.clauses:
            return None
        return Query(
            query_id=f"{short_hash(user_id)}-{number}",
            user_id=user_id,
            text=self._text(need, plan, budget),
            mode="profile_aware",
            kind=need.kind,
            rationale=f'The record shows "{purchase.quote}" (order {purchase.order.order_id}). '
            "What no listing says about such things takes research.",
            expected_tools=(*_TOOLS, "calculator") if several else _TOOLS,
            wish=Wish(wants=plan.wants, budget=budget, owned=(need.product_id,), orders=plan.orders),
            world_fingerprint=self.world.manifest.fingerprint,
            source=SOURCE,
        )

    def bears_demand(self, need: Need) -> bool:
        """True if records bear a demand on fields or options."""
        return any(True for axis in _OF_FIELDS for _ in self._choices(need, need.purchase.kind, axis))

    def _wanted(self, need: Need) -> Kind | None:
        """The kind that is wanted: that of the purchase, or one that goes with it; None without any."""
        if need.kind != "companion":
            return need.purchase.kind
        besides = self._beside(need.purchase, up=1)
        return self.rng.choice(besides) if besides else None

    def _choices(self, need: Need, kind: Kind, axis: str) -> Iterable[Choice]:
        """The demands of an axis that the offers of a kind bear."""
        if axis in _NOT_ASKED.get(need.kind, ()):
            return ()
        bought, offers = need.purchase, self.assortment.of(kind.category)
        return choices(offers, axis, bought.listing, bought.order.order_id, is_other=need.is_other)

    def _plan(self, need: Need, kind: Kind) -> Plan:
        """Random axes of those that the records bear, at most one demand of each, on different fields."""
        offers, chosen, besides = self.assortment.of(kind.category).offers, list[Choice](), list[Kind]()
        want, left = _want(kind, again=not need.is_other), self.rng.choice(_MOST_AXES)
        is_used_up = need.kind == "restock" and "used up" in need.purchase.facts
        # A draw by weight without replacement (Efraimidis and Spirakis).
        for axis in sorted(_WEIGHTS, key=lambda axis: -(self.rng.random() ** (1 / _WEIGHTS[axis]))):
            before = want, besides
            options = [*self._choices(need, kind, axis)] if left else []
            self.rng.shuffle(options)
            for choice in options:
                with_it, is_new = choice.added_to(want), all(choice.names.isdisjoint(each.names) for each in chosen)
                if is_new and len(offers.keeping(with_it)) >= _LEAST:
                    chosen, want = [*chosen, choice], with_it
                    break
            if left and axis == "pack" and is_used_up and want is before[0]:
                want = want.model_copy(update={"quantity": self.rng.choice(_PIECES)})
            # Looked for only when it may be asked: that reads all products of the part of the shop.
            if left and axis == "joint budget" and need.kind in ("restock", "replacement"):
                besides = self._beside(need.purchase, up=2)
            left -= (want, besides) != before
        chosen.sort(key=lambda choice: [*_WEIGHTS].index(choice.axis))
        return Plan(
            kind=kind,
            want=want,
            clauses=tuple(choice.clause for choice in chosen),
            orders=tuple({choice.order: None for choice in chosen if choice.order is not None}),
            beside=self.rng.choice(besides) if besides else None,
        )

    def _beside(self, first: Purchase, *, up: int) -> list[Kind]:
        """The other kinds of the part of the shop that lies so many categories up: 1 its siblings, 2 its cousins, too.

        What a thing goes with is among its siblings; who buys two things on one day takes them from farther apart.
        """
        path, words = first.listing.product.categories, stems(first.kind.name)
        # Neither "bowl sets" beside bowls, nor "keyboard and mouse combos" beside keyboards.
        return [
            kind
            for part in (path[: len(path) - above] for above in range(1, up + 1))
            if len({*part} - {*GENDERS}) > 1
            for kind in self.assortment.kinds_in(part, len(path))
            if kind.gender == first.kind.gender
            and not {words[-1], stems(kind.name)[-1]} & {*words} & {*stems(kind.name)}
            and self.assortment.are_apart(first.kind.category, kind.category)
        ]

    def _text(self, need: Need, plan: Plan, budget: Money | None) -> str:
        purchase, frame, kind = need.purchase, PHRASES["frame"], plan.kind
        year, month, _ = purchase.order.order_date[:10].split("-")
        clauses, is_single = list(plan.clauses), plan.beside is None and plan.want.quantity == 1
        slots = {
            "kinds": kind.category,
            "owned": f'"{purchase.quote}"',
            "month": f"{calendar.month_name[int(month)]} {year}",
            "amount": "" if budget is None else f"{SYMBOLS[budget.currency]}{budget.value:,}",
            "who": _RECIPIENTS.get(kind.gender, "a friend"),
            "also": "" if plan.beside is None else plan.beside.category,
            "count": _COUNTS.get(plan.want.quantity, ""),
            # What is to be as last time is no question.
            "ask": "" if plan.orders else self.assortment.asked_of(kind.category),
        }
        if budget is not None and is_single:
            clauses.append(self._choice(LIMITS["clause"]["budget"]).format(**slots))
        # "have a floral pattern and at least 4.5 stars", not "have a floral pattern, have at least 4.5 stars"
        verbs = [clause.partition(" ") for clause in clauses]
        grouped = [(verb, [rest for *_, rest in same]) for verb, same in groupby(verbs, lambda clause: clause[0])]
        slots["clauses"] = listed([f"{verb} {listed(rests)}" for verb, rests in grouped]) if clauses else ""
        sentences = [
            self._choice(need.row["open"]),
            self._choice(need.row["want"]),
            self._choice(frame["should"]) if clauses else "",
            self._choice(frame["number"]) if plan.want.quantity > 1 else "",
            "" if plan.beside is None else self._choice(frame["also"]),
            self._choice(frame["total"]) if budget is not None and not is_single else "",
            self._choice(frame["web"]) if slots["ask"] else "",
        ]
        # Sentences begin with a capital, except for a quoted title.
        filled = (sentence.format(**slots) for sentence in sentences if sentence)
        text = " ".join(re.sub(r"^\w", lambda match: match[0].upper(), sentence) for sentence in filled)
        # Said in full once: "men's athletic socks", then "socks".
        before, full, after = text.partition(kind.category)
        return before + full + after.replace(kind.category, kind.short)

    def _budget(self, need: Need, plan: Plan) -> Money | None:
        """A round amount that buys a fitting product for each want; None if none is near what the shopper has paid."""
        if self.rng.random() >= _BUDGET and plan.beside is None:
            return None
        level, cost, currencies, pieces = self.rng.choice(_LEVELS), list[Decimal](), set[str](), plan.want.quantity
        for want in plan.wants:
            priced = comparable(self.assortment.of(want.name).offers.keeping(want))
            if not priced:
                return None
            at_level = priced[ceil(level * (len(priced) - 1))]
            cost.append((at_level.price or Decimal(0)) * want.quantity)
            currencies.add(at_level.product.currency)
        amount, paid = _rounded(sum(cost, Decimal(0)) * _ROOM), need.purchase.listing.price
        is_known = len(currencies) == 1 and currencies <= SYMBOLS.keys() and amount >= _LEAST_BUDGET
        # For another kind, what was paid says little.
        is_near = paid is None or plan.kind != need.purchase.kind or paid / 2 <= cost[0] / pieces <= paid * _MOST_ABOVE
        return Money.of(amount, currencies.pop()) if is_known and is_near else None

    def _choice(self, sentences: Sequence[str]) -> str:
        chosen = self.rng.choice([text for text in sentences if text not in self.used] or sentences)
        self.used.add(chosen)
        return chosen


def _want(kind: Kind, **limits: Any) -> Want:
    return Want(name=kind.category, kinds=(kind.category,), **limits)


def _rounded(total: Decimal) -> int:
    step = next(step for limit, step in _STEPS if total < limit)
    return ceil(total / step) * step
