"""Proofs of what a query needs: the oracle without the shopper's record, or without the web, and how lucky it is.

Without a source, every limit that rests on it is gone. The source is needed if

    a  the cheapest basket that keeps the rest is not right, and not all of these limits are open-ended: of what has
       to hold more than last time the largest is right
    b  luck, the share of right ones among all baskets that keep the rest, is at most 1/3, open ones counted
       as right
    c  at least eight baskets keep the rest
    d  at least two baskets keep the whole wish, or provably none does
    e  no value of these limits stands in the text, or in what the shop has by the words that name an order there; no
       other order could be meant, no record states a page's limit
    f  every place that a limit names says what it says

What a basket is worth is decided as for answers (``shopping.cart.worth_of``). One that rests on an open demand counts
neither way, as there. All baskets of a query are looked at up to 20,000 of them; of more, so many are drawn.
"""

import calendar
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from math import isclose, prod
from statistics import fmean
from typing import Any

from drretail.env.catalog.base import Catalog, CatalogQuery
from drretail.env.offers import Offers
from drretail.querygen.checks.case import QueryCase, Shopper
from drretail.querygen.checks.sources import NEAR, orders_of, said_in, value_of
from drretail.querygen.checks.sources import check as false_places
from drretail.records.criteria import Gold, NeedOf, NeedProof, Needs
from drretail.records.figures import number
from drretail.records.query import Fit, Query, Reference, WantedThing
from drretail.records.reading import Pick
from drretail.records.wish import Limit, Source, SourceKind, Want, Wish, spoken
from drretail.reports.text.numerals import Numeral, conversion, find_numerals, with_units
from drretail.reports.text.words import NUMBERS, RUN, STOP_WORDS
from drretail.shopping.basket import cheapest_choice, needed
from drretail.shopping.cart import OPEN, RIGHT, WRONG, units, worth_of
from drretail.shopping.listing import folded
from drretail.shopping.vocabulary import stems_of

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
    offers: Offers

    @property
    def is_unmeetable(self) -> bool:
        return self.reference.proof is not None and self.reference.proof.state == "proved"

    @cached_property
    def states(self) -> Mapping[tuple[str, str], int]:
        """By a want's name and an offer's id whether it would do."""
        every = self.reference.things if self.reference.best is not None else ()
        open_ones = {(thing.name, fit.offer_id): OPEN for thing in every for fit in thing.undecided}
        return open_ones | {(thing.name, fit.offer_id): RIGHT for thing in every for fit in thing.fits}

    @cached_property
    def n_right(self) -> int:
        """How many baskets are right."""
        return self.baskets(self.wish, self.reference.things)[RIGHT]

    def verdict(self, things: Sequence[WantedThing], chosen: Sequence[Fit] | None) -> int:
        """What an answer with these fits of the things that are needed is worth; None declines."""
        if chosen is None or self.is_unmeetable:
            return RIGHT if chosen is None and self.is_unmeetable else WRONG
        picks = [Pick(product=fit.offer_id, quantity=thing.quantity) for thing, fit in zip(things, chosen, strict=True)]
        return self.offers.cart(self.wish, self.reference, picks).verdict

    def baskets(self, wish: Wish, things: Sequence[WantedThing]) -> Counter[int]:
        """How many baskets that keep a wish are worth what for this one; estimates if some were drawn."""
        import numpy as np

        pairs = [[(thing, fit) for fit in thing.fits] for thing in needed(things)]
        sizes = [len(of_thing) for of_thing in pairs]
        if not all(sizes):
            return Counter()
        draw = np.random.default_rng([*self.reference.query_id.encode()])
        every = prod(sizes) <= BASKETS
        at = np.indices(sizes).reshape(len(sizes), -1) if every else [draw.integers(n, size=BASKETS) for n in sizes]
        ids = {fit.offer_id: number for number, (_, fit) in enumerate(chain.from_iterable(pairs))}

        def chosen(of: Callable[[WantedThing, Fit], int]) -> Sequence[Any]:
            return [np.array([of(*pair) for pair in its])[row] for its, row in zip(pairs, at, strict=True)]

        cost = np.sum(chosen(lambda thing, fit: units(fit.cost * thing.quantity) if fit.price else 0), axis=0)
        is_priced = np.all(chosen(lambda _, fit: fit.price is not None), axis=0)
        keeps = worth_of(wish, RIGHT, cost, is_priced) == RIGHT
        for one, other in combinations(chosen(lambda _, fit: ids[fit.offer_id]), 2):
            keeps &= one != other
        states = np.min(chosen(lambda thing, fit: self.states.get((thing.name, fit.offer_id), WRONG)), axis=0)
        worth = worth_of(self.wish, states, cost, is_priced)[keeps]
        scale = 1.0 if every else prod(sizes) / BASKETS
        return Counter({state: round(scale * int((worth == state).sum())) for state in (RIGHT, OPEN, WRONG)})


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
    undecided = f", {proof.open:,} open" if proof.open else ""
    return f"{state}: luck {number(proof.luck)} of {proof.left:,}{undecided}{unread}"


def as_read(query: Query, by: str, *, is_stated: bool) -> Query:
    """The query with what a model found of e: whether a record states what the web is asked for."""
    if query.gold is None or query.needs is None or (web := query.needs.web) is None:
        return query
    fails = tuple(sorted({*web.fails, *("e" * is_stated)}))
    needs = query.needs.model_copy(update={"web": web.model_copy(update={"fails": fails, "by": by})})
    return query.model_copy(update={"gold": query.gold.model_copy(update={"needs": needs})})


