"""How hard a query is in its shop, measured without an agent, and queries of a wanted level:
drafts with more and more axes are measured, and the fitting ones kept.

A *plain search* for a want returns the first k hits for the words of each of its kinds. The *bounded solver* sees only
these hits and buys the cart that is worth most to the wish, without the wants for which it finds nothing. Its *loss* is
1 − the worth of that cart as a share of the best one's. There are eight solvers: k = 1, 3, 5, 10, each with and without
the shopper's history. Without it, a solver knows only the query's text: it may buy what the shopper has, and buys
nothing for a want that is known only by an order. The level is the tenth in which the mean loss of the eight lies. With
history, the loss never grows with k, since more hits allow more carts, of which the best counts.
"""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from itertools import islice, takewhile
from math import ceil, fsum

from drretail.env.catalog.base import CatalogQuery
from drretail.env.offers import Offers
from drretail.env.world import World
from drretail.errors import UserError
from drretail.eval.baskets import not_measured, worth_ratio
from drretail.grounding.basket import best_choice
from drretail.grounding.constraints import Decisions, fitting
from drretail.grounding.text.wording import listed
from drretail.querygen.checks.contract import HITS
from drretail.querygen.generate import Drafts, Generated, taken_in_turn, users_of
from drretail.records.base import Record
from drretail.records.query import Axis, Fit, Query, Reference, WantedThing
from drretail.records.reading import Pick
from drretail.records.tables.figures import counted
from drretail.records.wish import Want, Wish
from drretail.remembered import remembered

DEEPEST = 200
"""Hits of a search that are looked at for the depth; a query that needs more has no depth."""
NEARLY_ALL = 0.95
"""The share of the best utility that counts as reaching it, in the depth of a query."""
_NOTHING = "nothing"
_FINEST = 100_000
"""Steps into which a budget is divided to count carts: to the cent up to $1,000."""


class Difficulty(Record):
    """The measures of one query's difficulty.

    All are None if no cart can be measured (``not_measured``).
    """

    query_id: str
    level: int | None = None
    """0 (the solvers buy nearly the best) to 9 (nearly nothing)."""
    loss: float | None = None
    """The mean over the eight bounded solvers, 0 to 1."""
    depth: int | None = None
    """k95, the least k with which the solver with history reaches .95 of the best cart.

    None if it is more than ``DEEPEST``.
    """
    slack: float | None = None
    """The budget divided by the cost of the cheapest cart, at least 1; None without a budget."""
    density: float | None = None
    """The share of carts within the budget, of all with one fit of known price per want; 1 without a budget."""
    greedy_gap: float | None = None
    """The share of the best cart's worth lost by buying for each want in turn the best that is still affordable."""
    history: int | None = None
    """How many orders back, from the newest (1), the oldest order lies that an answer needs; 0 if it needs none."""
    lookalikes: int | None = None
    """Products ranked above the first fit of their want that fail just one of its limits, summed over the wants."""
    wants: int | None = None
    """The wants that are not optional."""
    offers: int | None = None
    """Products of the wanted kinds."""
    fits: int | None = None
    """Those of the offers that meet their want."""
    axes: tuple[Axis, ...] = ()
    """What makes it hard, by its wish."""


