"""The text of a question and its wish, written together: what stands in one stands in the other."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice
from random import Random
from typing import Any

from drretail.env.world import World
from drretail.grounding.constraints.listing import Listing, pieces_in
from drretail.grounding.text.grammar import listed
from drretail.querygen.checks.shopper import Shopper
from drretail.querygen.lint import Linter
from drretail.querygen.rules.assortment import SIGNS, Assortment, budget_for
from drretail.querygen.rules.needs import Need, needs_of
from drretail.querygen.rules.purchases import PHRASES, purchases_of
from drretail.querygen.users import user_slug
from drretail.records.money import Money
from drretail.records.query import NEED_KINDS, NeedKind, Query
from drretail.records.wish import Want, Wish

SOURCE = "offline:generator"
# How often a text demands a value, stars or ratings, another brand, names a budget, speaks of the record, and wants
# several pieces.
_VALUE, _RATED, _BRAND, _BUDGET, _RECORD, _SEVERAL = 0.6, 0.4, 0.2, 0.85, 0.4, 0.25
# Where between the cheapest and the dearest a budget lies.
_LEVELS = (0.4, 0.5, 0.6, 0.75)
_COUNTS = {1: "one", 2: "two", 3: "three"}
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


@dataclass(slots=True)
class Author:
    """Writes the questions of one user, and uses no sentence twice while there are others."""

    world: World
    assortment: Assortment
    shopper: Shopper
    rng: Random
    used: set[str] = field(default_factory=set[str])

    def query(self, need: Need, number: int) -> Query | None:
        """A question of this need; None where nothing besides what the shopper has would meet it."""
        wants, clauses = self._wants(need)
        fits = [self.assortment.fits(want, self.shopper.bought) for want in wants]
        if not need.is_alone and any(len(listings) < _LEAST_FITS for listings in fits):
            return None
        budget = self._budget(need, fits, wants[0].quantity)
        quotes = [f'"{purchase.quote}" (order {" and ".join(purchase.order_ids[:3])})' for purchase in need.purchases]
        user_id = self.shopper.profile.user_id
        return Query(
            query_id=f"{user_slug(user_id)}-{number}",
            user_id=user_id,
            text=self._text(need, clauses, budget, wants[0].quantity),
            mode="profile_aware",
            kind=need.kind,
            rationale=f"The record shows {listed(quotes)}. What no listing says about such things takes research.",
            expected_tools=(
                *(("get_user_profile",) if need.purchases[0].is_outdoors else ()),
                *("get_user_orders", "get_product_details", "product_catalog_search", "web_search"),
                *(("calculator",) if len(wants) > 1 else ()),
            ),
            wish=Wish(wants=wants, budget=budget, owned=need.product_ids),
            world_fingerprint=self.world.manifest.fingerprint,
            source=SOURCE,
        )

    def _text(self, need: Need, clauses: list[str], budget: Money | None, pieces: int) -> str:
        first, demand, web = need.purchases[0], PHRASES["demand"], PHRASES["web"]
        is_one, is_dear = len(need.names) == 1, first.lasting == "lasts" and (first.listing.price or 0) >= _DEAR
        slots = {
            "kinds": "products of this sort" if need.is_alone else need.names[0],
            "owned": f'"{first.quote}"',
            "month": first.month,
            "amount": "" if budget is None else f"{SIGNS[budget.currency]}{budget.amount}",
            "count": _COUNTS[pieces],
            **need.slots,
        }
        if budget is not None and is_one:
            clause = self._choice(demand["budget_of_several" if pieces > 1 else "budget"])
            clauses = [*clauses, clause.format(**slots)]
        asks = web["outdoors"] if first.is_outdoors else [*web[first.lasting], *(web["dear"] if is_dear else ())]
        record = [*PHRASES["record"]["any"], *([] if need.again else PHRASES["record"]["other"])]
        slots |= {"clauses": listed(clauses) if clauses else "", "ask": self._choice(asks).format(**slots)}
        sentences = [
            self._choice(need.openings),
            self._choice(need.wants),
            self._choice(demand["one" if is_one else "each"]) if clauses else "",
            self._choice(demand["total"]) if budget is not None and not is_one else "",
            self._choice(demand["several"]) if pieces > 1 else "",
            self._choice(web["frame"]),
            self._choice(record) if self.rng.random() < _RECORD else "",
        ]
        # A quoted title at the beginning stays as it is.
        filled = (sentence.format(**slots) for sentence in sentences if sentence)
        return " ".join(re.sub(r"^\w", lambda match: match[0].upper(), sentence) for sentence in filled)

    def _wants(self, need: Need) -> tuple[tuple[Want, ...], list[str]]:
        """The wants, and the clauses that say of each what it should be."""
        first = need.purchases[0]
        is_by_the_piece = first.lasting == "used_up" and pieces_in(first.listing.product.title) == 1
        is_several = need.kind == "restock" and is_by_the_piece and self.rng.random() < _SEVERAL
        pieces = self.rng.choice((2, 3)) if is_several else 1
        plain = tuple(Want(name=name, kinds=(name,), again=need.again, quantity=pieces) for name in need.names)
        fields, clauses = self._demands(need) if need.is_bounded else ({}, [])
        wants = tuple(want.model_copy(update=fields) for want in plain)
        for purchase, want in zip(need.purchases, wants, strict=True):
            kept = [listing.product.product_id for listing in self.assortment.fits(want)]
            if fields and need.again and purchase.product_id not in kept:
                return plain, []
        return wants, clauses

    def _demands(self, need: Need) -> tuple[dict[str, Any], list[str]]:
        """Now and then a value that decides, stars or ratings, another brand: as fields of a want and as clauses."""
        fields: dict[str, Any] = {}
        clauses: list[str] = []
        offers, product = [self.assortment.of(name) for name in need.names], need.purchases[0].listing.product
        # Nobody who has wireless ones asks for wired ones without a reason.
        demands = [
            demand
            for demand in offers[0].demands
            if demand.value in str(product.details.get(demand.field, demand.value)).casefold()
        ]
        if len(offers) == 1 and "one" not in need.slots and demands and self.rng.random() < _VALUE:
            demand = self.rng.choice(demands)
            fields["must"] = (demand.value,)
            clauses.append(demand.clause)
        limits = sorted(frozenset.intersection(*(each.limits for each in offers)))
        if limits and self.rng.random() < _RATED:
            name, least = self.rng.choice(limits)
            fields[name] = least
            clauses.append(self._choice(PHRASES["demand"][name]).format(least=least))
        is_named = product.brand and product.title.casefold().startswith(product.brand.casefold())
        if need.kind == "replacement" and is_named and self.rng.random() < _BRAND:
            fields["brands_unwanted"] = (product.brand,)
            clauses.append(self._choice(PHRASES["demand"]["brand"]).format(brand=product.brand))
        return fields, clauses

    def _budget(self, need: Need, fits: Sequence[Sequence[Listing]], pieces: int) -> Money | None:
        """A budget that what would do can keep, and that lies near what the shopper has paid; None for none."""
        if not need.is_bounded or self.rng.random() >= _BUDGET:
            return None
        paid = [purchase.listing.price for purchase in need.purchases]
        budget = budget_for(fits, self.rng.choice(_LEVELS if None not in paid else _LEVELS[:2]), pieces)
        if budget is None or None in paid:
            return budget if pieces == 1 else None
        known = sum(price for price in paid if price is not None) * pieces
        least = known if need.again or need.kind == "replacement" else known / 2
        return budget if least <= budget.value <= max(known * _MOST_ABOVE, Decimal(15)) else None

    def _choice(self, sentences: Sequence[str]) -> str:
        chosen = self.rng.choice([text for text in sentences if text not in self.used] or list(sentences))
        self.used.add(chosen)
        return chosen


def queries_by_rules(
    world: World, assortment: Assortment, linter: Linter, shopper: Shopper, seed: str
) -> Iterator[Query]:
    """Questions in which the checks find nothing, the kinds of need taking turns, first of what no question speaks of.

    Asking for more never changes the first ones.
    """
    today = world.manifest.now.date()
    purchases = list(islice(purchases_of(shopper, today), _PURCHASES))
    rng = Random(f"{seed}|{shopper.profile.user_id}")
    author = Author(world, assortment, shopper, rng)
    pending: dict[NeedKind, list[Need]] = {kind: [] for kind in rng.sample(NEED_KINDS, len(NEED_KINDS))}
    for need in needs_of(purchases, assortment, today):
        pending[need.kind].append(need)
    for needs in pending.values():
        rng.shuffle(needs)
        needs.sort(key=lambda need: need.is_alone)  # a kind of product leaves more to research than one product
    taken, number, is_new = set[str](), 1, True
    while any(pending.values()):
        before = number
        for needs in pending.values():
            free = [need for need in needs if not (is_new and taken.intersection(need.product_ids))]
            for need in free[:_TRIES]:
                needs.remove(need)
                query = author.query(need, number)
                if query is not None and not linter.findings(query):
                    taken.update(need.product_ids)
                    number += 1
                    yield query
                    break
        if number == before and not is_new:
            break
        is_new = is_new and number > before
