"""Whether a turn's cart does what was said in it, and keeps what was said before, without a model (docs/scores.md)."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from drretail.eval.baskets import Measured, describe_cart
from drretail.eval.judging.question import NO_WORLD
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import of_measures
from drretail.experiment import read_definition
from drretail.grounding.conversation import ConversationTurn
from drretail.grounding.text.wording import listed, short_title
from drretail.records.query import NOT_LAST, NOT_TYPED, turns_until

NO_CONVERSATION = "it is no turn of a conversation"
NO_DECISION = "its run declares no picks, and no refusal"
REFUSED = "It is refused, and the shop has what is asked for."
BESIDE_SHOP = "nothing in the shop does what is asked"
OPEN = "whether the shop can do what is asked is neither proved nor refuted"
TURN, WHOLE = "turn", "whole"
PARTS = HELD, CHANGED, UNTOUCHED = "held", "changed", "untouched"


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
        return {TURN: Measured(0.0, NO_DECISION), **dict.fromkeys(PARTS, Measured(None, NO_DECISION))}
    if turn.can_be_met is None:
        return dict.fromkeys((TURN, *PARTS), Measured(None, OPEN, is_open=True))
    right = turn.is_right
    why = " ".join(_faults(turn) if right is False else ()) or describe_cart(turn.cart)
    values = {TURN: Measured(None if right is None else float(right), why, is_open=right is None)}
    for name, lack in _lacks(turn).items():
        is_done = not lack and (right or _is_done(turn, name))
        is_open = right is None and is_done
        values[name] = Measured(None if lack or is_open else float(is_done), lack or why, is_open=is_open)
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


def _is_done(turn: ConversationTurn, part: str) -> bool:
    """True if a part of a turn is right, as far as is known."""
    cart, now = turn.cart.with_open(), turn.cart.pieces
    then, beside = turn.before.pieces if turn.before else now, () if turn.wish.room else cart.besides
    if part == UNTOUCHED:
        return all(now[key] >= then[key] for key in turn.kept) and all(now[key] <= then[key] for key in beside)
    if part == HELD:
        return not turn.breaches(turn.limits(of_before=True))
    if not turn.can_be_met or turn.decision == "none":
        return turn.is_right is not False
    is_still = turn.before is not None and any(now[key] <= then[key] for key in beside)
    follows = turn.query.relations.keys().isdisjoint(cart.left_out)
    return follows and not is_still and not turn.breaches(turn.limits(of_before=False))


def _faults(turn: ConversationTurn) -> Iterator[str]:
    """What is wrong with a turn, a sentence each."""
    if not turn.can_be_met:
        yield f"{BESIDE_SHOP.capitalize()}, and the cart is not as it was."
        return
    if turn.decision == "none":
        yield REFUSED
        return
    for want in (want for want in turn.wish.wants if want.name in turn.cart.with_open().left_out):
        relation = turn.query.relations.get(want.name, "").replace("_", " ")
        wanted = f"as asked for ({relation})" if relation else "as asked for"
        yield f"No {want.name} in the cart is {'as it was' if turn.may_keep and turn.is_unchanged(want) else wanted}."
    for finding in (finding for finding in turn.breaches(turn.wish) if finding.code != "want_left_out"):
        product = turn.cart.products.get((finding.evidence_id or "").removeprefix("P:"))
        about = "The cart: " if product is None else f"“{short_title(product.title)}”: "
        yield f"{'' if finding.code == 'not_wanted' else about}{finding.found}."


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
    turns = turns_until(read_definition(experiment).queries).values()
    has = any(until[-1].wish is not None for until in turns)
    return "" if has else "No query of this experiment is a turn of a conversation with a wish."


METRIC = of_measures("conversation", 3, measure, lacks=_lacks_conversation, applies=applies, after=())
