"""The text of a question and its wish, written together: what stands in one stands in the other."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from itertools import islice
from random import Random
from string import Formatter
from typing import Any

from drretail.grounding.constraints.listing import Listing, pieces_in
from drretail.grounding.text.wording import SYMBOLS, listed
from drretail.querygen.checks.shopper import Shopper
from drretail.querygen.rules.assortment import PHRASES, Assortment, budget_for
from drretail.querygen.rules.needs import Need, needs_of
from drretail.querygen.rules.purchases import MONTHS, Purchase, purchases_of
from drretail.records.money import Money
from drretail.records.query import NEED_KINDS, NeedKind
from drretail.records.wish import Want, Wish

LEAST_WORDS, MOST_WORDS = 25, 120
# How often a text demands a value, stars or ratings, another brand, names a budget or a day, speaks of the record, and
# wants several pieces.
_VALUE, _RATED, _BRAND, _BUDGET, _DEADLINE = 0.6, 0.4, 0.2, 0.85, 0.12
_RECORD, _SEVERAL = 0.4, 0.25
# Where between the cheapest and the dearest a budget lies.
_LEVELS = (0.4, 0.5, 0.6, 0.75)
_LEAST_DAYS, _MOST_DAYS = 7, 30
_COUNTS = {2: "two", 3: "three"}
# Nobody wants to spend a multiple of what the like has cost before.
_MOST_ABOVE = Decimal("2.5")
# Nobody tests, or regrets, what costs less.
_DEAR = 25
# More tell nothing new about a shopper, and each is looked at beside every other.
_PURCHASES = 24
# An answer needs something to choose from.
_LEAST_FITS = 2
# Needs of one kind that are tried before the next kind has its turn.
_TRIES = 6


@dataclass(frozen=True, slots=True)
class Draft:
    """A question before it has an id."""

    kind: NeedKind
    text: str
    rationale: str
    expected_tools: tuple[str, ...]
    wish: Wish


@dataclass(slots=True)
class Author:
    """Writes the questions of one user, and uses no sentence twice while there are others."""

    assortment: Assortment
    today: date
    owned: frozenset[str]
    """Ids of all that the user ordered."""
    rng: Random
    used: set[str] = field(default_factory=set[str])

    def draft(self, need: Need) -> Draft | None:
        """A question of this need; None where nothing besides what the shopper has would meet it."""
        wants, clauses, brand = self._demanded(need)
        fits = [self.assortment.fits(want, self.owned) for want in wants]
        if not need.is_alone and any(len(found) < _LEAST_FITS for found in fits):
            return None
        budget = self._budget(need, fits, wants[0].quantity)
        day = self.today + timedelta(days=self.rng.randint(_LEAST_DAYS, _MOST_DAYS))
        deadline = _day_named(day) if self.rng.random() < _DEADLINE else None
        slots = self._slots(need, brand)
        ask, is_outdoors = self._ask(need)
        record = self._of_record(need, budget)
        sentences = [
            self._say(need.openings),
            self._say(need.wants),
            *self._bounds(clauses, budget, wants),
            self._say(PHRASES["demand"]["brand"]) if brand else "",
            self._say(PHRASES["demand"]["several"]) if wants[0].quantity > 1 else "",
            ask,
            record,
            self._say(PHRASES["demand"]["deadline"]) if deadline else "",
        ]
        slots |= {"amount": _amount(budget), "day": deadline or "", "count": _COUNTS.get(wants[0].quantity, "")}
        text = " ".join(_filled(sentence, slots) for sentence in sentences if sentence)
        if not LEAST_WORDS <= len(text.split()) <= MOST_WORDS:
            return None
        return Draft(
            kind=need.kind,
            text=text,
            rationale=f"{_recorded(need.purchases)} {PHRASES['need'][need.kind]['why']}",
            expected_tools=(
                *(("get_user_profile",) if is_outdoors else ()),
                *(("get_user_statistics",) if record in PHRASES["record"]["spend"] else ()),
                *("get_user_orders", "get_product_details", "product_catalog_search", "web_search"),
                *(("calculator",) if len(wants) > 1 else ()),
            ),
            wish=Wish(
                wants=wants, budget=budget, deadline=deadline, owned=tuple(it.product_id for it in need.purchases)
            ),
        )

    def _demanded(self, need: Need) -> tuple[tuple[Want, ...], list[str], str | None]:
        """The wants, the clauses that say of each what it should be, and a brand that is not wanted again."""
        first = need.purchases[0]
        is_by_the_piece = first.lasts is False and pieces_in(first.listing.product.title) == 1
        several = need.kind == "restock" and is_by_the_piece and self.rng.random() < _SEVERAL
        pieces = self.rng.choice((2, 3)) if several else 1
        plain = tuple(Want(name=name, kinds=(name,), again=need.again, quantity=pieces) for name in need.names)
        if not need.bounded or need.is_alone:
            return plain, [], None
        more, clauses = self._properties(need)
        brand = self._brand(need) if need.kind in ("restock", "replacement") and self.rng.random() < _BRAND else None
        if brand:
            more["brands_unwanted"] = (brand,)
        wants = tuple(want.model_copy(update=more) for want in plain)
        return (wants, clauses, brand) if self._allow_the_same(need, wants) else (plain, [], None)

    def _properties(self, need: Need) -> tuple[dict[str, Any], list[str]]:
        """What each thing should be: a value that decides, stars or numbers of ratings; as fields and as clauses."""
        fields: dict[str, Any] = {}
        clauses: list[str] = []
        offers = [self.assortment.of(name) for name in need.names]
        wavers = "one" in need.slots
        if len(offers) == 1 and not wavers and offers[0].demands and self.rng.random() < _VALUE:
            demand = self.rng.choice(offers[0].demands)
            fields["must"] = (demand.value,)
            clauses.append(demand.clause)
        stars = set(offers[0].stars).intersection(*(it.stars for it in offers))
        ratings = set(offers[0].ratings).intersection(*(it.ratings for it in offers))
        if self.rng.random() < _RATED and (stars or ratings):
            if stars and (not ratings or self.rng.random() < 0.5):
                fields["rating_min"] = max(stars)
                clauses.append(self._say(PHRASES["demand"]["stars"]).format(stars=f"{max(stars):g}"))
            else:
                fields["ratings_min"] = max(ratings)
                clauses.append(self._say(PHRASES["demand"]["reviews"]).format(reviews=max(ratings)))
        return fields, clauses

    def _of_record(self, need: Need, budget: Money | None) -> str:
        """Now and then, that the orders are to be looked at: for what is owned, or for what is usually spent."""
        about = PHRASES["record"]
        is_priced = all(self.assortment.of(name).priced for name in need.names)
        spend = about["spend"] if budget is None and need.bounded and is_priced and not need.is_alone else []
        sentences = [*about["sentences"], *spend, *([] if need.again else about["new"])]
        return self._say(sentences) if self.rng.random() < _RECORD else ""

    def _allow_the_same(self, need: Need, wants: Sequence[Want]) -> bool:
        """False where the same product may be bought again and the demands rule it out."""
        kept = [
            {it.product.product_id for it in self.assortment.fits(want, frozenset())} if need.again else None
            for want in wants
        ]
        return all(ids is None or it.product_id in ids for it, ids in zip(need.purchases, kept, strict=True))

    def _budget(self, need: Need, fits: Sequence[Sequence[Listing]], pieces: int) -> Money | None:
        """A budget that what would do can keep, and that lies near what the shopper has paid; None for none."""
        if not need.bounded or need.is_alone or self.rng.random() >= _BUDGET:
            return None
        budget = budget_for(fits, self.rng.choice(_LEVELS), pieces)
        paid = [it.listing.price for it in need.purchases]
        if budget is None or None in paid:
            return budget if pieces == 1 else None
        known = sum(price for price in paid if price is not None) * pieces
        least = known if need.again or need.kind == "replacement" else known / 2
        return budget if least <= budget.value <= max(known * _MOST_ABOVE, Decimal(15)) else None

    def _brand(self, need: Need) -> str | None:
        """The maker of what the shopper has, where its title begins with the name."""
        product = need.purchases[0].listing.product
        brand = product.brand
        return brand if brand and brand.isascii() and product.title.casefold().startswith(brand.casefold()) else None

    def _bounds(self, clauses: list[str], budget: Money | None, wants: Sequence[Want]) -> Iterator[str]:
        demand, is_one = PHRASES["demand"], len(wants) == 1
        if budget is not None and is_one:
            several = "budget_of_several" if wants[0].quantity > 1 else "budget"
            clauses = [*clauses, self._say(demand[several])]
        if clauses:
            yield self._say(demand["start" if is_one else "each"]).replace("{clauses}", listed(clauses))
        if budget is not None and not is_one:
            yield self._say(demand["total"])

    def _ask(self, need: Need) -> tuple[str, bool]:
        """What only the web knows, and whether the shopper's state matters for it."""
        purchase = need.purchases[0]
        about = "either" if purchase.lasts is None else "lasting" if purchase.lasts else "used_up"
        asks = PHRASES["web"]["outdoors" if purchase.is_outdoors else about]
        if purchase.lasts and (purchase.listing.price or 0) >= _DEAR:
            asks = [*asks, *PHRASES["web"]["dear"]]
        return self._say(PHRASES["web"]["frame"]).replace("{ask}", self._say(asks)), purchase.is_outdoors

    def _slots(self, need: Need, brand: str | None) -> dict[str, str]:
        first = need.purchases[0]
        kinds = first.kind.name if first.kind and first.kind.name in need.names else "such products"
        owned = {"owned": f'"{first.quote}"', "when": f"in {first.month}", "month": first.month}
        return {"kinds": kinds, "brand": brand or "", **owned, **need.slots}

    def _say(self, sentences: Sequence[str]) -> str:
        fresh = [text for text in sentences if text not in self.used]
        chosen = self.rng.choice(fresh or list(sentences))
        self.used.add(chosen)
        return chosen


