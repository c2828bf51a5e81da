"""Proofs of what a query needs: the oracle without the shopper's record, or without the web, and how lucky it is.

Without a source, every limit that rests on it is gone. The source is needed if

    a  the cheapest basket that keeps the rest is not right
    b  luck, the share of right ones among all baskets that keep the rest, is at most 1/3
    c  at least eight baskets keep the rest
    d  at least two baskets keep the whole wish, or provably none does
    e  no value of these limits stands in the text, no other order could be meant, no record states a page's limit

All baskets of a query are looked at up to 20,000 of them; of more, so many are drawn.
"""

import calendar
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from math import inf, prod
from statistics import fmean
from typing import Any

from drretail.env.catalog.base import Catalog, CatalogQuery
from drretail.grounding.basket import cheapest_choice, needed, total_of
from drretail.grounding.listing import folded
from drretail.querygen.checks.case import QueryCase, Shopper
from drretail.querygen.checks.sources import orders_of, value_of
from drretail.records.criteria import Gold, NeedOf, NeedProof, Needs
from drretail.records.figures import number
from drretail.records.query import Fit, Query, Reference, WantedThing
from drretail.records.wish import Source, SourceKind, Want, Wish

MOST_LUCK = 1 / 3
BASKETS = 20_000
"""The most baskets that are looked at."""
_LEAST_LEFT, _LEAST_RIGHT, _HITS = 8, 2, 10
KINDS: dict[NeedOf, SourceKind] = {"profile": "profile", "web": "page"}


def without(query: Query, kind: SourceKind) -> Query:
    """The query without the limits that rest on a kind of source; what a page says of products is one of them."""
    wish = None if query.wish is None else query.wish.without(kind)
    return (query if kind != "page" else query.with_facts(())).model_copy(update={"wish": wish})


def rests_on(query: Query, kind: SourceKind) -> bool:
    """True if one of its limits rests on a kind of source."""
    facts = () if query.gold is None or kind != "page" else query.gold.facts
    return any(fact.excludes for fact in facts) or (query.wish is not None and query.wish.rests_on(kind))


@dataclass(frozen=True)
class _Whole:
    """What is right for a query."""

    wish: Wish
    reference: Reference

    @property
    def is_unmeetable(self) -> bool:
        return self.reference.proof is not None and self.reference.proof.state == "proved"

    @cached_property
    def right(self) -> dict[str, set[str]]:
        """By the names of wants the ids of the offers that would do."""
        return {thing.name: {fit.offer_id for fit in thing.fits} for thing in self.reference.things}

    @cached_property
    def n_right(self) -> int:
        """How many baskets are right."""
        return self.baskets(self.wish, self.reference.things)[0]

    def is_right(self, things: Sequence[WantedThing], chosen: Sequence[Fit] | None) -> bool:
        """True if these fits of the things that are needed are a right answer; None declines."""
        if self.reference.best is None or chosen is None:
            return chosen is None and self.is_unmeetable
        does = all(fit.offer_id in self.right[thing.name] for thing, fit in zip(things, chosen, strict=True))
        return does and (self.wish.budget is None or total_of(things, chosen) <= self.wish.budget.value)

    def baskets(self, wish: Wish, things: Sequence[WantedThing]) -> tuple[int, float]:
        """How many baskets keep a wish, and the share of these that are right; estimates if some were drawn."""
        import numpy as np

        pairs = [[(thing, fit) for fit in thing.fits if fit.price is not None] for thing in needed(things)]
        sizes = [len(of_thing) for of_thing in pairs]
        if not all(sizes):
            return 0, 0.0
        draw = np.random.default_rng([*self.reference.query_id.encode()])
        every = prod(sizes) <= BASKETS
        at = np.indices(sizes).reshape(len(sizes), -1) if every else [draw.integers(n, size=BASKETS) for n in sizes]
        ids = {fit.offer_id: number for number, (_, fit) in enumerate(chain.from_iterable(pairs))}

        def chosen(of: Callable[[WantedThing, Fit], float]) -> Sequence[Any]:
            return [np.array([of(*pair) for pair in its])[row] for its, row in zip(pairs, at, strict=True)]

        cost: Any = sum(chosen(lambda thing, fit: int(fit.cost * thing.quantity * 100)))
        keeps = cost <= (inf if wish.budget is None else float(wish.budget.value * 100))
        for one, other in combinations(chosen(lambda _, fit: ids[fit.offer_id]), 2):
            keeps &= one != other
        right = keeps & (cost <= (inf if self.wish.budget is None else float(self.wish.budget.value * 100)))
        for does in chosen(lambda thing, fit: fit.offer_id in self.right[thing.name]):
            right &= does
        left = int(keeps.sum())
        luck = int(right.sum()) / left if left and self.reference.best is not None else 0.0
        return (left if every else round(left / BASKETS * prod(sizes))), luck


def with_needs(query: Query, case: QueryCase, catalog: Catalog) -> Query:
    """The query with what it needs in its gold. What a model read of records is kept while the proof is the same."""
    needs, gold = needs_of(case, catalog), query.gold or Gold(query_id=query.query_id)
    before = gold.needs and gold.needs.web
    if needs and needs.web and before and (before.luck, before.left) == (needs.web.luck, needs.web.left) and before.by:
        needs = needs.model_copy(update={"web": before})
    return query if needs == gold.needs else query.model_copy(update={"gold": gold.model_copy(update={"needs": needs})})


