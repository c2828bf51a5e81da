"""Writes the text of a question and its wish together, so that both say the same."""

import calendar
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from math import ceil
from random import Random
from typing import Any

from drretail.env.world import World
from drretail.grounding.report.evidence_ids import short_hash
from drretail.grounding.text.wording import SYMBOLS, listed
from drretail.querygen.checks.case import Shopper
from drretail.querygen.rules.assortment import PHRASES, Assortment, KindOffers
from drretail.querygen.rules.needs import Need
from drretail.records.money import Money
from drretail.records.query import Query
from drretail.records.wish import Demand, Want, Wish

SOURCE = "offline:generator"
# The probabilities of a demanded value, stars or ratings, another brand, a budget, a mention of orders, and two pieces.
_VALUE, _RATED, _BRAND, _BUDGET, _RECORD, _TWO = 0.6, 0.4, 0.2, 0.85, 0.6, 0.25
_MOST_DEMANDS = 2
# A budget rests on a price at one of these quantiles, and exceeds it by this factor.
_LEVELS, _ROOM = (0.4, 0.5, 0.6, 0.75), Decimal("1.1")
# A budget below the first number is a multiple of the second.
_STEPS = ((30, 5), (100, 10), (300, 25), (1000, 50), (10**12, 100))
# Nobody limits smaller sums, or wants to spend more than so many times what was paid before.
_LEAST_BUDGET, _MOST_ABOVE = 10, Decimal("2.5")
_RECIPIENTS = {"Women": "my sister", "Men": "my brother", "Girls": "my niece", "Boys": "my nephew"}


