"""Which tool calls come next: the first step that has calls left to make."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal
from typing import Any

from drretail.llm.offline.shopper.choosing import ON_RATINGS, Option, Shelf
from drretail.llm.offline.shopper.need import Need, names_thing
from drretail.llm.offline.shopper.situation import (
    CALCULATOR,
    DETAILS,
    ORDER,
    ORDERS,
    PROFILE,
    SEARCH,
    STATISTICS,
    WEB,
)
from drretail.llm.offline.shopper.study import Study
from drretail.llm.offline.shopper.sums import sums_of, unit_expression
from drretail.records.base import canonical_json

Call = tuple[str, dict[str, Any]]
MOST_TURNS = 9
MOST_OPENED = 6
OPENED_PER_NEED = 3
ENOUGH_OPTIONS = 2
MOST_GUESSES = 3


@dataclass(frozen=True, slots=True)
class Step:
    """``does`` completes the sentence "I would still have …", ``aim`` the sentence "Next I …"."""

    calls: Callable[[Study], list[Call]]
    does: str
    aim: str


def next_step(study: Study, steps: Sequence[Step]) -> tuple[Step, list[Call]] | None:
    """The first step that has calls left, with them; None when it is time to write.

    Only bound tools, never the same call twice.
    """
    situation = study.situation
    if situation.stop is not None or situation.turns >= MOST_TURNS:
        return None
    made = {(lookup.name, _key(lookup.args)) for lookup in situation.lookups}
    for step in steps:
        calls = [
            (name, args)
            for name, args in step.calls(study)
            if name in situation.tools and (name, _key(args)) not in made and name not in _gone(study)
        ]
        if calls:
            return step, list({(name, _key(args)): (name, args) for name, args in calls}.values())
    return None


def next_calls(study: Study) -> list[Call]:
    """The calls of the next turn of one researcher that does everything; none when it is time to write."""
    found = next_step(study, STEPS)
    return found[1] if found else []


def about_customer(study: Study) -> list[Call]:
    user_id = study.situation.user_id
    if user_id is None:
        return []
    return [
        (PROFILE, {"user_id": user_id}),
        (STATISTICS, {"user_id": user_id}),
        (ORDERS, {"user_id": user_id, "limit": 50}),
    ]


def first_searches(study: Study) -> list[Call]:
    shop = [(SEARCH, shop_search(study, need, words)) for need in study.needs for words in _first_words(study, need)]
    return [*shop, *((WEB, {"query": search.query}) for search in study.web)]


def _first_words(study: Study, need: Need) -> list[str]:
    """The need as it is wished for, and once more with what is insisted on: ten hits may hold none that has it."""
    insisted = " ".join(demand for demand in study.demands.insisted(need) if not ON_RATINGS.search(demand))
    return [need.search, *([f"{insisted} {need.name}"] if insisted else [])]


def broader_searches(study: Study) -> list[Call]:
    """For needs with too little on the shelf: plainer words first."""
    return [
        (SEARCH, shop_search(study, need, words))
        for need, shelf in zip(study.needs, study.shelves, strict=True)
        if len(shelf.options) < ENOUGH_OPTIONS
        # A guess may hold words that are no part of the thing.
        for words in [
            need.name,
            *_other_name(study, need, shelf),
            *(need.name.split()[:MOST_GUESSES] if need.guessed and not shelf.options else []),
        ]
    ]


def _other_name(study: Study, need: Need, shelf: Shelf) -> list[str]:
    """The last of its names where nothing was found; with a limit of money the search without it tries that."""
    return [] if shelf.options or study.limits.price_max(need) is not None else [" ".join(need.names[-1])]


def unlimited_searches(study: Study) -> list[Call]:
    """Without the price filter: what a little more money buys, and products of unknown price, which never pass it."""
    calls: list[Call] = []
    for need, shelf in zip(study.needs, study.shelves, strict=True):
        if len(shelf.options) < ENOUGH_OPTIONS and study.limits.price_max(need) is not None:
            words = dict.fromkeys([need.name, *([] if shelf.options else [" ".join(need.names[-1])])])
            calls += [(SEARCH, {"query": one, "limit": 10} | _least_rating(study)) for one in words]
    return calls


def unrated_searches(study: Study) -> list[Call]:
    """Without any limit where nothing at all was found, to tell by how much the nearest misses the least rating."""
    if study.demands.floors.rating is None:
        return []
    return [(SEARCH, {"query": shelf.need.name, "limit": 10}) for shelf in study.shelves if not shelf.options]


def cheaper_searches(study: Study) -> list[Call]:
    """The cheapest of each need, where the best set does not hold all needs."""
    if all(pick is not None for pick in study.basket.picks) or study.limits.total is None:
        return []
    return [
        (SEARCH, {"query": need.name, "match": "all", "sort_by": "price", "limit": 10} | _least_rating(study))
        for need, shelf in zip(study.needs, study.shelves, strict=True)
        if any(option.product.price is not None for option in shelf.options)
    ]


def open_records(study: Study, per_need: int = OPENED_PER_NEED) -> list[Call]:
    """The records of the products that may be recommended, each need's best by turns, and of a related order."""
    if study.situation.made(DETAILS):
        return _late_records(study)
    if any(study.demands.insisted(need) for need in study.needs):
        # A card is too short to say what is insisted on.
        per_need = max(per_need, MOST_OPENED // len(study.needs))
    ranked = [_worth_opening(study, index) for index in range(len(study.needs))]
    by_turns = [options[place] for place in range(per_need) for options in ranked if place < len(options)]
    # Demands are only met or missed by records, so with demands a few more are read.
    most = MOST_OPENED + OPENED_PER_NEED if study.demands.all else max(MOST_OPENED, 2 * len(study.needs))
    opened = dict.fromkeys(option.product.product_id for option in by_turns)
    calls: list[Call] = [(DETAILS, {"product_id": product_id}) for product_id in list(opened)[:most]]
    return [*calls, *_related_order(study)]


def compute(study: Study) -> list[Call]:
    sums = sums_of(study)
    units = [
        unit_expression(option)
        for index, pick in enumerate(study.basket.picks)
        for option in (pick, study.runner_up(index))
        if option is not None
    ]
    expressions = [sums.total, sums.left, *units[:6]]
    return [(CALCULATOR, {"expression": expression}) for expression in expressions if expression]


ABOUT_CUSTOMER = Step(about_customer, "looked at your profile and orders", "look at the profile and the orders")
FIRST_SEARCHES = Step(
    first_searches,
    "searched the shop and the web for each thing you need",
    "search the shop and the web for each thing that is needed",
)
BROADER_SEARCHES = Step(
    broader_searches, "searched in other words", "search in plainer words, for too little was found"
)
UNLIMITED_SEARCHES = Step(
    unlimited_searches,
    "searched without the price limit",
    "search without the price limit, to see by how much the nearest misses it",
)
UNRATED_SEARCHES = Step(
    unrated_searches,
    "searched without the least rating",
    "search without the least rating, to see by how much the nearest misses it",
)
CHEAPER_SEARCHES = Step(
    cheaper_searches, "looked for cheaper ones", "look for cheaper ones, since the budget does not hold all"
)
OPEN_RECORDS = Step(
    open_records, "opened the records of the products", "open the records of the products that may be recommended"
)
COMPUTE = Step(compute, "computed the totals", "compute what is to be reported")
STEPS = (
    ABOUT_CUSTOMER,
    FIRST_SEARCHES,
    BROADER_SEARCHES,
    UNLIMITED_SEARCHES,
    UNRATED_SEARCHES,
    CHEAPER_SEARCHES,
    OPEN_RECORDS,
    COMPUTE,
)


def unmade(study: Study) -> str | None:
    """What the next step would have been; None when there was nothing left to do."""
    made = {(lookup.name, _key(lookup.args)) for lookup in study.situation.lookups}
    gone = study.situation.could_not
    for step in STEPS:
        if any((name, _key(args)) not in made and not gone(name) for name, args in step.calls(study)):
            return step.does
    return None


def shop_search(study: Study, need: Need, words: str) -> dict[str, Any]:
    args: dict[str, Any] = {"query": words, "limit": 10} | _least_rating(study)
    most = study.limits.price_max(need)
    return args if most is None else args | {"price_max": float(most.quantize(Decimal("0.01"), ROUND_DOWN))}


def _least_rating(study: Study) -> dict[str, Any]:
    floor = study.demands.floors.rating
    return {} if floor is None else {"rating_min": floor}


def _worth_opening(study: Study, index: int) -> list[Option]:
    """The pick, then the rest of the shelf by score, what is over the limit last."""
    shelf, pick = study.shelves[index], study.basket.picks[index]
    most = study.limits.price_max(shelf.need)
    over = [o for o in shelf.options if most is not None and o.product.price is not None and o.product.price > most]
    rest = [option for option in shelf.options if option is not pick and option not in over]
    nearest = sorted(over, key=lambda option: (option.product.price or 0, option.product.product_id))
    return [*([pick] if pick else []), *rest, *nearest]


def _late_records(study: Study) -> list[Call]:
    """Records of picks that were chosen only after others had been opened and ruled out."""
    late = [pick for pick in study.basket.picks if pick is not None and not pick.product.opened]
    return [(DETAILS, {"product_id": pick.product.product_id}) for pick in late]


def _related_order(study: Study) -> list[Call]:
    """The newest order of a needed thing: how it went, and for what is used up its present record."""
    for order in study.customer.orders:
        need = next((need for need in study.needs if names_thing(need, order.title)), None)
        if need is not None and not order.void:
            again: list[Call] = [(DETAILS, {"product_id": order.product_id})] if need.consumable or need.again else []
            return [(ORDER, {"order_id": order.order_id}), *again]
    return []


def _gone(study: Study) -> frozenset[str]:
    """Tools that have answered with nothing but errors of the tool itself: they are not tried for ever."""
    situation = study.situation
    return frozenset(
        name
        for name in situation.unavailable
        if len(situation.made(name)) >= 2
        and all(
            lookup.error_type in ("unavailable", "timeout", "limit", "unknown_tool") for lookup in situation.made(name)
        )
    )


def _key(args: dict[str, Any]) -> str:
    # Arguments come back through the journal, where 120.0 has become 120.
    return canonical_json(args)
