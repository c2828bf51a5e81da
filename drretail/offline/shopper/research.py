"""Which tool calls come next, as a pure function of what was looked up so far."""

from collections.abc import Iterable, Iterator
from decimal import ROUND_DOWN, Decimal
from typing import Any

from drretail.offline.shopper.choosing import Choice
from drretail.offline.shopper.conversation import CALCULATOR, DETAILS, ORDERS, PROFILE, SEARCH, STATISTICS, WEB
from drretail.offline.shopper.needs import search_words
from drretail.offline.shopper.web import web_searches
from drretail.records.base import canonical_json

Call = tuple[str, dict[str, Any]]
MOST_TURNS = 9
HITS = 20
OPENED_OF_A_NEED = 3
MOST_OPENED = 12
MOST_PLANNED = 8
ENOUGH_OPTIONS = 2


def next_calls(choice: Choice) -> list[Call]:
    """The calls of the next turn; none when it is time to write. Only bound tools, never the same call twice."""
    situation = choice.situation
    if situation.must_write or situation.turns >= MOST_TURNS:
        return []
    for step in (_about_shopper_and_first, _further_searches, _affordable, _records, _neighbours, _records, _sums):
        calls = _new(choice, step(choice))
        if calls:
            return calls
    return []


def planned_calls(choice: Choice) -> list[Call]:
    """All calls of a plan that sees no result before its last: every likely name is searched, also below the budget."""
    study = choice.study
    firm, *rest = study.tiers
    phrases = firm or [phrase for tier in rest for phrase in tier]
    words = [search_words(phrase) for phrase in phrases][:MOST_PLANNED] or [study.whole]
    owned = [search_words(phrase) for tier in rest[:1] for phrase in tier if study.asked.again]
    searches = [_search(it) for it in dict.fromkeys([*words, *owned[:2]]) if it]
    most = _most(choice)
    limited = [] if most is None else [_search(it, most) for it in words if it]
    return _new(choice, [*_shopper(choice), *searches, *limited, *_web(choice)])


def _about_shopper_and_first(choice: Choice) -> Iterator[Call]:
    if not choice.situation.lookups:
        yield from _shopper(choice)
        yield from _further_searches(choice)
        yield from _web(choice)


def _shopper(choice: Choice) -> Iterator[Call]:
    user_id = choice.situation.user_id
    if user_id is not None:
        yield PROFILE, {"user_id": user_id}
        yield STATISTICS, {"user_id": user_id}
        yield ORDERS, {"user_id": user_id, "limit": 50}


def _web(choice: Choice) -> Iterator[Call]:
    yield from ((WEB, {"query": words}) for words in web_searches(choice.study))


def _further_searches(choice: Choice) -> Iterator[Call]:
    words, products = choice.study.next_look()
    yield from (_search(it) for it in words)
    yield from ((DETAILS, {"product_id": it}) for it in products)


def _affordable(choice: Choice) -> Iterator[Call]:
    """Below the limit of money, for each need with too little that is known to cost less."""
    most = _most(choice)
    for shelf in choice.shelves if most is not None else ():
        affordable = [it for it in shelf.options if it.candidate.price is not None]
        if len(affordable) < ENOUGH_OPTIONS:
            phrase = shelf.need.phrase
            yield _search(choice.study.whole if phrase is None else search_words(phrase), most)


def _records(choice: Choice) -> Iterator[Call]:
    """The best three of each need, or one that would not do, for its category; later what has become a pick since."""
    opened = {it.args.get("product_id") for it in choice.situation.found(DETAILS)}
    ranked = [
        [it.candidate for it in shelf.options] or [it.candidate for it in shelf.refused[:1]] for shelf in choice.shelves
    ]
    if any(best and best[0].product_id not in opened for best in ranked):
        turns = [best[place] for place in range(OPENED_OF_A_NEED) for best in ranked if place < len(best)]
    else:
        turns = [option.candidate for _, option in choice.chosen if not option.candidate.opened]
    yield from ((DETAILS, {"product_id": it.product_id}) for it in turns[:MOST_OPENED] if it.product_id not in opened)


def _neighbours(choice: Choice) -> Iterator[Call]:
    """What stands in the same category, for a need of which little was found."""
    for shelf in choice.shelves:
        known = [*(it.candidate for it in shelf.options), *(it.candidate for it in shelf.refused)]
        leaf = next((it.product.categories[-1] for it in known if len(it.product.categories) > 1), None)
        if len(shelf.options) < OPENED_OF_A_NEED and leaf is not None:
            name, args = _search(shelf.need.name, _most(choice))
            yield name, args | {"category": leaf}


def _sums(choice: Choice) -> Iterator[Call]:
    for expression in (choice.total_expression(), choice.left_expression()):
        if expression is not None and any(sign in expression for sign in "+*-"):
            yield CALCULATOR, {"expression": expression}


def _search(words: str, most: Decimal | None = None) -> Call:
    args: dict[str, Any] = {"query": words, "limit": HITS}
    return SEARCH, args if most is None else args | {"price_max": float(most.quantize(Decimal("0.01"), ROUND_DOWN))}


def _most(choice: Choice) -> Decimal | None:
    return None if choice.study.budget is None else choice.study.budget[0]


def _new(choice: Choice, calls: Iterable[Call]) -> list[Call]:
    made = {(it.name, canonical_json(it.args)) for it in choice.situation.lookups}
    fresh = [(name, args) for name, args in calls if name in choice.situation.tools]
    keyed = {(name, canonical_json(args)): (name, args) for name, args in fresh}
    return [call for key, call in keyed.items() if key not in made]
