"""Whether a turn's cart does what was said in it, and keeps what was said before, without a model (docs/scores.md)."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from drretail.eval.baskets import Measured, describe_cart
from drretail.eval.judging.question import NO_WORLD
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import of_measures
from drretail.experiments.experiment import read_definition
from drretail.records.query import NOT_LAST, NOT_TYPED, turns_until
from drretail.reports.text.wording import listed, short_title
from drretail.shopping.conversation import ConversationTurn

NO_DECISION = "its run declares no picks, and no refusal"
OPEN = "whether the shop can do what is asked is neither proved nor refuted"
TURN, WHOLE = "turn", "whole"
PARTS = HELD, CHANGED, UNTOUCHED = "held", "changed", "untouched"
NOT_ASKED = {
    HELD: "no earlier limit stands, or nothing in the shop does what is asked",
    CHANGED: "the turn asks for no change",
    UNTOUCHED: "nothing was there to keep, not all of it can stay, or the turn before was wrong",
}
"""Why a part of a turn can be neither right nor wrong."""


def measure(subject: Subject) -> Mapping[str, Measured] | str:
    """The values of one turn, and in the last one whether all were right."""
    if not subject.is_turn:
        return "it is no turn of a conversation"
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
    right, values = turn.is_right, dict[str, Measured]()
    why = " ".join(_faults(turn) if right is False else ()) or describe_cart(turn.cart)
    for name, (is_asked, is_done) in {TURN: (True, right is not False), **_parts(turn)}.items():
        is_open = is_asked and is_done and right is None
        value = float(right or is_done) if is_asked and not is_open else None
        values[name] = Measured(value, why if is_asked else NOT_ASKED[name], is_open=is_open)
    return values


def _parts(turn: ConversationTurn) -> dict[str, tuple[bool, bool]]:
    """Whether each part of a turn is asked for, and whether it is right, as far as is known."""
    cart, now = turn.cart.with_open(), turn.cart.pieces
    then, beside = turn.before.pieces if turn.before else now, () if turn.wish.room else cart.besides
    earlier = turn.limits(of_before=True)
    is_asking = turn.before is None or turn.before.wish != turn.wish or bool(turn.query.relations)
    is_changed = turn.is_right is not False
    if turn.can_be_met and turn.decision != "none":
        is_gone = turn.before is None or all(now[key] > then[key] for key in beside)
        follows = turn.query.relations.keys().isdisjoint(cart.left_out)
        is_changed = is_gone and follows and not turn.breaches(turn.limits(of_before=False))
    is_kept = all(now[key] >= then[key] for key in turn.kept) and all(now[key] <= then[key] for key in beside)
    return {
        HELD: (bool(turn.can_be_met and (earlier.wants or earlier.budget)), not turn.breaches(earlier)),
        CHANGED: (is_asking, is_changed),
        UNTOUCHED: (turn.may_keep and bool(turn.kept), is_kept),
    }


def _faults(turn: ConversationTurn) -> Iterator[str]:
    """What is wrong with a turn, a sentence each."""
    if not turn.can_be_met:
        yield "Nothing in the shop does what is asked, and the cart is not as it was."
        return
    if turn.decision == "none":
        yield "It is refused, and the shop has what is asked for."
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