LETTERS = "Luck, and what the letters say that is not proved: docs/queries.md, What a question needs."


def proof_in_words(source: NeedOf, proof: NeedProof) -> str:
    """ "needed: luck .07 of 29", "not proved (c): luck .29 of 7"."""
    unread = "" if source == "profile" or proof.by else ", records not read"
    state = f"not proved ({', '.join(proof.fails)})" if proof.fails else "needed"
    return f"{state}: luck {number(proof.luck)} of {proof.left:,}{unread}"


def as_read(query: Query, by: str, *, is_stated: bool) -> Query:
    """The query with what a model found of e: whether a record states what the web is asked for."""
    if query.gold is None or query.needs is None or (web := query.needs.web) is None:
        return query
    fails = tuple(sorted({*web.fails, *("e" * is_stated)}))
    needs = query.needs.model_copy(update={"web": web.model_copy(update={"fails": fails, "by": by})})
    return query.model_copy(update={"gold": query.gold.model_copy(update={"needs": needs})})


def mean_luck(queries: Sequence[Query], source: NeedOf) -> float:
    """The mean luck without a source over the queries that want something; 1 for what is not proved."""
    asked = [query.needs for query in queries if query.wants_something]
    return fmean(1.0 if needs is None else needs.luck(source) for needs in asked) if asked else 1.0


def needs_of(case: QueryCase, catalog: Catalog) -> Needs | None:
    """What a query needs; None if it wants nothing, or nobody knows what would be right."""
    query, reference = case.query, case.reference
    whole = _Whole(query.wish or Wish(), reference)
    if not query.wants_something or (reference.best is None and not whole.is_unmeetable):
        return None
    proofs = {need: _proof(case, whole, kind) for need, kind in KINDS.items() if rests_on(query, kind)}
    return Needs(profile=proofs.get("profile"), web=proofs.get("web"), one_search=_one_search(case, whole, catalog))


def _proof(case: QueryCase, whole: _Whole, kind: SourceKind) -> NeedProof:
    """The ablated oracle, and all baskets that it could take."""
    ablated = without(case.query, kind)
    wish, things = ablated.wish or Wish(), case.stock.offers.reference(ablated).things
    left, luck = whole.baskets(wish, things)
    failed = {
        "a": whole.is_right(needed(things), cheapest_choice(needed(things), wish)),
        "b": luck > MOST_LUCK,
        "c": left < _LEAST_LEFT,
        "d": not whole.is_unmeetable and whole.n_right < _LEAST_RIGHT,
        "e": _is_told(case, whole.wish, kind),
    }
    return NeedProof(luck=luck, left=left, fails=tuple(letter for letter, fails in failed.items() if fails))


def _is_told(case: QueryCase, wish: Wish, kind: SourceKind) -> bool:
    """True if the text has a value of a limit, or another order could be meant whose product has another value."""
    limits = [limit for limit in wish.every_limit if limit.rests_on(kind)]
    sources = [source for limit in limits for source in limit.sources if source.kind == kind == "profile"]
    shopper = case.shopper
    return any(limit.is_said_in(case.query.text) for limit in limits) or (
        shopper is not None and any(_is_ambiguous(shopper, source, case.query.text) for source in sources)
    )


def _is_ambiguous(shopper: Shopper, source: Source, text: str) -> bool:
    """True if the shopper has other orders of the kind, from the time that the text names, with another value."""
    meant = orders_of(shopper, source)
    kinds = {_kind_of(shopper, order.product_id) for order in meant}
    others = [order for order in shopper.kept if order not in meant and _kind_of(shopper, order.product_id) in kinds]
    for order in meant if source.rule == "same" else ():
        year, month = order.order_date[:4], calendar.month_name[int(order.order_date[5:7])]
        length = 0 if year not in text else 7 if month in text else 4
        others = [other for other in others if other.order_date[:length] == order.order_date[:length]]
    values = {folded(value_of(shopper, order, source.field)) for order in others}
    return bool(values - {folded(source.value)})


def _kind_of(shopper: Shopper, product_id: str) -> tuple[str, ...]:
    listing = shopper.products.get(product_id)
    return () if listing is None else (listing.product.category, *listing.product.categories)


def _one_search(case: QueryCase, whole: _Whole, catalog: Catalog) -> bool:
    """True if it is right to take the cheapest of ten hits for each want that keep what the text says."""
    stated = without(without(case.query, "profile"), "page")
    wish, things = stated.wish or Wish(), list[WantedThing]()
    for want, thing in zip(wish.wants, case.stock.offers.reference(stated).things, strict=True):
        hits = {hit.product_id for hit in catalog.search(_search(want, wish)).hits}
        fits = tuple(fit for fit in thing.fits if fit.product_id in hits)
        things += [] if thing.optional else [thing.model_copy(update={"fits": fits})]
    return whole.is_right(things, cheapest_choice(things, wish))


def _search(want: Want, wish: Wish) -> CatalogQuery:
    """The name, the words of the text's demands, and what a search can limit."""
    most = want.price_max or wish.budget
    return CatalogQuery(
        " ".join((want.name, *map(str, want.must), *want.brands_wanted)),
        price_max=None if most is None else float(most.value),
        rating_min=want.rating_min,
        limit=_HITS,
    )
