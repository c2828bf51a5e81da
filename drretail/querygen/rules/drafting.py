"""Writes the text of a question and its wish together, so that both say the same."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, groupby
from math import ceil
from random import Random
from typing import Any

from drretail.env.world import World
from drretail.querygen.rules.assortment import PHRASES, Assortment, KindOffers, comparable
from drretail.querygen.rules.limits import FOR_WHOM, Choice, choices, left_open
from drretail.querygen.rules.needs import Need
from drretail.records.query import NeedKind, Query
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from drretail.reports.text.evidence_ids import short_hash
from drretail.reports.text.wording import SYMBOLS, listed

SOURCE = "offline:generator"
_TOOLS = ("get_user_orders", "get_product_details", "product_catalog_search")
# How often an axis is chosen where the shop's records and pages bear it.
_WEIGHTS = {"fit": 8, "more": 4, "property": 3, "page": 6, "band": 1, "trust": 0.2}
_KINDS: tuple[NeedKind, ...] = ("restock", "replacement")
# How often there is a budget; how many axes there are at most, and how many demands of one.
_BUDGET, _AXES, _OF_ONE = 0.5, 2, {"fit": 2}
_LEAST = 2
"""With fewer offers that would do, there is nothing to choose from."""
_MAKERS = frozenset({"brands"})
# A budget rests on a price at one of these quantiles, and exceeds it by this factor.
_LEVELS, _ROOM = (0.4, 0.5, 0.6, 0.75), Decimal("1.1")
_STEP, _LEAST_BUDGET = 5, 10
"""Budgets are multiples of the first number, and nobody limits sums below the second."""


@dataclass(frozen=True, slots=True)
class Author:
    """Writes the questions of one user."""

    world: World
    assortment: Assortment
    user_id: str
    rng: Random
    facts: Sequence[Any] = ()
    """What pages of the world's web establish."""

    def query(self, need: Need, number: int) -> Query | None:
        """A question for this need, the user's ``number``-th; None if it would set no limit, or leave open for whom."""
        kind, offers = self.rng.choice(_KINDS), self._offers(need)
        is_again = kind == "restock"
        want = Want(name=need.thing, kinds=(need.category,), several=is_again, not_owned=not is_again)
        chosen, want = self._chosen(need, want)
        budget = None if want.price_max or self.rng.random() >= _BUDGET else self._budget(offers, want)
        if (budget is None and not chosen) or left_open([*offers.offers.keeping(want), need.listing]):
            return None
        clauses = {axis: [choice.clause for choice in chosen if choice.axis == axis] for axis in _WEIGHTS}
        return Query(
            query_id=f"{short_hash(self.user_id)}-{number}",
            user_id=self.user_id,
            text=self._text(need, kind, clauses, budget),
            mode="profile_aware",
            kind=kind,
            rationale=f'The record shows "{need.listing.product.title}" (order {need.order.order_id}).',
            expected_tools=(*_TOOLS, "web_search") if clauses["page"] else _TOOLS,
            wish=Wish(wants=(want,), budget=budget, owned=(need.listing.product.product_id,)),
            world_fingerprint=self.world.manifest.fingerprint,
            source=SOURCE,
        )

    def bears_demand(self, need: Need) -> bool:
        """True if records or pages bear a demand other than on makers, prices and ratings: what tells the offers apart
        is written down. Of cases nobody knows by their makers and prices which tablet each is for.
        """
        axes = chain.from_iterable(self._choices(need, axis) for axis in ("fit", "more", "property", "page"))
        return any(choice.names != _MAKERS for choice in axes)

    def _offers(self, need: Need) -> KindOffers:
        return self.assortment.of(need.category, need.thing)

    def _choices(self, need: Need, axis: str) -> Iterator[Choice]:
        """The demands of an axis that the offers of a kind bear."""
        return choices(self._offers(need), axis, need.listing.product, need.order, self.facts)

    def _chosen(self, need: Need, want: Want) -> tuple[list[Choice], Want]:
        """Demands of random axes of those that the records bear, on different fields, and the want with them."""
        chosen, offers, owned = list[Choice](), self._offers(need).offers, need.listing.product.product_id
        # A draw by weight without replacement (Efraimidis and Spirakis); for whom it is comes first.
        order = sorted(_WEIGHTS, key=lambda axis: -(self.rng.random() ** (1 / _WEIGHTS[axis])))
        if any(choice.names & FOR_WHOM for choice in self._choices(need, "fit")):
            order.sort(key=lambda axis: axis != "fit")
        for axis in order:
            axes = {choice.axis for choice in chosen}
            options = [*self._choices(need, axis)] if len(axes) < _AXES else []
            self.rng.shuffle(options)
            options.sort(key=lambda choice: choice.names.isdisjoint(FOR_WHOM))
            for choice in options:
                with_it = choice.added_to(want)
                is_new = all(choice.names.isdisjoint(other.names) for other in chosen)
                if is_new and len(offers.keeping(with_it).titles.keys() - {owned}) >= _LEAST:
                    chosen, want = [*chosen, choice], with_it
                if sum(other.axis == axis for other in chosen) == _OF_ONE.get(axis, 1):
                    break
        return chosen, want

    def _budget(self, offers: KindOffers, want: Want) -> Money | None:
        """A round amount that buys a fitting product; None if the prices of these are unknown."""
        priced = comparable(offers.offers.keeping(want))
        if not priced:
            return None
        at_level = priced[ceil(self.rng.choice(_LEVELS) * (len(priced) - 1))]
        steps, currency = ceil((at_level.price or 0) * _ROOM / _STEP), at_level.product.currency
        amount = steps * _STEP  # people name round amounts
        return Money.of(amount, currency) if currency in SYMBOLS and amount >= _LEAST_BUDGET else None

    def _text(self, need: Need, kind: NeedKind, clauses: Mapping[str, Sequence[str]], budget: Money | None) -> str:
        frame, fits = PHRASES["frame"], _listed(clauses["fit"])
        others = chain.from_iterable(of for axis, of in clauses.items() if axis not in ("fit", "page"))
        limits = filter(None, (fits and frame["same"].format(clauses=fits), _listed(others)))
        amount = budget and f"{SYMBOLS[budget.currency]}{budget.value:,}"
        return " ".join(
            (
                self.rng.choice(PHRASES["need"][kind]).format(**need.slots()),
                *map(str.format, (frame["should"], frame["also"]), limits),
                *clauses["page"],
                *([frame["budget"].format(amount=amount)] if amount else []),
            )
        )


def _listed(clauses: Iterable[str]) -> str:
    """ "have a floral pattern and at least 4.5 stars", not "have a floral pattern, have at least 4.5 stars"."""
    verbs = groupby((clause.partition(" ") for clause in clauses), lambda clause: clause[0])
    parts = [f"{verb} {listed([rest for *_, rest in same])}" for verb, same in verbs]
    return listed(parts) if parts else ""
