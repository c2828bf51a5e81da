"""Whether a turn's cart does what was said in it, and keeps what was said before, without a model (docs/scores.md)."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from drretail.eval.baskets import Measured, describe_cart
from drretail.eval.judging.question import NO_WORLD
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import of_measures
from drretail.experiment import read_definition
from drretail.grounding.cart import Cart
from drretail.grounding.conversation import ConversationTurn
from drretail.grounding.text.wording import format_amount, format_money, listed, short_title
from drretail.records.query import NOT_LAST, NOT_TYPED, conversations
from drretail.records.shop import product_of

NO_CONVERSATION = "it is no turn of a conversation"
NO_DECISION = "its run declares no picks, and no refusal"
REFUSED = "It is refused, and the shop has what is asked for."
BESIDE_SHOP = "nothing in the shop does what is asked"
OPEN = "whether the shop can do what is asked is neither proved nor refuted"
TURN, HELD, CHANGED, UNTOUCHED, WHOLE = "turn", "held", "changed", "untouched", "whole"


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
    if turn.decision is None:
        lacking = Measured(None, NO_DECISION)
        return {TURN: Measured(0.0, NO_DECISION), HELD: lacking, CHANGED: lacking, UNTOUCHED: lacking}
    if turn.can_be_met is None:
        return dict.fromkeys((TURN, HELD, CHANGED, UNTOUCHED), Measured(None, OPEN, is_open=True))
    right = turn.is_right
    wrong = {} if right else {name: " ".join(sentences) for name, sentences in _wrong(turn).items()}
    why = " ".join(filter(None, wrong.values())) or describe_cart(turn.cart)
    values = {TURN: Measured(None if right is None else float(right), why, is_open=right is None)}
    for name, lack in _lacks(turn).items():
        is_open = right is None and not wrong[name]
        value = None if lack or is_open else float(not wrong.get(name))
        values[name] = Measured(value, lack or wrong.get(name) or why, is_open=is_open and not lack)
    return values


def _lacks(turn: ConversationTurn) -> dict[str, str]:
    """Why a part of a turn can be neither right nor wrong; empty if it can."""
    earlier, is_asking = turn.limits(of_before=True), turn.before is None or turn.before.wish != turn.wish
    held = "" if earlier.wants or earlier.budget else "no earlier limit stands"
    untouched = "" if turn.may_keep else "not all can stay, or the turn before was wrong"
    return {
        HELD: held if turn.can_be_met else BESIDE_SHOP,
        CHANGED: "" if is_asking or turn.query.relations else "the turn asks for no change",
        UNTOUCHED: untouched if turn.kept else "nothing was there to keep",
    }


def _wrong(turn: ConversationTurn) -> dict[str, list[str]]:
    """What is wrong with each part of a turn, in sentences."""
    cart, now = turn.cart, turn.cart.pieces
    then, kept = turn.before.pieces if turn.before else now, sorted(turn.kept) if turn.may_keep else ()
    beside = () if cart.wish.room else cart.besides
    still = [f"{_title(turn, key)} is still in the cart." for key in beside if now[key] <= then[key] and turn.before]
    new = [f"{_title(turn, key)} is new, and not asked for." for key in beside if now[key] > then[key]]
    of_kept = ((key, now[key], then[key]) for key in kept if now[key] < then[key])
    gone = [f"Of {_title(turn, key)} there were {before}, and now there are {left}." for key, left, before in of_kept]
    if not turn.can_be_met:
        changed = [f"{BESIDE_SHOP.capitalize()}, and the cart is not as it was."] if turn.is_right is False else []
        return {HELD: [], CHANGED: changed, UNTOUCHED: [*gone, *new]}
    held = turn.limits_cart(of_before=True).with_open()
    lacking = (
        thing.name for thing, taken in zip(held.things, held.taken, strict=True) if not (taken or thing.optional)
    )
    changed = [REFUSED] if turn.decision == "none" else _faults(turn.limits_cart(of_before=False).with_open(), turn)
    return {
        HELD: [*(f"The cart has no {name} as asked for before." for name in lacking), *_too_dear(held, turn)],
        CHANGED: [*changed, *still],
        UNTOUCHED: [*gone, *new],
    }


def _faults(cart: Cart, turn: ConversationTurn) -> Iterator[str]:
    """What is wrong with a cart, a sentence each."""
    for thing, taken in zip(cart.things, cart.taken, strict=True):
        relation, pieces = turn.query.relations.get(thing.name), sum(part.pieces for part in taken)
        as_asked = f"as asked for ({relation.replace('_', ' ')})" if relation else "as asked for"
        if thing.name in cart.left_out and pieces:
            yield f"Of {thing.name} {thing.quantity} are asked for, and the cart has {pieces}."
        elif thing.name in cart.left_out:
            yield f"No {thing.name} in the cart is {as_asked}."
    yield from (f"{_title(turn, key)} is not asked for." for key in cart.besides if not cart.wish.room)
    yield from (f"The shop has no {key}." for key in cart.unknown)
    yield from (f"Of {_title(turn, key)} fewer are left." for key in cart.sold_out)
    yield from _too_dear(cart, turn)


def _too_dear(cart: Cart, turn: ConversationTurn) -> Iterator[str]:
    if cart.wish.budget is not None and cart.is_over:
        cost = format_money(cart.known_cost, cart.wish.budget.currency)
        yield f"The cart costs {cost}, and the budget is {format_amount(cart.wish.budget)}."
    yield from (f"The shop names no price of {_title(turn, key)}." for key in cart.unpriced if cart.wish.counts_money)


def _title(turn: ConversationTurn, offer_id: str) -> str:
    products = turn.look_up([product_of(offer_id)])
    return next((f"“{short_title(product.title)}”" for product in products.values()), offer_id)


def _whole(subject: Subject) -> Measured:
    if subject.is_followed:
        return Measured(None, NOT_LAST)
    queries = [*subject.earlier, subject.query]
    wrong = [str(queries.index(turn.query) + 1) for turn in subject.turns if turn.is_right is False]
    is_open = not wrong and any(turn.is_right is None for turn in subject.turns)
    why = f"Wrong: turn {listed(wrong)}." if wrong else "a turn is open" if is_open else "every turn is right"
    return Measured(None if is_open else float(not wrong), why, is_open=is_open)


def applies(subject: Subject) -> tuple[str, ...]:
    """What a run without a report gets 0 in."""
    if not subject.is_turn or subject.query.wish is None:
        return ()
    return (TURN,) if subject.is_followed else (TURN, WHOLE)


def _lacks_conversation(experiment: Path) -> str:
    """A sentence if the experiment has no conversation with a wish."""
    turns = conversations(read_definition(experiment).queries)
    has = any(query.wish is not None for queries in turns for query in queries)
    return "" if has else "No query of this experiment is a turn of a conversation with a wish."


METRIC = of_measures("conversation", 2, measure, lacks=_lacks_conversation, applies=applies, after=())
