"""Queries that the shop can't meet, each beside a twin that it can: a budget, an absent thing, an order never made.

What is changed is an amount of the text, or a sentence of our own behind it, of the same form in both, so that nothing
but the shop tells which is which. Each query gives one pair, so that pairs are independent. A pair is kept only where
the one is proved infeasible and the other feasible (``grounding.basket.proof``).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from itertools import islice

from drretail.env.offers import Offers
from drretail.errors import UserError
from drretail.grounding.profile.purchases import leaf_category
from drretail.grounding.text.amounts import find_money
from drretail.grounding.text.wording import article, format_amount, short_title
from drretail.grounding.text.words import singular
from drretail.querygen.reading import check_made_for
from drretail.records.base import sha256_of
from drretail.records.money import Money
from drretail.records.query import Query, Reference
from drretail.records.reading import Because
from drretail.records.shop import VOID_STATUSES, Order
from drretail.records.wish import Want, Wish

KINDS: tuple[Because, ...] = ("too_dear", "not_sold", "no_such_order")
_LEAST_CUT, _MOST_CUT = 5, 20
"""Percent of the cheapest cart by which a budget falls short."""
_ABOVE = Decimal("1.05")
UNMET = "nothing has to be bought, or the shop lacks it"
_TRIED = 40
"""Things of the shop, or orders of the user, that are tried for the twin that can be met."""
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
    if unknown or not kinds:
        wrong = f"no kind {unknown[0]!r} of spoiled queries" if unknown else "no kind named"
        raise UserError(f"There is {wrong}: choose among {', '.join(KINDS)}.")
    held = list(queries)
    check_made_for(held, offers.world.manifest.fingerprint)
    made = Spoiled()
    for query in held:
        reference = offers.reference(query)
        if query.wish is None or reference.cheapest is None or not reference.cheapest.items:
            made.without["nobody typed it" if query.wish is None else UNMET] += 1
            continue
        for kind in sorted(kinds, key=lambda kind: (made.pairs[kind], kinds.index(kind))):
            pair = _pair(query, query.wish, reference, offers, kind, seed, absent)
            if pair is not None:
                made.queries += pair
                made.pairs[kind] += 1
                break
        else:
            made.without["no pair could be proved"] += 1
    made.queries.sort(key=lambda twin: twin.query_id)
    return made


def _pair(
    query: Query, wish: Wish, reference: Reference, offers: Offers, kind: str, seed: str, absent: Sequence[str]
) -> list[Query] | None:
    """The twins of one kind, the one that can't be met first; None where that is not proved."""
    twins = _MAKERS[kind](query, wish, reference, offers, f"{seed}|{query.query_id}", absent)
    if twins is None:
        return None
    proofs = [offers.reference(twin).proof for twin in twins]
    if [proof.state if proof else None for proof in proofs] != ["proved", "refuted"]:
        return None
    return [_named(twin, query, kind, seed, at) for at, twin in enumerate(twins)]


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
    below, above = cheapest.value * (100 - cut) / 100, cheapest.value * _ABOVE
    # Both in whole amounts, or where that is too coarse both to the cent.
    unit = Decimal(1) if int(below) >= cheapest.value * (100 - _MOST_CUT) / 100 else Decimal("0.01")
    amounts = (below.quantize(unit, ROUND_FLOOR), above.quantize(unit, ROUND_CEILING))
    low, high = (_bounded(query, wish, Money.of(amount, cheapest.currency), seed) for amount in amounts)
    return None if low is None or high is None else (low, high)


def _bounded(query: Query, wish: Wish, budget: Money, seed: str) -> Query | None:
    """The query with another budget, in the place of its own, or in a sentence behind it; None for an unclear place."""
    written = format_amount(budget).removesuffix(".00")
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
    """One thing more, of which no product, title or category of the world has the words; and one that it has."""
    del reference
    lacking = next((name for name in _shuffled(absent, seed) if _is_absent(name, offers)), None)
    kinds = {kind.casefold() for want in wish.wants for kind in want.kinds}
    sold = (noun for name in _shuffled(leaf_names(offers), seed) if (noun := _noun(name)) and noun not in kinds)
    with_more = (_with_thing(query, wish, noun, seed) for noun in islice(sold, _TRIED))
    feasible = next((twin for twin in with_more if offers.reference(twin).best is not None), None)
    if lacking is None or feasible is None:
        return None
    return _with_thing(query, wish, _noun(lacking), seed), feasible