@dataclass(slots=True)
class Dial:
    """Measures queries of one world. Searches are cached, since many queries want the same things."""

    offers: Offers
    _ranked: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    _tasks: dict[str, "Task | None"] = field(default_factory=dict[str, "Task | None"])

    def difficulty(self, query: Query) -> Difficulty:
        """The measures of a query's difficulty."""
        task = self.task(query)
        if task is None:
            return Difficulty(query_id=query.query_id, axes=query.axes)
        least = task.reference.cheapest.total.value if task.reference.cheapest else None
        wanted = (task.wish.wants[number] for number in task.needed)
        listings = (each for want in wanted for each in self.offers.of_want(want, task.decisions))
        return Difficulty(
            query_id=query.query_id,
            level=level_of(task.loss),
            loss=round(task.loss, 4),
            depth=task.depth,
            slack=round(float(task.budget / least), 4) if task.budget is not None and least else None,
            density=round(density(task.things, task.budget), 4),
            greedy_gap=round(greedy_gap(task.things, task.budget, task.best_worth), 4),
            history=self._orders_back(task),
            lookalikes=sum(self._lookalikes(task, number) for number in task.needed),
            wants=len(task.things),
            offers=len({each.product.product_id for each in listings}),
            fits=len({fit.product_id for thing in task.things for fit in thing.fits}),
            axes=query.axes,
        )

    def task(self, query: Query) -> "Task | None":
        """The query with the shop's offers for it; None if no cart for it can be measured."""
        key, wish = query.as_line(), query.wish
        if key not in self._tasks:
            task, reference = None, self.offers.reference(query)
            needed = [number for number, want in enumerate(wish.wants if wish else ()) if not want.optional]
            if wish and needed and not not_measured(wish, reference):
                stated = text_alone(query, self.offers)
                visible = self.offers.reference(query.model_copy(update={"wish": stated, "user_id": None}))
                task = Task(query, wish, reference, stated, visible, self, needed)
            self._tasks[key] = task
        return self._tasks[key]

    def ranked(self, want: Want) -> list[tuple[str, ...]]:
        """For each kind of the want, the ids of a plain search's hits, best first."""
        for kind in want.kinds:
            if kind not in self._ranked:
                hits = self.offers.world.catalog.search(CatalogQuery(kind, limit=DEEPEST)).hits
                self._ranked[kind] = tuple(hit.product_id for hit in hits)
        return [self._ranked[kind] for kind in want.kinds]

    def _orders_back(self, task: "Task") -> int:
        """The place, from the newest (1), of the oldest order that is needed; 0 if none is.

        Orders are needed if they are named or show a hidden limit; a needed product counts by its newest order.
        """
        tempting = {fit.product_id for thing in task.visible.things for fit in thing.fits} & {*task.reference.left_out}
        shown_by = {key for fact in task.query.hidden for key in fact.shown_by}
        needed, places = {*task.wish.owned, *tempting}, dict[str, int]()
        for place, order in enumerate(self.offers.orders(task.query.user_id), start=1):
            if order.order_id in task.wish.orders or f"O:{order.order_id}" in shown_by:
                places[order.order_id] = place
            if order.product_id in needed:
                places.setdefault(order.product_id, place)
        return max(places.values(), default=0)

    def _lookalikes(self, task: "Task", number: int) -> int:
        """How many products ranked above the first fit of a want fail just one of its limits."""
        want, fits = task.wish.wants[number], {fit.product_id for fit in task.reference.things[number].fits}
        of_want = self.offers.of_want(want, task.decisions)
        of_kind = {each.product.product_id for each in of_want}
        parts = [part for part in task.wish.parts() if part.index == number]
        others = [[part for part in parts if part != left] for left in parts if left.field != "quantity"]
        alone = [task.wish.without(rest).wants[number].model_copy(update={"again": True}) for rest in others]
        alone += [] if want.again else [task.wish.without(parts).wants[number]]
        fits_alone = [fitting(want_alone, of_want, task.reference.left_out, task.decisions) for want_alone in alone]
        keeping = [{each.product.product_id for each in of_one} for of_one in fits_alone]
        above = {key for ids in self.ranked(want) for key in takewhile(lambda key: key not in fits, ids)}
        return sum(sum(key not in keep for keep in keeping) == 1 for key in above & of_kind)


