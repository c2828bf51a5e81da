"""Raises queries to a level of difficulty, by steps of three sorts.

budget    falls to the next amount at which a bounded solver can no longer buy its cheapest whole cart
demand    one more on a want, which the first product that would fit it does not meet
purchase  the product of an old order is wanted once more, and the text names only the order's id
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from itertools import islice
from typing import Any, Literal, get_args

from drretail.difficulty.measure import HITS, Dial, Task, level_of
from drretail.difficulty.variations import Variations
from drretail.env.world import World
from drretail.errors import UserError
from drretail.querygen.generate import Drafts, Generated, taken_in_turn
from drretail.querygen.rules.assortment import PHRASES
from drretail.querygen.users import drawn_users
from drretail.records.query import Query
from drretail.records.wish import Demand, Want

Axis = Literal["budget", "demand", "purchase"]
AXES: tuple[Axis, ...] = get_args(Axis)  # why one thing more is none of them: docs/queries.md
_MOST_STEPS = 8
"""With more added sentences, nobody would ask the question."""
_CHOICES = 3
"""Versions measured per sort of step."""
_DRAFTS = 2
"""Drafts tried per user, one after another."""
_USERS = 10
"""Users tried per user wanted: most users of a poor world come nowhere near a high level."""
_LEAST_BUDGET = 5


class Hardener:
    """Makes queries of one world harder."""

    def __init__(self, world: World, seed: str) -> None:
        self.drafts = Drafts(world, seed)
        self.linter, self.dial = self.drafts.linter, Dial(self.drafts.linter.stock.offers)

    def steps(self, query: Query, axis: Axis) -> Iterator[Query]:
        """Versions one step harder that the shop can meet, without findings, and easier for no solver.

        Without the last condition, 12 of 34 demands on the demo shop made a query easier for solvers that look at
        bestsellers first.
        """
        task = self.dial.task(query)
        if task is None:
            return
        makers = {"budget": self._tighter, "demand": self._more_demanding, "purchase": self._older}
        variations = Variations(query, task.wish, self.dial.offers, f"{self.drafts.seed}|{query.query_id}")
        for made in makers[axis](task, variations):
            harder = None if made is None else self.dial.task(made)
            if made and harder and harder.is_no_easier_than(task) and not self.linter.findings(made):
                yield made

    def brought_to(self, query: Query, level: int) -> Iterator[Query]:
        """The query and its versions on the way to a level, each harder than the one before and none above the level.

        Each step is the hardest one that is possible. Yields nothing for a query without a measured cart, or above the
        level.
        """
        task = self.dial.task(query)
        for _ in range(_MOST_STEPS + 1):
            if task is None or level_of(task.loss) > level:
                return
            yield task.query.model_copy(update={"level": level_of(task.loss)})
            if level_of(task.loss) == level:
                return
            steps = [step for axis in AXES for step in islice(self.steps(task.query, axis), _CHOICES)]
            tasks = [found for step in steps if (found := self.dial.task(step)) and found.loss > task.loss]
            within = (found for found in tasks if level_of(found.loss) <= level)
            task = max(within, key=lambda found: found.loss, default=None)

    def _tighter(self, task: Task, variations: Variations) -> Iterator[Query | None]:
        cheapest = task.reference.cheapest
        carts = {cost for hits in HITS if (cost := task.cheapest_among(hits)) is not None}
        for cart in sorted(carts, reverse=True):
            # A cart of the first hits may already cost more than the budget.
            if cheapest and max(cheapest.total.value, _LEAST_BUDGET) < cart <= (task.budget or cart):
                below = cart - Decimal("0.01")
                whole = below.quantize(Decimal(1), ROUND_FLOOR)
                yield variations.bounded(whole if whole >= cheapest.total.value else below, cheapest.total.currency)

    def _more_demanding(self, task: Task, variations: Variations) -> Iterator[Query]:
        for number in task.needed:
            want, fits = task.wish.wants[number], {fit.product_id for fit in task.reference.things[number].fits}
            first = next((key for ids in self.dial.ranked(want) for key in ids if key in fits), None)
            for field, value, clause in self._demands(want) if first else ():
                made = variations.demanding(number, field, value, clause)
                wants = made.wish.wants if made.wish else ()
                if wants and first not in self.dial.offers.would_do(wants[number], task.decisions):
                    yield made

    def _demands(self, want: Want) -> Iterator[tuple[str, Any, str]]:
        """Demands that the want does not have yet: the field of the want, the value, and a clause."""
        offers = self.drafts.assortment.of(want.kinds[0])
        for name, least in offers.limits:
            if getattr(want, name) is None:
                yield name, least, PHRASES["frame"][name][0].format(least)
        if not want.must:
            for name, value in offers.demands:
                yield (
                    "must",
                    (Demand(say=value, field=name),),
                    PHRASES["field"][name].format(value=value).removeprefix("again "),
                )
        brands = dict.fromkeys(brand for listing in offers.offers if (brand := listing.product.brand))
        for brand in brands if not (want.brands_unwanted or want.brands_wanted) else ():
            yield "brands_unwanted", (brand,), f"be of another brand than {brand}"

    def _older(self, task: Task, variations: Variations) -> Iterator[Query | None]:
        shopper = self.linter.shopper(task.query.user_id)
        orders = () if shopper is None else shopper.kept
        wanted = {listing.product.leaf_category for listing in self.dial.offers.listings(task.wish.owned)}
        for order in reversed(orders):  # the oldest first
            listings = self.dial.offers.listings([order.product_id])
            if listings and order.order_id not in task.wish.orders and listings[0].product.leaf_category not in wanted:
                made = variations.again(order)
                yield None if made is None else self._with_money_for(made, variations)

    def _with_money_for(self, made: Query, variations: Variations) -> Query | None:
        """The query with its budget, if any, raised by the least cost of the new thing; None if no price is known."""
        wish = made.wish
        if wish is None or wish.budget is None:
            return made
        costs = [fit.cost for fit in self.dial.offers.reference(made).things[-1].fits if fit.price is not None]
        if not costs:
            return None
        amount = (wish.budget.value + min(costs)).quantize(Decimal(1), ROUND_CEILING)
        return replace(variations, query=made, wish=wish).bounded(amount, wish.budget.currency)


def generate_at(world: World, levels: Collection[int], n: int, *, seed: str, users: Sequence[str] = ()) -> Generated:
    """Queries of these levels, one per user and as many of each level; ``n`` in all if so many can be made.

    Users are named or drawn. Raises UserError if no query can be made, and for a shop that is not in English.
    """
    hardener, reached = Hardener(world, seed), set[int]()
    left = {level: n // len(levels) + (place < n % len(levels)) for place, level in enumerate(sorted(levels))}

    def of_level(user_id: str) -> Iterator[Query]:
        open_levels = {level for level, count in left.items() if count}
        for draft in islice(hardener.drafts.of(user_id), _DRAFTS):
            versions = hardener.brought_to(draft, max(open_levels))
            by_level = {version.level: version for version in versions if version.level is not None}
            reached.update(by_level)
            if found := open_levels & by_level.keys():
                left[max(found)] -= 1
                yield by_level[max(found)]
                return

    chosen = dict.fromkeys(users) or islice(drawn_users(world, seed, n), _USERS * n)
    made = taken_in_turn(chosen, of_level, wanted=n)
    if not made.queries:
        nearest = f"the nearest one has level {max(reached)}" if reached else "none of any level could"
        wanted = ", ".join(map(str, levels))
        raise UserError(f"No query of level {wanted} could be made; {nearest} (users tried: {len(made.without)}).")
    return made