def _with_thing(query: Query, wish: Wish, noun: str, seed: str) -> Query:
    text = _behind(query.text, _ALSO, seed, thing=f"{article(noun)} {noun}")
    wants = (*wish.wants, Want(name=noun, kinds=(noun,)))
    return query.model_copy(update={"text": text, "wish": wish.model_copy(update={"wants": wants})})


def _is_absent(name: str, offers: Offers) -> bool:
    noun = _noun(name)
    return bool(noun) and not offers.could_be(noun) and not offers.has_category(name)


def _noun(name: str) -> str:
    """A thing by the name of its category: "Bird Feeders" is a bird feeder; "" for several things, and what is none."""
    words = name.casefold().split()
    if name in ABSENT:
        return name
    if not words or not all(word.isalpha() for word in words) or "and" in words:
        return ""
    one = singular(words[-1])
    return " ".join([*words[:-1], one]) if one != words[-1] else ""


def _no_such_order(
    query: Query, wish: Wish, reference: Reference, offers: Offers, seed: str, absent: Sequence[str]
) -> tuple[Query, Query] | None:
    """Once more what came with an order that the user never made; and with one that the user made."""
    del reference, absent
    orders = [order for order in offers.orders(query.user_id) if order.order_status not in VOID_STATUSES]
    if query.user_id is None or not orders:
        return None
    known = {order.order_id for order in offers.orders(query.user_id)}
    # Nearly all order ids begin with 0 (their number among orders of equal hash).
    ids = (f"0{int(sha256_of([seed, attempt]), 16) % 10**9:09d}" for attempt in range(100))
    unknown = next(order_id for order_id in ids if order_id not in known)
    for order in islice(sorted(orders, key=lambda order: sha256_of([seed, order.order_id])), _TRIED):
        again = _again(query, wish, order, offers, seed)
        if again is not None and offers.reference(again).best is not None:
            return _with_order(query, wish, unknown, seed), again
    return None


def _again(query: Query, wish: Wish, order: Order, offers: Offers, seed: str) -> Query | None:
    """With a want for what came with an order; None for what the shop no longer has, or has a want already."""
    found = offers.listings([order.product_id])
    if not found or order.product_id in wish.owned:
        return None
    product = found[0].product
    name = short_title(product.title, 60)
    if any(want.name.casefold() == name.casefold() for want in wish.wants):
        return None
    brands = () if product.brand is None else (product.brand,)
    want = Want(name=name, kinds=(leaf_category(product),), brands_wanted=brands, again=True)
    return _with_order(query, wish.model_copy(update={"wants": (*wish.wants, want)}), order.order_id, seed)


def _with_order(query: Query, wish: Wish, order_id: str, seed: str) -> Query:
    text = _behind(query.text, _AGAIN, seed, order=order_id)
    return query.model_copy(update={"text": text, "wish": wish.model_copy(update={"orders": (order_id,)})})


def _behind(text: str, sentences: Sequence[str], seed: str, **slots: str) -> str:
    sentence = sentences[int(sha256_of(seed), 16) % len(sentences)]
    return f"{text.rstrip()} {sentence.format(**slots)}"


def _shuffled(names: Sequence[str], seed: str) -> Iterator[str]:
    yield from sorted(names, key=lambda name: sha256_of([seed, name]))


Maker = Callable[[Query, Wish, Reference, Offers, str, Sequence[str]], tuple[Query, Query] | None]
_MAKERS: dict[str, Maker] = {"too_dear": _too_dear, "not_sold": _not_sold, "no_such_order": _no_such_order}