@dataclass(frozen=True)
class Task:
    """A query for the bounded solvers: the whole wish, and the part of it that the text alone states."""

    query: Query
    wish: Wish
    reference: Reference
    stated: Wish
    visible: Reference
    """What would fit by the text alone, whatever the shopper has."""
    dial: Dial
    needed: Sequence[int]
    """The indices of the wants that are not optional."""

    @cached_property
    def decisions(self) -> Decisions:
        return Decisions(self.query.gold)

    @property
    def things(self) -> list[WantedThing]:
        return [self.reference.things[number] for number in self.needed]

    @property
    def budget(self) -> Decimal | None:
        return None if self.wish.budget is None else self.wish.budget.value

    @property
    def best_worth(self) -> int:
        """The worth of the best cart for all wants that are not optional."""
        return sum(fit.worth for fit in best_choice(self.things, self.budget) or ())

    @cached_property
    def loss(self) -> float:
        """The mean of the losses of the eight solvers, each 0 to 1."""
        losses = [1 - self.utility(hits, history=history) for hits in HITS for history in (True, False)]
        return fsum(losses) / len(losses)

    @property
    def depth(self) -> int | None:
        """See ``Difficulty.depth``. Found by bisection, since the utility never falls with k."""
        least = bisect_left(range(1, DEEPEST + 1), NEARLY_ALL, key=lambda hits: self.utility(hits, history=True)) + 1
        return least if least <= DEEPEST else None

    def utility(self, hits: int, *, history: bool) -> float:
        """The worth of the cart that the solver with ``hits`` hits buys, as a share of the best one's, 0 to 1.

        Without history it may hold what won't do. That is worth nothing, and takes nothing from the rest: else who buys
        nothing for a want, as none was seen that keeps its demands, would come off better than who tries.
        """
        return self._utility_of(self.cart(hits, history=history))

    def cart(self, hits: int, *, history: bool) -> tuple[Pick, ...]:
        """The cart that the solver with ``hits`` hits buys."""
        seen: list[frozenset[str]] = []
        for want, thing in self._needed(history):
            shown = {key for ids in self.dial.ranked(want) for key in ids[:hits]}
            seen.append(frozenset(shown.intersection(fit.product_id for fit in thing.fits)))
        return self._best_of(history, *seen)

    @remembered
    def _needed(self, history: bool) -> list[tuple[Want, WantedThing]]:
        """The wants that are not optional, with what would do, as a solver with or without history knows them."""
        wish, reference = (self.wish, self.reference) if history else (self.stated, self.visible)
        pairs = zip(wish.wants, reference.things, strict=True)
        return [(want, thing) for want, thing in pairs if not want.optional]

    @remembered
    def _best_of(self, history: bool, *seen: frozenset[str]) -> tuple[Pick, ...]:
        """The best cart of these fits of each ``_needed`` want. Remembered, since most solvers see the same fits."""
        wish = self.wish if history else self.stated
        things: list[WantedThing] = []
        for (_, thing), ids in zip(self._needed(history), seen, strict=True):
            # Leaving a want out costs nothing and is worth nothing.
            nothing = Fit(product_id=f"{_NOTHING} {len(things)}", price="0", worth=0)
            fits = (*(fit for fit in thing.fits if fit.product_id in ids), nothing)
            things.append(thing.model_copy(update={"fits": fits}))
        chosen = best_choice(things, None if wish.budget is None else wish.budget.value) or ()
        bought = ((thing, fit) for thing, fit in zip(things, chosen, strict=True) if _NOTHING not in fit.product_id)
        return tuple(Pick(product=fit.product_id, quantity=thing.quantity) for thing, fit in bought)

    @remembered
    def _utility_of(self, picks: tuple[Pick, ...]) -> float:
        cart = self.dial.offers.cart(self.wish, self.reference, picks)
        return (worth_ratio(cart) or 0.0) if cart.keeps_to_money else 0.0


def with_levels(queries: Sequence[Query], rows: Iterable[Difficulty]) -> list[Query]:
    """The queries with their levels. An infeasible query has the level of its twin, so that a pair stays together; if
    its twin is in another file, it keeps the one that it has.
    """
    measured = list(zip(queries, (row.level for row in rows), strict=True))
    of_task = {query.task_id: level for query, level in measured if query.task_id and not query.infeasible}
    return [
        query.model_copy(update={"level": of_task.get(query.task_id or "", query.level) if query.infeasible else level})
        for query, level in measured
    ]


def leveled(queries: Sequence[Query], offers: Offers) -> tuple[Query, ...]:
    """The queries with their levels, measured in their shop."""
    return tuple(with_levels(queries, map(Dial(offers).difficulty, queries)))


def level_of(loss: float) -> int:
    """The tenth in which a loss lies, 0 to 9; the last one includes a loss of 1."""
    return min(int(round(loss * 10, 6)), 9)


def text_alone(query: Query, offers: Offers) -> Wish:
    """The wish that the text alone states: without hidden limits, without wants that it names only by an order, and
    without demands whose value only a record of the shopper's shows.
    """
    wish = query.visible_wish or Wish()
    on_record = {
        (number, str(demand))
        for number, want in enumerate(wish.wants)
        for demand in want.demands
        if demand.rests_on_record
    }
    wish = wish.without([part for part in wish.parts() if (part.index, part.value) in on_record])
    named = [order.product_id for order in offers.orders(query.user_id) if order.order_id in wish.orders]
    decisions = Decisions(query.gold)
    by_order = [want for want in wish.wants if want.again and offers.would_do(want, decisions).intersection(named)]
    return wish.model_copy(update={"wants": tuple(want for want in wish.wants if want not in by_order)})