def drafts_of(
    shopper: Shopper, assortment: Assortment, today: date, seed: str, faultless: Callable[[Draft], bool]
) -> Iterator[Draft]:
    """The questions that stand the test, the kinds of need taking turns; asking for more never changes the first."""
    purchases = list(islice(purchases_of(shopper), _PURCHASES))
    rng = Random(f"{seed}|{shopper.profile.user_id}")
    author = Author(assortment, today, shopper.bought, rng)
    pending: dict[NeedKind, list[Need]] = {kind: [] for kind in rng.sample(NEED_KINDS, len(NEED_KINDS))}
    for need in needs_of(purchases, assortment, today):
        pending[need.kind].append(need)
    for needs in pending.values():
        rng.shuffle(needs)
        needs.sort(key=lambda need: need.is_alone)  # a kind of product leaves more to research than one product
    taken = set[str]()
    for is_new in (True, False):  # first of purchases that no question speaks of
        made = True
        while made:
            made = False
            for needs in pending.values():
                free = [need for need in needs if not (is_new and taken & {it.product_id for it in need.purchases})]
                for need in free[:_TRIES]:
                    needs.remove(need)
                    draft = author.draft(need)
                    if draft is not None and faultless(draft):
                        taken |= {it.product_id for it in need.purchases}
                        made = True
                        yield draft
                        break


def _filled(sentence: str, slots: dict[str, str]) -> str:
    """The sentence with its slots; one with ``:cap`` begins with a capital, as every sentence does."""
    text = "".join(
        before + ("" if name is None else _capital(slots[name]) if style == "cap" else slots[name])
        for before, name, style, _ in Formatter().parse(sentence)
    )
    return _capital(text)


def _capital(text: str) -> str:
    return re.sub(r"^(\W*)(\w)", lambda it: it[1] + it[2].upper(), text, count=1)


def _amount(budget: Money | None) -> str:
    return "" if budget is None else f"{SYMBOLS[budget.currency]}{budget.amount}"


def _day_named(day: date) -> str:
    return f"{MONTHS[day.month - 1]} {day.day}"


def _recorded(purchases: Sequence[Purchase]) -> str:
    """'The record shows "A" (order 0123456789) and "B" (orders …).'"""
    shown = [
        f'"{it.quote}" (order{"s" if len(it.order_ids) > 1 else ""} {", ".join(it.order_ids[:3])})' for it in purchases
    ]
    return f"The record shows {listed(shown)}."
