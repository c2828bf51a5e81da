"""Writes the text of a question and its wish together, so that both say the same."""

import calendar
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from math import ceil
from random import Random
from typing import Any

from drretail.env.world import World
from drretail.grounding.kinds import GENDERS, Kind, stems
from drretail.grounding.listing import Listing
from drretail.grounding.report.evidence_ids import short_hash
from drretail.grounding.text.wording import SYMBOLS, listed
from drretail.grounding.text.words import NUMBERS
from drretail.querygen.checks.case import Shopper
from drretail.querygen.rules.assortment import PHRASES, Assortment, Ids, comparable
from drretail.querygen.rules.limits import LIMITS, OF_FIELDS, Choice, choices
from drretail.querygen.rules.needs import Need, Purchase
from drretail.records.query import Axis, Query
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish

SOURCE = "offline:generator"
# How often an axis is chosen where the shop's records bear it; how often there is a budget; how many axes there are.
_WEIGHTS: Mapping[Axis, float] = {
    "property": 8, "fit": 4, "pack": 2, "joint budget": 1.5, "trust": 0.4, "taste": 0.4,
}  # fmt: skip
_BUDGET, _MOST_AXES = 0.8, (1, 2, 2, 3)
_PIECES = (2, 3, 4)
"""How many are wanted of what is used up."""
_OF_OFFERS: tuple[Axis, ...] = ("property", "fit", "pack", "trust", "taste")
# A budget rests on a price at one of these quantiles, and exceeds it by this factor.
_LEVELS, _ROOM = (0.4, 0.5, 0.6, 0.75), Decimal("1.1")
# A budget below the first number is a multiple of the second.
_STEPS = ((30, 5), (100, 10), (300, 25), (1000, 50), (10**12, 100))
# Nobody limits smaller sums, or wants to spend more than so many times what was paid before.
_LEAST_BUDGET, _MOST_ABOVE = 10, Decimal("2.5")
_NOT_ASKED: Mapping[str, tuple[Axis, ...]] = {"gift": ("fit", "taste"), "companion": ("taste",)}
"""By need, what nobody asks for."""
_COUNTS = {number: word for word, number in NUMBERS.items()}
_RECIPIENTS = {"Women": "my sister", "Men": "my brother", "Girls": "my niece", "Boys": "my nephew"}


@dataclass(frozen=True, slots=True)
class Plan:
    """What a question is to ask for, chosen before it is written."""

    kind: Kind
    choices: tuple[Choice, ...] = ()
    beside: Kind | None = None
    """A second kind, of which one is wanted, too."""
    quantity: int = 1


