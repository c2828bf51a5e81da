"""Whether a turn's cart does what was said in it, and keeps what was said before, without a model (docs/scores.md)."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from drretail.eval.baskets import Measured, described
from drretail.eval.judging.question import NO_WORLD
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import of_measures
from drretail.experiment import read_definition
from drretail.grounding.cart import Cart
from drretail.grounding.conversation import ConversationTurn
from drretail.grounding.text.wording import format_amount, format_money, listed, short_title
from drretail.records.query import NOT_LAST, NOT_TYPED, Relation, turn_numbers
from drretail.records.shop import product_of

NO_CONVERSATION = "it is no turn of a conversation"
NO_CART = "its run declares no picks, and no refusal"
NO_DECISION = "The run declares no picks, and no refusal."
BESIDE_SHOP = "nothing in the shop does what is asked"
OPEN = "whether the shop can do what is asked is neither proved nor refuted"
TURN, HELD, CHANGED, UNTOUCHED, WHOLE = ("turn", "held", "changed", "untouched", "whole")
_ASKED: Mapping[Relation, str] = {
    "other": "another one",
    "other_brand": "one of another brand",
    "cheaper": "a cheaper one",
    "back": "the one of before",
}


def measure(subject: Subject) -> Mapping[str, Measured] | str:
    """The values of one turn, and in the last one whether all were right."""
    if not subject.is_turn:
        return NO_CONVERSATION
    if subject.query.wish is None:
        return NOT_TYPED
    if subject.reference is None or subject.store is None:
        return NO_WORLD
    return turn_values(subject.turns[-1]) | {WHOLE: _whole(subject)}


def turn_values(turn: ConversationTurn) -> dict[str, Measured]:
    """The values of a turn with what was declared in it. Why it is wrong is said in sentences."""
    if not turn.is_decided:
        return {TURN: Measured(0.0, NO_DECISION)} | dict.fromkeys((HELD, CHANGED, UNTOUCHED), Measured(None, NO_CART))
    if turn.can_be_met is None:
        return dict.fromkeys((TURN, HELD, CHANGED, UNTOUCHED), Measured(None, OPEN, is_open=True))
    right, cart = turn.is_right, turn.cart if turn.can_be_met else turn.cart_as_far
    wrong = dict[str, Iterable[str]].fromkeys((HELD, CHANGED, UNTOUCHED), ())
    if not right and turn.can_be_met:
        wrong = {HELD: _not_held(turn), CHANGED: _not_changed(turn), UNTOUCHED: _touched(turn, cart)}
    elif not right:
        unmet = "and the cart is not as it was" if turn.is_refused else "and nothing is refused"
        wrong |= {
            CHANGED: [f"{BESIDE_SHOP.capitalize()}, {unmet}."],
            UNTOUCHED: () if turn.leaves else _touched(turn, cart),
        }
    parts = {name: " ".join(sentences) for name, sentences in wrong.items()}
    why = described(cart)
    if right is False:
        more = _besides(cart, turn, turn.touched(cart)) if any(parts.values()) else _faults(cart, turn)
        why = " ".join(filter(None, (*parts.values(), *more)))
    if right is False and turn.can_be_met and not turn.picks:
        why = "Nothing is bought, and the shop has what is asked for."
    values = {TURN: Measured(None if right is None else float(right), why, is_open=right is None)}
    for name, lack in _lacks(turn).items():
        is_open = right is None and not parts[name]
        value = None if lack or is_open else float(not parts[name])
        values[name] = Measured(value, lack or parts[name] or why, is_open=is_open and not lack)
    return values


def _lacks(turn: ConversationTurn) -> dict[str, str]:
    """Why a part of a turn can be neither right nor wrong; empty if it can."""
    is_limited = turn.earlier_limits.wants or turn.earlier_limits.budget
    untouched = "" if turn.may_keep else "not all can stay, or the turn before was wrong"
    return {
        HELD: BESIDE_SHOP if not turn.can_be_met else "" if is_limited else "no earlier limit stands",
        CHANGED: "" if turn.asks_something else "the turn asks for no change",
        UNTOUCHED: untouched if turn.kept else "nothing was there to keep",
    }


def _faults(cart: Cart, turn: ConversationTurn) -> Iterator[str]:
    """What is wrong with a cart, a sentence each."""
    for thing, taken in zip(cart.things, cart.taken, strict=True):
        asked = f" ({_ASKED[turn.query.relations[thing.name]]})" if thing.name in turn.query.relations else ""
        if thing.name in cart.left_out and not taken:
            yield f"The cart has no {thing.name} as asked for{asked}."
        elif thing.name in cart.left_out:
            pieces = sum(part.pieces for part in taken)
            yield f"Of {thing.name} {thing.quantity} are asked for, and the cart has {pieces}."
    yield from _besides(cart, turn)
    yield from (f"The shop has no {offer_id}." for offer_id in cart.unknown)
    yield from (f"Of {_title(turn, offer_id)} fewer are left." for offer_id in cart.sold_out)
    yield from _too_dear(cart, turn)


def _besides(cart: Cart, turn: ConversationTurn, told: Collection[str] = ()) -> Iterator[str]:
    for offer_id in () if cart.wish.room else cart.besides:
        if offer_id not in told:
            yield f"{_title(turn, offer_id)} is not asked for."


def _too_dear(cart: Cart, turn: ConversationTurn) -> Iterator[str]:
    if cart.wish.budget is not None and cart.is_over:
        cost = format_money(cart.known_cost, cart.wish.budget.currency)
        yield f"The cart costs {cost}, and the budget is {format_amount(cart.wish.budget)}."
    for offer_id in cart.unpriced if cart.wish.counts_money else ():
        yield f"The shop names no price of {_title(turn, offer_id)}."


def _not_held(turn: ConversationTurn) -> Iterator[str]:
    cart = turn.earlier_limits_cart.with_open()
    for thing, taken in zip(cart.things, cart.taken, strict=True):
        if not taken and not thing.optional:
            yield f"The cart has no {thing.name} as asked for before."
    yield from _too_dear(cart, turn)


def _not_changed(turn: ConversationTurn) -> Iterator[str]:
    yield from _faults(turn.new_limits_cart.with_open(), turn)
    yield from (f"{_title(turn, offer_id)} is still in the cart, and was taken back." for offer_id in turn.not_dropped)


def _touched(turn: ConversationTurn, cart: Cart) -> Iterator[str]:
    for offer_id, (then, now) in turn.touched(cart).items():
        has = "is gone" if not now else f"is there {now} times instead of {then}"
        why = f"{has}, and nobody spoke of it" if then else "is new, and nothing that is asked for"
        yield f"{_title(turn, offer_id)} {why}."


def _title(turn: ConversationTurn, offer_id: str) -> str:
    known = turn.look_up([product_of(offer_id)])
    return next((f"“{short_title(product.title)}”" for product in known.values()), offer_id)


def _whole(subject: Subject) -> Measured:
    if subject.is_followed:
        return Measured(None, NOT_LAST)
    queries = [*subject.earlier, subject.query]
    wrong = [str(queries.index(turn.query) + 1) for turn in subject.turns if turn.is_right is False]
    if not wrong and any(turn.is_right is None for turn in subject.turns):
        return Measured(None, "a turn is open", is_open=True)
    return Measured(float(not wrong), f"Wrong: turn {listed(wrong)}." if wrong else "every turn is right")


def applies(subject: Subject) -> tuple[str, ...]:
    """What a run without a report gets 0 in."""
    if not subject.is_turn or subject.query.wish is None:
        return ()
    return (TURN,) if subject.is_followed else (TURN, WHOLE)


def lacks(experiment: Path) -> str:
    """A sentence if the experiment has no conversation with a wish."""
    queries = read_definition(experiment).queries
    numbers = turn_numbers(queries)
    has = any(query.wish is not None for query in queries if query.query_id in numbers)
    return "" if has else "No query of this experiment is a turn of a conversation with a wish."


METRIC = of_measures("conversation", 2, measure, lacks=lacks, applies=applies, after=())
