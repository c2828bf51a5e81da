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
from drretail.grounding.columns import Mask, Rows
from drretail.grounding.kinds import GENDERS, Kind, stems
from drretail.grounding.listing import Listing
from drretail.grounding.report.evidence_ids import short_hash
from drretail.grounding.text.wording import SYMBOLS, listed
from drretail.grounding.text.words import NUMBERS
from drretail.querygen.checks.case import Shopper
from drretail.querygen.rules.assortment import PHRASES, Assortment
from drretail.querygen.rules.needs import OF_FIELDS, Choice, Need, Purchase, choices
from drretail.records.query import Axis, Query
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish

SOURCE = "offline:generator"
# How often an axis is chosen where the shop's records bear it; how often there is a budget; how many axes there are.
_WEIGHTS: Mapping[Axis, float] = {
    "property": 8, "fit": 4, "pack": 2, "joint budget": 1.5, "memory": 0.4, "trust": 0.4, "taste": 0.4,
}  # fmt: skip
_BUDGET, _MOST_AXES = 0.8, (1, 2, 2, 3)
# How many are wanted of what one buys several of, and by whom: who asks whether there is better buys one.
_PIECES, _BY_SEVERAL = (2, 3, 4), ("restock", "companion")
_OF_OFFERS: tuple[Axis, ...] = ("property", "fit", "pack", "trust", "taste")
# A budget rests on a price at one of these quantiles, and exceeds it by this factor.
_LEVELS, _ROOM = (0.4, 0.5, 0.6, 0.75), Decimal("1.1")
# A budget below the first number is a multiple of the second.
_STEPS = ((30, 5), (100, 10), (300, 25), (1000, 50), (10**12, 100))
# Nobody limits smaller sums, or wants to spend more than so many times what was paid before.
_LEAST_BUDGET, _MOST_ABOVE = 10, Decimal("2.5")
_COUNTS = {number: word for word, number in NUMBERS.items()}
_RECIPIENTS = {"Women": "my sister", "Men": "my brother", "Girls": "my niece", "Boys": "my nephew"}


@dataclass(frozen=True, slots=True)
class Plan:
    """What a question is to ask for, chosen before it is written."""

    choices: tuple[Choice, ...] = ()
    beside: Kind | None = None
    """A second kind, of which one is wanted, too."""
    quantity: int = 1
    is_recalled: bool = False
    """True if what the shopper has is named by its kind and season alone."""