@dataclass(slots=True)
class Author:
    """Writes the questions of one user; no sentence is used twice while there are others."""

    world: World
    assortment: Assortment
    shopper: Shopper
    purchases: Sequence[Purchase]
    rng: Random
    used: set[str] = field(default_factory=set[str])

    def query(self, need: Need, number: int) -> Query | None:
        """The question for this need, the user's ``number``-th; None if the shop has nothing that goes with it."""
        kind, purchase = self._wanted(need), need.purchase
        if kind is None:
            return None
        plan = self._plan(need, kind)
        limits: dict[str, Any] = {"quantity": plan.quantity}
        for choice in plan.choices:
            limits |= choice.want
        limits["must"] = tuple(demand for choice in plan.choices for demand in choice.want.get("must", ()))
        limits["options"] = {name: of for choice in plan.choices for name, of in choice.want.get("options", {}).items()}
        name = kind.category
        wants = [Want(name=name, kinds=(name,), again=not need.is_other, **limits)]
        wants += [] if plan.beside is None else [Want(name=plan.beside.category, kinds=(plan.beside.category,))]
        budget = self._budget(need, plan, wants)
        orders = dict.fromkeys(choice.order for choice in plan.choices if choice.order is not None)
        ordered = f'"{purchase.quote}" (order {purchase.order.order_id})'
        return Query(
            query_id=f"{short_hash(self.shopper.profile.user_id)}-{number}",
            user_id=self.shopper.profile.user_id,
            text=self._text(need, plan, budget),
            mode="profile_aware",
            kind=need.kind,
            rationale=f"The record shows {ordered}. What no listing says about such things takes research.",
            expected_tools=(
                *("get_user_orders", "get_product_details", "product_catalog_search", "web_search"),
                *(("calculator",) if len(wants) > 1 else ()),
            ),
            wish=Wish(wants=tuple(wants), budget=budget, owned=(need.product_id,), orders=tuple(orders)),
            world_fingerprint=self.world.manifest.fingerprint,
            source=SOURCE,
        )

    def bears_demand(self, need: Need) -> bool:
        """True if records bear a demand on fields."""
        return any(True for axis in OF_FIELDS for _ in self._choices(need, need.purchase.kind, axis))

    def _wanted(self, need: Need) -> Kind | None:
        """The kind that is wanted: that of the purchase, or one that goes with it; None without any."""
        if need.kind != "companion":
            return need.purchase.kind
        besides = self._beside(need.purchase)
        return self.rng.choice(besides) if besides else None

    def _choices(self, need: Need, kind: Kind, axis: Axis, kept: Ids | None = None) -> Iterable[Choice]:
        """The demands of an axis that the offers of a kind bear, or those of them that are ``kept``."""
        purchase, offers = need.purchase, self.assortment.of(kind.category)
        if axis in _NOT_ASKED.get(need.kind, ()):
            return ()
        left = offers if kept is None else offers.keeping(kept)
        return choices(left, axis, purchase.listing, purchase.order.order_id, is_other=need.is_other)

    def _plan(self, need: Need, kind: Kind) -> Plan:
        """Random axes of those that the records bear, at most one demand of a sort."""
        of_kind, chosen, axes, besides = self.assortment.of(kind.category), list[Choice](), set[Axis](), list[Kind]()
        wanted, kept = self.rng.choice(_MOST_AXES), of_kind.ids
        able: dict[Axis, bool] = {"pack": need.kind == "restock"}
        # A draw by weight without replacement (Efraimidis and Spirakis).
        for axis in sorted(_WEIGHTS, key=lambda axis: -(self.rng.random() ** (1 / _WEIGHTS[axis]))):
            if len(axes) == wanted:
                break
            named = set[str | None]().union(*map(_fields, chosen))
            # Each demand tells apart what the ones before it leave, by another field.
            borne = self._choices(need, kind, axis, kept) if axis in _OF_OFFERS else ()
            options = [each for each in borne if named.isdisjoint(_fields(each))]
            self.rng.shuffle(options)
            choice = next(iter(options), None)
            if choice is not None:
                chosen.append(choice)
                kept &= choice.kept_in(of_kind)
            # Looked for only when it may be asked: that reads all products of the part of the shop.
            if axis == "joint budget" and need.kind in ("restock", "replacement"):
                besides = self._beside(need.purchase)
                able[axis] = bool(besides)
            if choice or able.get(axis):
                axes.add(axis)
        return Plan(
            kind=kind,
            choices=tuple(sorted(chosen, key=lambda choice: _OF_OFFERS.index(choice.axis))),
            beside=self.rng.choice(besides) if besides else None,
            quantity=self.rng.choice(_PIECES) if "pack" in axes - {choice.axis for choice in chosen} else 1,
        )

    def _beside(self, first: Purchase) -> list[Kind]:
        """The kinds of the department that the shopper has ordered, too, and those that the shop has beside the first.

        Those are its siblings, or else its cousins.
        """
        path, words, others = first.listing.product.categories, stems(first.kind.name), list[Kind]()
        ordered = (each.kind for each in self.purchases if first.part[:1] == each.part[:1] != ())
        parts = [path[:depth] for depth in (len(path) - 1, len(path) - 2) if len({*path[:depth]} - {*GENDERS}) > 1]
        for kinds in (ordered, *(self.assortment.kinds_in(part, len(path)) for part in parts)):
            # Neither "bowl sets" beside bowls, nor "keyboard and mouse combos" beside keyboards.
            others = others or [
                kind
                for kind in dict.fromkeys(kinds)
                if kind.gender == first.kind.gender
                and not {words[-1], stems(kind.name)[-1]} & {*words} & {*stems(kind.name)}
                and self.assortment.are_apart(first.kind.category, kind.category)
            ]
        return others

    def _text(self, need: Need, plan: Plan, budget: Money | None) -> str:
        purchase, frame = need.purchase, PHRASES["frame"]
        kind, is_alone = plan.kind, plan.beside is None
        year, month, _ = purchase.order.order_date[:10].split("-")
        clauses, is_single = [choice.clause for choice in plan.choices], is_alone and plan.quantity == 1
        slots = {
            "kinds": kind.category,
            "owned": f'"{purchase.quote}"',
            "month": f"{calendar.month_name[int(month)]} {year}",
            "amount": "" if budget is None else f"{SYMBOLS[budget.currency]}{budget.amount}",
            "who": _RECIPIENTS.get(kind.gender, "a friend"),
            "also": "" if plan.beside is None else plan.beside.category,
            "count": _COUNTS.get(plan.quantity, ""),
            "ask": self.assortment.asked_of(kind.category),
        }
        if budget is not None and is_single:
            clauses.append(self._choice(LIMITS["clause"]["budget"]).format(**slots))
        slots["clauses"] = listed(clauses) if clauses else ""
        sentences = [
            self._choice(need.row["open"]),
            self._choice(need.row["want"]),
            self._choice(frame["should" if is_alone else "should_both"]) if clauses else "",
            self._choice(frame["number"]) if plan.quantity > 1 else "",
            "" if is_alone else self._choice(frame["also"]),
            self._choice(frame["total"]) if budget is not None and not is_single else "",
            self._choice(frame["web"]) if slots["ask"] else "",
        ]
        # Sentences begin with a capital, except for a quoted title.
        filled = (sentence.format(**slots) for sentence in sentences if sentence)
        text = " ".join(re.sub(r"^\w", lambda match: match[0].upper(), sentence) for sentence in filled)
        # Said in full once: "men's athletic socks", then "socks".
        before, full, after = text.partition(kind.category)
        return before + full + after.replace(kind.category, kind.short)

    def _budget(self, need: Need, plan: Plan, wants: Sequence[Want]) -> Money | None:
        """A round amount that buys a fitting product for each want; None if none is near what the shopper has paid.

        A joint one buys the best offers, new ones and all, and, if it can, not the first hits of a plain search.
        """
        if self.rng.random() >= _BUDGET and plan.beside is None:
            return None
        level, kinds = self.rng.choice(_LEVELS), [self.assortment.of(want.kinds[0]) for want in wants]
        fits = [frozenset(kind.of_kind.keeping(want).titles) for kind, want in zip(kinds, wants, strict=True)]
        priced = [
            comparable(offer for offer in kind.of_kind if offer.product.product_id in ids)
            for kind, ids in zip(kinds, fits, strict=True)
        ]
        currencies = {offers[0].product.currency for offers in priced if offers}
        if not all(priced) or len(currencies) != 1 or not currencies <= SYMBOLS.keys():
            return None
        at_level = [offers[ceil(level * (len(offers) - 1))] for offers in priced]
        amount, is_joint = _rounded(self._cost(at_level, wants) * _ROOM), len(wants) > 1 or plan.quantity > 1
        if is_joint:
            best = list[list[Listing]]()
            for had in (frozenset[str](), self.shopper.bought):
                chosen = [kind.best_of(ids - had) for kind, ids in zip(kinds, fits, strict=True)]
                best.append(
                    [each for each, offers in zip(chosen, priced, strict=True) if each is not None and each in offers]
                )
                if len(best[-1]) < len(kinds):
                    return None
            low, high = max(self._cost(each, wants) for each in best), self._cost((kind.first for kind in kinds), wants)
            amount = _rounded(low) if low < high else max(amount, _rounded(low))
        paid = need.purchase.listing.price if plan.kind == need.purchase.kind else None
        is_wide = is_joint or need.kind == "gift"
        is_near = paid is None or (
            (paid / 2 if is_wide else paid) <= amount
            and (plan.beside is not None or amount <= max(paid * _MOST_ABOVE * plan.quantity, 15))
        )
        return Money.of(amount, currencies.pop()) if amount >= _LEAST_BUDGET and is_near else None

    def _cost(self, bought: Iterable[Listing | None], wants: Sequence[Want]) -> Decimal:
        """What one product for each want costs in its quantity; nothing where there is none, or no price is known."""
        prices = (Decimal(0) if each is None else each.price or Decimal(0) for each in bought)
        return sum((price * want.quantity for price, want in zip(prices, wants, strict=True)), Decimal(0))

    def _choice(self, sentences: Sequence[str]) -> str:
        chosen = self.rng.choice([text for text in sentences if text not in self.used] or sentences)
        self.used.add(chosen)
        return chosen


def _fields(choice: Choice) -> set[str | None]:
    return {demand.field for demand in choice.want.get("must", ())} | choice.want.get("options", {}).keys()


def _rounded(total: Decimal) -> int:
    step = next(step for limit, step in _STEPS if total < limit)
    return ceil(total / step) * step