def needs_of(case: QueryCase, catalog: Catalog) -> Needs | None:
    """What a query needs; None if it wants nothing, or nobody knows what would be right."""
    query, reference = case.query, case.reference
    whole = _Whole(query.wish or Wish(), reference, case.stock.offers)
    if not query.wants_something or (reference.best is None and not whole.is_unmeetable):
        return None
    proofs = {need: _proof(case, whole, kind) for need, kind in KINDS.items() if rests_on(query, kind)}
    once = _one_search(case, whole, catalog)
    return Needs(profile=proofs.get("profile"), web=proofs.get("web"), one_search=once, of=query.asked_sha)


def _proof(case: QueryCase, whole: _Whole, kind: SourceKind) -> NeedProof:
    """The ablated oracle, and all baskets that it could take."""
    ablated = without(case.query, kind)
    wish, things = ablated.wish or Wish(), case.stock.offers.reference(ablated).things
    left = whole.baskets(wish, things)
    decided = left[RIGHT] + left[WRONG]
    bounds = [limit.is_open_ended for limit in whole.wish.every_limit if limit.rests_on(kind)]
    is_guessed = whole.verdict(needed(things), cheapest_choice(needed(things), wish)) == RIGHT
    failed = {
        "a": is_guessed or (bool(bounds) and all(bounds)),
        "b": left[RIGHT] + left[OPEN] > MOST_LUCK * left.total(),
        "c": decided < _LEAST_LEFT,
        "d": not whole.is_unmeetable and whole.n_right < _LEAST_RIGHT,
        "e": _is_told(case, whole.wish, kind),
        "f": any(false_places(case)),
    }
    fails = tuple(letter for letter, fails in failed.items() if fails)
    return NeedProof(luck=left[RIGHT] / max(1, decided), left=decided, open=left[OPEN], fails=fails)


def _is_told(case: QueryCase, wish: Wish, kind: SourceKind) -> bool:
    """True if the text has a value of a limit, or leads to one, or leaves open whose value is meant."""
    limits, text = [limit for limit in wish.every_limit if limit.rests_on(kind)], case.query.text
    sources = [source for limit in limits for source in limit.sources if source.kind == kind == "profile"]
    shopper = case.shopper
    return any(_is_said(limit, text) for limit in limits) or (
        shopper is not None
        and any(_is_ambiguous(shopper, source, text) or _is_named(case, shopper, source) for source in sources)
    )


def _is_said(limit: Limit, text: str) -> bool:
    """True if a text holds one of a limit's values; a number also in words, or in another unit."""
    unit = (limit.demand and limit.demand.unit) or ""
    said, values = _measures(text), [f"{value} {unit}" if unit else value for value in limit.values]
    return any(spoken(value) in spoken(text) for value in limit.values) or any(
        isclose(number * factor, wanted.number, rel_tol=NEAR)
        for value in values
        for wanted in _measures(value)
        for number, factor in ((each.number, conversion(each.unit, wanted.unit or each.unit)) for each in said)
        if factor is not None
    )


def _measures(text: str) -> list[Numeral]:
    """The numbers of a text with their units, words such as "seven" included."""
    in_digits = RUN.sub(lambda word: str(NUMBERS.get(word[0].casefold(), word[0])), text)
    return with_units([*find_numerals(in_digits)])


def _is_named(case: QueryCase, shopper: Shopper, source: Source) -> bool:
    """True if the text leads to a value by the shop alone.

    It names what was ordered by its id, or by words of its title other than the names of what is wanted: those whose
    titles have all of them have the value more often than by luck, and more often than their kind.
    """
    wants = case.query.wish.wants if case.query.wish else ()
    said = {*stems_of(case.query.text)}.difference(*(stems_of(want.name) for want in wants))
    field = folded(source.field)
    for product_id in {order.product_id for order in orders_of(shopper, source)} & shopper.products.keys():
        product = shopper.products[product_id].product
        words = said.intersection(stems_of(product.title)) - STOP_WORDS
        kind = case.stock.offers.of_kind(product.leaf_category)
        named = [other for other in kind if words.issubset(stems_of(other.product.title))]
        shares = [
            fmean(folded(said_in(other, field)) == folded(source.value) for other in of) for of in (named, kind) if of
        ]
        if product_id.casefold() in case.query.text.casefold() or (shares and shares[0] > max(MOST_LUCK, *shares[1:])):
            return True
    return False


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


def _one_search(case: QueryCase, whole: _Whole, catalog: Catalog) -> bool | None:
    """True if it is right to take the cheapest of ten hits for each want that keep what the text says; None if open."""
    stated = without(without(case.query, "profile"), "page")
    wish, things = stated.wish or Wish(), list[WantedThing]()
    for want, thing in zip(wish.wants, case.stock.offers.reference(stated).things, strict=True):
        hits = {hit.product_id for hit in catalog.search(_search(want, wish)).hits}
        fits = tuple(fit for fit in thing.fits if fit.product_id in hits)
        things += [] if thing.optional else [thing.model_copy(update={"fits": fits})]
    return {RIGHT: True, WRONG: False}.get(whole.verdict(things, cheapest_choice(things, wish)))


def _search(want: Want, wish: Wish) -> CatalogQuery:
    """The name, the words of the text's demands, and what a search can limit."""
    most, options = want.price_max or wish.budget, chain.from_iterable(want.options.values())
    return CatalogQuery(
        " ".join((want.name, *map(str, want.must), *options, *want.brands_wanted)),
        price_min=None if want.price_min is None else float(want.price_min.value),
        price_max=None if most is None else float(most.value),
        rating_min=want.rating_min,
        limit=_HITS,
    )