@dataclass(slots=True)
class Author:
    """Writes the questions of one user; no sentence is used twice while there are others."""

    world: World
    assortment: Assortment
    shopper: Shopper
    purchases: Sequence[Purchase]
    rng: Random
    used: set[str] = field(default_factory=set[str])

    def query(self, need: Need, number: int) -> Query:
        """The question for this need, the user's ``number``-th."""
        plan = self._plan(need)
        kinds = need.kinds if plan.beside is None else (*need.kinds, plan.beside)
        limits: dict[str, Any] = {"quantity": plan.quantity}
        for choice in plan.choices:
            limits |= choice.want
        limits["must"] = tuple(demand for choice in plan.choices for demand in choice.want.get("must", ()))
        limits["options"] = {name: of for choice in plan.choices for name, of in choice.want.get("options", {}).items()}
        wants = tuple(
            Want(
                name=kind.category,
                kinds=(kind.category,),
                again=not need.is_other and kind in need.kinds,
                **(limits if place == 0 else {}),
            )
            for place, kind in enumerate(kinds)
        )
        budget = self._budget(need, plan, wants)
        orders = [choice.order for choice in plan.choices if choice.order is not None]
        orders += [need.purchases[0].order.order_id] if plan.is_recalled else []
        quotes = [f'"{each.quote}" (order {each.order.order_id})' for each in need.purchases]
        return Query(
            query_id=f"{short_hash(self.shopper.profile.user_id)}-{number}",
            user_id=self.shopper.profile.user_id,
            text=self._text(need, plan, budget),
            mode="profile_aware",
            kind=need.kind,
            rationale=f"The record shows {listed(quotes)}. What no listing says about such things takes research.",
            expected_tools=(
                *(("get_user_profile",) if "outdoors" in need.facts else ()),
                *("get_user_orders", "get_product_details", "product_catalog_search", "web_search"),
                *(("calculator",) if len(wants) > 1 else ()),
            ),
            wish=Wish(wants=wants, budget=budget, owned=need.product_ids, orders=tuple(dict.fromkeys(orders))),
            world_fingerprint=self.world.manifest.fingerprint,
            source=SOURCE,
        )

    def bears_demand(self, need: Need) -> bool:
        """True if records bear a demand on fields, or if two kinds are wanted."""
        offers = self.assortment.of(need.kinds[0].category)
        borne = (choice for axis in OF_FIELDS for choice in choices(need, offers, axis))
        return len(need.kinds) > 1 or (len(need.purchases) == 1 and any(True for _ in borne))

    def _plan(self, need: Need) -> Plan:
        """Random axes of those that the records bear, at most one demand of a sort."""
        first = need.purchases[0]
        # Two kinds at once are a question already, and a comparison of prices asks for no more.
        is_open = "named" in need.facts and len(need.purchases) == 1
        may_be_joint = is_open and not need.asks_prices and need.kind != "gift"
        besides = list[Kind]()
        able: dict[Axis, bool] = {
            "pack": is_open and need.kind in _BY_SEVERAL and bool(need.facts & {"used_up", "by_several"}),
            "memory": is_open and "recalled" in first.facts and need.kind in PHRASES["recall"],
        }
        wanted = self.rng.choice(_MOST_AXES)
        of_kind, chosen, axes = self.assortment.of(first.kind.category), list[Choice](), set[Axis]()
        offers = of_kind
        # A draw by weight without replacement (Efraimidis and Spirakis).
        for axis in sorted(_WEIGHTS, key=lambda axis: -(self.rng.random() ** (1 / _WEIGHTS[axis]))):
            named = set[str | None]().union(*map(_fields, chosen))
            # Each demand tells apart what the ones before it leave, by another field.
            borne = choices(need, offers, axis) if is_open and axis in _OF_OFFERS and len(axes) < wanted else ()
            options = [each for each in borne if named.isdisjoint(_fields(each))]
            self.rng.shuffle(options)
            choice = next((each for each in options if self._adds([*chosen, each], need)), None)
            if choice is not None:
                chosen.append(choice)
                offers = offers.keeping(choice.kept_in(of_kind))
            # Looked for only when it may be asked: that reads all products of the part of the shop.
            if axis == "joint budget" and len(axes) < wanted and may_be_joint:
                besides = self._beside(first)
                able[axis] = bool(besides)
            if (choice or able.get(axis)) and len(axes) < wanted:
                axes.add(axis)
        return Plan(
            choices=tuple(sorted(chosen, key=lambda choice: _OF_OFFERS.index(choice.axis))),
            beside=self.rng.choice(besides) if "joint budget" in axes else None,
            quantity=self.rng.choice(_PIECES) if "pack" in axes - {choice.axis for choice in chosen} else 1,
            is_recalled="memory" in axes,
        )

    def _adds(self, choices: Sequence[Choice], need: Need, amount: int | None = None) -> bool:
        """True if none of these demands makes the search easier than the others alone do, and all leave it something.

        What costs more than ``amount`` does not count, nor what the shopper has if it is to be replaced.
        """
        of_kind, had = self.assortment.of(need.kinds[0].category), self.shopper.bought if need.is_other else ()
        columns, rows = of_kind.columns, of_kind.counted_rows
        is_new = ~columns.mask(had) if amount is None else ~columns.mask(had) & (columns.costs <= amount)
        new, kept = rows[is_new[rows]], [choice.kept_in(of_kind) for choice in choices]
        with_all = of_kind.found(_in_all(new, kept))
        for place in range(len(choices)):
            others = of_kind.found(_in_all(new, [*kept[:place], *kept[place + 1 :]]))
            if not any(others) or any(share > other for share, other in zip(with_all, others, strict=True)):
                return False
        return True

    def _beside(self, first: Purchase) -> list[Kind]:
        """The kinds of the department that the shopper has ordered, too, and those that the shop has beside the first.

        Those are its siblings, or else its cousins.
        """
        path, words, others = first.listing.product.categories, stems(first.kind.name), list[Kind]()
        ordered = (
            each.kind for each in self.purchases if "named" in each.facts and first.part[:1] == each.part[:1] != ()
        )
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
        frame, web, slots, is_one = PHRASES["frame"], PHRASES["web"], _slots(need, budget), len(need.kinds) == 1
        clauses = [
            choice.clause if choice.order is None else frame["same"].format(clause=choice.clause)
            for choice in plan.choices
        ]
        facts = need.facts | {"alone"} if is_one else need.facts
        is_alone = is_one and plan.beside is None
        if budget is not None and is_alone and plan.quantity == 1:
            clauses = [*clauses, self._choice(frame["budget"]).format(**slots)]
        about = ["outdoors"] if "outdoors" in facts else [fact for fact in web if fact in facts]
        ask = self._choice([ask for fact in about for ask in web[fact]], facts)
        asked = slots if is_one else slots | {"kinds": listed([kind.category for kind in need.kinds])}
        slots |= {
            "clauses": listed(clauses) if clauses else "",
            "ask": ask.format(**asked),
            "also": "" if plan.beside is None else plan.beside.category,
            "count": _COUNTS.get(plan.quantity, ""),
        }
        is_total = budget is not None and not (is_alone and plan.quantity == 1)
        sentences = [
            self._choice(PHRASES["recall"][need.kind] if plan.is_recalled else need.row["open"], facts),
            self._choice(PHRASES["want"]["alone" if "unnamed" in facts else need.row.get("want", need.kind)], facts),
            self._choice(frame["should" if plan.beside is None else "should_both"]) if clauses else "",
            self._choice(frame["number"]) if plan.quantity > 1 else "",
            self._choice(frame["also"]) if plan.beside is not None else "",
            self._choice(frame["total"]) if is_total else "",
            self._choice(frame["web"]),
        ]
        # Sentences begin with a capital, except for a quoted title.
        filled = (sentence.format(**slots) for sentence in sentences if sentence)
        text = " ".join(re.sub(r"^\w", lambda match: match[0].upper(), sentence) for sentence in filled)
        for kind in need.kinds:  # said in full once: "men's athletic socks", then "socks"
            before, full, after = text.partition(kind.category)
            text = before + full + after.replace(kind.category, kind.short)
        return text

    def _budget(self, need: Need, plan: Plan, wants: Sequence[Want]) -> Money | None:
        """A round amount that buys a fitting product for each want; None if none is near what the shopper has paid.

        A joint one buys the best offers, new ones and all, and, if it can, not the first hits of a plain search.
        """
        is_bounded = "named" in need.facts and not need.asks_prices and self.rng.random() < _BUDGET
        if not is_bounded and plan.beside is None:
            return None
        level, kinds = self.rng.choice(_LEVELS), [self.assortment.of(want.kinds[0]) for want in wants]
        fits = [kind.columns.keeping(want) for kind, want in zip(kinds, wants, strict=True)]
        priced = [kind.columns.comparable(mask).tolist() for kind, mask in zip(kinds, fits, strict=True)]
        currencies = {kind.of_kind[rows[0]].product.currency for kind, rows in zip(kinds, priced, strict=True) if rows}
        if not all(priced) or len(currencies) != 1 or not currencies <= SYMBOLS.keys():
            return None
        at_level = [kind.of_kind[rows[ceil(level * (len(rows) - 1))]] for kind, rows in zip(kinds, priced, strict=True)]
        amount, is_joint = _rounded(self._cost(at_level, wants) * _ROOM), len(wants) > 1 or plan.quantity > 1
        if is_joint:
            new = [mask & ~kind.columns.mask(self.shopper.bought) for kind, mask in zip(kinds, fits, strict=True)]
            best = list[list[Listing]]()
            for masks in (fits, new):
                rows = [kind.best_of(mask) for kind, mask in zip(kinds, masks, strict=True)]
                if not all(row in of_kind for row, of_kind in zip(rows, priced, strict=True)):
                    return None
                best.append([kind.of_kind[row] for kind, row in zip(kinds, rows, strict=True) if row is not None])
            low, high = max(self._cost(each, wants) for each in best), self._cost((kind.first for kind in kinds), wants)
            amount = _rounded(low) if low < high else max(amount, _rounded(low))
        paid = [price for each in need.purchases if (price := each.listing.price) is not None]
        least = sum(paid) / 2 if is_joint or need.kind in ("companion", "gift") else sum(paid)
        most = max(sum(paid) * _MOST_ABOVE * plan.quantity, 15)
        is_near = len(paid) < len(need.purchases) or (least <= amount and (amount <= most or plan.beside is not None))
        is_apt = amount >= _LEAST_BUDGET and is_near and self._adds(plan.choices, need, amount)
        return Money.of(amount, currencies.pop()) if is_apt else None

    def _cost(self, bought: Iterable[Listing | None], wants: Sequence[Want]) -> Decimal:
        """What one product for each want costs in its quantity; nothing where there is none, or no price is known."""
        prices = (Decimal(0) if each is None else each.price or Decimal(0) for each in bought)
        return sum((price * want.quantity for price, want in zip(prices, wants, strict=True)), Decimal(0))

    def _choice(self, sentences: Sequence[Any], facts: frozenset[str] = frozenset()) -> str:
        rows = [{"say": row} if isinstance(row, str) else row for row in sentences]
        able = [row["say"] for row in rows if row.get("where") in (None, *facts)]
        chosen = self.rng.choice([text for text in able if text not in self.used] or able)
        self.used.add(chosen)
        return chosen


def _in_all(rows: Rows, kept: Sequence[Mask]) -> Rows:
    for mask in kept:
        rows = rows[mask[rows]]
    return rows


def _fields(choice: Choice) -> set[str | None]:
    return {demand.field for demand in choice.want.get("must", ())} | choice.want.get("options", {}).keys()


def _rounded(total: Decimal) -> int:
    step = next(step for limit, step in _STEPS if total < limit)
    return ceil(total / step) * step


def _slots(need: Need, budget: Money | None) -> dict[str, str]:
    """The words that fill the slots of sentences, by slot name."""
    first, last = need.purchases[0], need.purchases[-1]
    year, month, _ = first.order.order_date[:10].split("-")
    return {
        "kinds": "such products" if "unnamed" in need.facts else first.kind.category,
        "owned": f'"{first.quote}"',
        "month": f"{calendar.month_name[int(month)]} {year}",
        "amount": "" if budget is None else f"{SYMBOLS[budget.currency]}{budget.amount}",
        "when": first.when,
        "who": _RECIPIENTS.get(first.kind.gender, "a friend"),
        "other_owned": f'"{last.quote}"',
        "other_kinds": last.kind.category,
    }