def density(things: Sequence[WantedThing], budget: Decimal | None) -> float:
    """The share of carts within the budget, 0 to 1. One product may serve several things."""
    import numpy as np

    if budget is None:
        return 1.0
    cent = max(Decimal("0.01"), budget / _FINEST)
    steps = int(budget / cent)
    carts = np.zeros(steps + 1)
    carts[0] = 1.0
    for thing in things:
        costs = [ceil(fit.cost * thing.quantity / cent) for fit in thing.fits if fit.price is not None]
        extended = np.zeros(steps + 1)
        for cost in costs:
            if cost <= steps:
                extended[cost:] += carts[: steps + 1 - cost]
        carts = extended / max(1, len(costs))
    return float(carts.sum())


def greedy_gap(things: Sequence[WantedThing], budget: Decimal | None, best_worth: int) -> float:
    """The share of the best worth that is lost by buying the best affordable product thing by thing, 0 to 1."""
    left, taken = budget, list[Fit]()
    for thing in things:
        fits = tuple(fit for fit in thing.fits if fit not in taken)
        for chosen in best_choice([thing.model_copy(update={"fits": fits})], left) or ():
            taken.append(chosen)
            left = None if left is None else left - chosen.cost * thing.quantity
    return max(0.0, 1 - sum(fit.worth for fit in taken) / best_worth) if best_worth else 0.0


_MOST_AXES = 5
_DRAFTS = 6
"""Drafts measured per user and number of axes."""
_USERS = 10
"""Users tried per user wanted: most users of a poor world come nowhere near a high level."""


def generate_at(
    world: World,
    levels: Collection[int],
    n: int,
    *,
    seed: str,
    users: Sequence[str] = (),
    is_wanted: Callable[[Query], bool] = lambda query: True,
) -> Generated:
    """Queries of these levels, one per user and as many of each level; ``n`` in all if so many can be made.

    ``is_wanted`` is asked of each query before it is taken. Users are named or drawn. Raises UserError if no query can
    be made, and for a shop that is not in English.
    """
    drafts = Drafts(world, seed, are_named=bool(users))
    dial, reached = Dial(drafts.linter.stock.offers), set[int]()
    left = {level: n // len(levels) + (place < n % len(levels)) for place, level in enumerate(sorted(levels))}

    def of_level(user_id: str) -> Iterator[Query]:
        """The user's draft of a level of which queries are still wanted; the highest of these first."""
        by_level = dict[int, Query]()
        for axes in range(_MOST_AXES, -1, -1):
            for draft in islice(drafts.of(user_id, axes), _DRAFTS):
                task = dial.task(draft)
                level = None if task is None else level_of(task.loss)
                # Of one level, the draft with the most axes: memory alone makes level 5, and little to research.
                if level is not None and (level not in by_level or len(draft.axes) > len(by_level[level].axes)):
                    by_level[level] = draft.model_copy(update={"level": level})
        reached.update(by_level)
        open_levels = [level for level, count in left.items() if count and level in by_level]
        for level in sorted(open_levels, reverse=True):
            if drafts.is_new(by_level[level]) and is_wanted(by_level[level]):
                left[level] -= 1
                yield by_level[level]
                return

    chosen = users_of(world, users, seed) if users else islice(users_of(world, n, seed), _USERS * n)
    made = taken_in_turn(chosen, of_level, wanted=n)
    if not made.queries:
        others = "other users (--user)" if users else "a larger shop (--world)"
        nearest = min(reached, key=lambda level: min(abs(level - wanted) for wanted in levels), default=None)
        remedy = f"no query of theirs can be measured. Try {others}, or one whose products have prices."
        if nearest is not None:
            remedy = f"theirs have {listed([*map(str, sorted(reached))])}. Try --level {nearest}, or {others}."
        wanted = listed([*map(str, sorted(levels))])
        whose = counted(len(made.without), "user")
        raise UserError(f"No query of level {wanted} could be made from the orders of {whose}: {remedy}")
    return made
