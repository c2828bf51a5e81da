"""Queries that the shop can't meet, each beside a twin that it can: a budget, an absent thing, an order never made.

What is changed is an amount of the text, or a sentence of our own behind it, so that twins differ in nothing else. A
pair is kept only where the one is proved infeasible and the other feasible (``grounding.basket.proof``).
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Decimal

from drretail.env.offers import Offers
from drretail.errors import UserError
from drretail.grounding.text.amounts import find_money
from drretail.grounding.text.wording import format_money
from drretail.records.base import sha256_of
from drretail.records.money import Money
from drretail.records.query import Query, Reference
from drretail.records.reading import Because
from drretail.records.wish import Want, Wish

KINDS: tuple[Because, ...] = ("too_dear", "not_sold", "no_such_order")
_LEAST_CUT, _MOST_CUT = 5, 20
"""Percent of the cheapest cart by which a budget falls short."""
_ABOVE = Decimal("1.05")
_BUDGET = (
    "Everything together must not cost more than {amount}.",
    "I can't spend more than {amount} on all of it.",
    "The whole order has to stay within {amount}.",
)
_ALSO = (
    "And please add {thing} to the same order.",
    "I also need {thing}; put one into the cart, too.",
    "While you are at it, pick {thing} for me as well.",
)
_AGAIN = (
    "And add once more what I had in my order {order}.",
    "Please also put in again what came with my order {order}.",
    "What I bought with order {order}, I'd like to have again, too.",
)
ABSENT = (
    "accordion", "aquarium heater", "archery bow", "bagpipe", "barometer", "bass guitar", "beekeeping suit",
    "billiard cue", "cello", "chainsaw", "chess clock", "clarinet", "cricket bat", "darkroom enlarger",
    "diving mask", "drum kit", "fencing foil", "hang glider", "harpsichord", "inflatable kayak", "metronome",
    "microscope", "oboe", "ouija board", "parachute", "pottery wheel", "rowing machine", "saddle", "saxophone",
    "sextant", "ski binding", "snowboard", "spinning wheel", "surfboard", "taxidermy kit", "telescope",
    "trampoline", "trombone", "typewriter", "unicycle", "wetsuit", "zither",
)  # fmt: skip
"""Things to be absent where no other world names its own; a scan says which of them a world really lacks."""


@dataclass(slots=True)
class Spoiled:
    """The pairs, and why queries gave none, by kind."""

    queries: list[Query] = field(default_factory=list[Query])
    pairs: Counter[str] = field(default_factory=Counter[str])
    without: Counter[str] = field(default_factory=Counter[str])


def spoil(
    queries: Iterable[Query], offers: Offers, kinds: Sequence[str], seed: str, absent: Sequence[str] = ABSENT
) -> Spoiled:
    """A twin of each kind for every query that the shop can meet, in an order that tells nothing.

    ``absent`` are names of things of which one that the world lacks is asked for. Raises UserError for an unknown kind.
    """
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        raise UserError(f"There is no kind {unknown[0]!r} of spoiled queries: choose among {', '.join(KINDS)}.")
    made = Spoiled()
    for query in queries:
        reference = offers.reference(query)
        if query.wish is None or reference.cheapest is None or not reference.cheapest.items:
            made.without[
                "nobody typed it" if query.wish is None else "nothing has to be bought, or the shop lacks it"
            ] += 1
            continue
        for kind in kinds:
            twins = _MAKERS[kind](query, query.wish, reference, offers, f"{seed}|{query.query_id}", absent)
            pair = None if twins is None else [_named(twin, query, kind, seed, at) for at, twin in enumerate(twins)]
            states = [] if pair is None else [offers.reference(twin).proof for twin in pair]
            if pair is None or [it.state if it else None for it in states] != ["proved", "refuted"]:
                made.without[f"{kind}: no pair could be proved"] += 1
                continue
            made.queries += pair
            made.pairs[kind] += 1
    made.queries.sort(key=lambda twin: twin.query_id)
    return made


def leaf_names(offers: Offers) -> tuple[str, ...]:
    """The names of a world's categories, for another world to lack."""
    return tuple(offers.world.catalog.categories())


def _named(twin: Query, original: Query, kind: str, seed: str, at: int) -> Query:
    """With an id that tells nothing, and the task that it shares with its twin."""
    return twin.model_copy(
        update={
            "query_id": f"s{sha256_of([seed, original.query_id, kind, at])[:10]}",
            "task_id": f"t{sha256_of([seed, original.query_id, kind])[:10]}",
        }
    )