@dataclass(slots=True)
class Author:
    """Writes the questions of one user; no sentence is used twice while there are others."""

    world: World
    assortment: Assortment
    shopper: Shopper
    rng: Random
    used: set[str] = field(default_factory=set[str])

    def query(self, need: Need, number: int) -> Query:
        """The question for this need, the user's ``number``-th."""
        demands = self._demands(need)
        is_two = need.kind == "restock" and need.facts >= {"used_up", "single"} and self.rng.random() < _TWO
        wants = tuple(
            Want(
                name=kind.name,
                kinds=(kind.category,),
                again="another" not in need.row,
                quantity=2 if is_two else 1,
                **{name: value for name, value, _ in demands},
            )
            for kind in need.kinds
        )
        # In a comparison of prices, an amount would give away the answer.
        is_bounded = not is_two and "named" in need.facts and need.kind != "comparison" and self.rng.random() < _BUDGET
        budget = self._budget(need, wants) if is_bounded else None
        quotes = [f'"{each.quote}" (order {each.order.order_id})' for each in need.purchases]
        return Query(
            query_id=f"{short_hash(self.shopper.profile.user_id)}-{number}",
            user_id=self.shopper.profile.user_id,
            text=self._text(need, [clause for _, _, clause in demands], budget, is_two=is_two),
            mode="profile_aware",
            kind=need.kind,
            rationale=f"The record shows {listed(quotes)}. What no listing says about such things takes research.",
            expected_tools=(
                *(("get_user_profile",) if "outdoors" in need.facts else ()),
                *("get_user_orders", "get_product_details", "product_catalog_search", "web_search"),
                *(("calculator",) if len(wants) > 1 else ()),
            ),
            wish=Wish(wants=wants, budget=budget, owned=need.product_ids),
            world_fingerprint=self.world.manifest.fingerprint,
            source=SOURCE,
        )

    def _text(self, need: Need, clauses: list[str], budget: Money | None, *, is_two: bool) -> str:
        frame, web, slots, is_one = PHRASES["frame"], PHRASES["web"], _slots(need, budget), len(need.kinds) == 1
        facts = need.facts | {"alone"} if is_one else need.facts
        if budget is not None and is_one:
            clauses = [*clauses, self._choice(frame["budget"]).format(**slots)]
        about = ["outdoors"] if "outdoors" in facts else [fact for fact in web if fact in facts]
        ask = self._choice([ask for fact in about for ask in web[fact]], facts)
        asked = slots if is_one else slots | {"kinds": listed([kind.name for kind in need.kinds])}
        slots |= {"clauses": listed(clauses) if clauses else "", "ask": ask.format(**asked)}
        # The shopper's orders tell nothing of a gift's recipient, and a pair already is what they tell.
        tells_more = "related" in facts and need.kind != "gift" and len(need.purchases) == 1
        sentences = [
            self._choice(need.row["open"], facts),
            self._choice(PHRASES["want"]["alone" if "unnamed" in facts else need.row.get("want", need.kind)], facts),
            self._choice(frame["should"]) if clauses else "",
            self._choice(frame["total"]) if budget is not None and not is_one else "",
            self._choice(frame["two"]) if is_two else "",
            self._choice(frame["sources" if ask in web["dear"] else "web"]),
            self._choice(frame["record"]) if tells_more and self.rng.random() < _RECORD else "",
        ]
        # Sentences begin with a capital, except for a quoted title.
        filled = (sentence.format(**slots) for sentence in sentences if sentence)
        return " ".join(re.sub(r"^\w", lambda match: match[0].upper(), sentence) for sentence in filled)

    def _demands(self, need: Need) -> list[tuple[str, Any, str]]:
        """Random demands for a value, stars, ratings or another brand: the want's field, its value and a clause."""
        # A shopper who would take the same again demands nothing that it may lack.
        if "another" not in need.row or need.kind == "comparison":
            return []
        product, offers = need.purchases[0].listing.product, self.assortment.of(need.purchases[0].kind.category)
        # Only values that the owned product has: to ask for another would need a reason.
        values = [
            ("must", (Demand(say=value, field=name),), PHRASES["field"][name].format(value=value))
            for name, value in offers.demands
            if value in str(product.details.get(name)).casefold()
        ]
        limits = [(name, least, self._choice(PHRASES["frame"][name]).format(least)) for name, least in offers.limits]
        brand = product.brand if need.kind == "replacement" and "branded" in need.facts else None
        brands = [("brands_unwanted", (brand,), f"be of another brand than {brand}")] if brand else []
        options = ((_VALUE, values), (_RATED, limits), (_BRAND, brands))
        demands = [self.rng.choice(found) for share, found in options if found and self.rng.random() < share]
        return demands[:_MOST_DEMANDS]

    def _budget(self, need: Need, wants: Sequence[Want]) -> Money | None:
        """A round amount that buys a fitting product for each want; None if none is near what the shopper has paid."""
        stock, level = self.assortment.stock.offers, self.rng.choice(_LEVELS)
        fits = (stock.listings(sorted(stock.would_do(want) - self.shopper.bought)) for want in wants)
        priced = [KindOffers(tuple(listings)).priced for listings in fits]
        currencies = {listing.product.currency for listings in priced for listing in listings}
        if not all(priced) or len(currencies) != 1 or not currencies <= SYMBOLS.keys():
            return None
        total = sum(listings[ceil(level * (len(listings) - 1))].price or 0 for listings in priced) * _ROOM
        step = next(step for limit, step in _STEPS if total < limit)
        amount = ceil(total / step) * step
        paid = [price for each in need.purchases if (price := each.listing.price) is not None]
        least = sum(paid) / 2 if need.kind in ("companion", "gift") else sum(paid)
        is_near = len(paid) < len(need.purchases) or least <= amount <= max(sum(paid) * _MOST_ABOVE, 15)
        return Money.of(amount, currencies.pop()) if amount >= _LEAST_BUDGET and is_near else None

    def _choice(self, sentences: Sequence[Any], facts: frozenset[str] = frozenset()) -> str:
        rows = [{"say": row} if isinstance(row, str) else row for row in sentences]
        able = [row["say"] for row in rows if row.get("where") in (None, *facts)]
        chosen = self.rng.choice([text for text in able if text not in self.used] or able)
        self.used.add(chosen)
        return chosen


def _slots(need: Need, budget: Money | None) -> dict[str, str]:
    """The words that fill the slots of sentences, by slot name."""
    first, last = need.purchases[0], need.purchases[-1]
    year, month, _ = first.order.order_date[:10].split("-")
    return {
        "kinds": "such products" if "unnamed" in need.facts else first.kind.name,
        "owned": f'"{first.quote}"',
        "month": f"{calendar.month_name[int(month)]} {year}",
        "amount": "" if budget is None else f"{SYMBOLS[budget.currency]}{budget.amount}",
        "who": _RECIPIENTS.get(first.kind.gender, "a friend"),
        "other_owned": f'"{last.quote}"',
        "other_kinds": last.kind.name,
    }