def _too_dear(
    query: Query, wish: Wish, reference: Reference, offers: Offers, seed: str, absent: Sequence[str]
) -> tuple[Query, Query] | None:
    """A budget below the cheapest cart, and one above it."""
    del offers, absent
    cheapest = reference.cheapest.total if reference.cheapest else None
    if cheapest is None or not cheapest.value:
        return None
    cut = _LEAST_CUT + int(sha256_of(seed), 16) % (_MOST_CUT - _LEAST_CUT + 1)
    below = cheapest.value * (100 - cut) / 100
    amounts = (_rounded(below, cheapest.value * Decimal("0.8")), (cheapest.value * _ABOVE).to_integral(ROUND_CEILING))
    low, high = (_bounded(query, wish, Money.of(amount, cheapest.currency), seed) for amount in amounts)
    return None if low is None or high is None else (low, high)


def _rounded(amount: Decimal, least: Decimal) -> Decimal:
    """A whole amount where that is not too little, else to the cent."""
    whole = Decimal(int(amount))
    return whole if whole >= least and whole > 0 else amount.quantize(Decimal("0.01"))


def _bounded(query: Query, wish: Wish, budget: Money, seed: str) -> Query | None:
    """The query with another budget, in the place of its own, or in a sentence behind it; None for an unclear place."""
    written = format_money(budget.value, budget.currency).removesuffix(".00")
    if wish.budget is None:
        text = _behind(query.text, _BUDGET, seed, amount=written)
    else:
        places = [it for it in find_money(query.text) if wish.budget.value in (it.low, it.high)]
        if len(places) != 1 or places[0].low != places[0].high:
            return None
        text = query.text[: places[0].start] + written + query.text[places[0].end :]
    return query.model_copy(update={"text": text, "wish": wish.model_copy(update={"budget": budget})})


def _not_sold(
    query: Query, wish: Wish, reference: Reference, offers: Offers, seed: str, absent: Sequence[str]
) -> tuple[Query, Query] | None:
    """One thing more, of which no product, title or category of the world has the words."""
    del reference
    lacking = next((name for name in _shuffled(absent, seed) if _is_absent(name, offers)), None)
    if lacking is None:
        return None
    noun = _noun(lacking)
    text = _behind(query.text, _ALSO, seed, thing=f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}")
    wants = (*wish.wants, Want(name=noun, kinds=(noun,)))
    return query.model_copy(update={"text": text, "wish": wish.model_copy(update={"wants": wants})}), query


def _is_absent(name: str, offers: Offers) -> bool:
    noun = _noun(name)
    return bool(noun) and not offers.could_be(noun) and not offers.has_category(name)


def _noun(name: str) -> str:
    """A category's name as one thing: "Bird Feeders" is a bird feeder; "" for a name of several things."""
    if re.search(r"[,&/]|\band\b", name):
        return ""
    word = name.casefold().strip()
    return word.removesuffix("s") if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _no_such_order(
    query: Query, wish: Wish, reference: Reference, offers: Offers, seed: str, absent: Sequence[str]
) -> tuple[Query, Query] | None:
    """Once more what came with an order that the user never made."""
    del reference, absent
    if query.user_id is None:
        return None
    known = {order.order_id for order in offers.orders(query.user_id)}
    ids = (f"{int(sha256_of([seed, attempt]), 16) % 10**10:010d}" for attempt in range(100))
    order = next(order_id for order_id in ids if order_id not in known)
    text = _behind(query.text, _AGAIN, seed, order=order)
    return query.model_copy(update={"text": text, "wish": wish.model_copy(update={"orders": (order,)})}), query


def _behind(text: str, sentences: Sequence[str], seed: str, **slots: str) -> str:
    sentence = sentences[int(sha256_of(seed), 16) % len(sentences)]
    return f"{text.rstrip()} {sentence.format(**slots)}"


def _shuffled(names: Sequence[str], seed: str) -> Iterator[str]:
    yield from sorted(names, key=lambda name: sha256_of([seed, name]))


Maker = Callable[[Query, Wish, Reference, Offers, str, Sequence[str]], tuple[Query, Query] | None]
_MAKERS: dict[str, Maker] = {"too_dear": _too_dear, "not_sold": _not_sold, "no_such_order": _no_such_order}
