"""Whether a turn's cart does what was said in it, and keeps what was said before, without a model (docs/scores.md)."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from drretail.eval.baskets import Measured, described, feasible
from drretail.eval.judging.question import NO_WORLD
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import of_measures
from drretail.experiment import ended_run, read_definition
from drretail.grounding.cart import Cart
from drretail.grounding.conversation import TurnAsked
from drretail.records.query import NOT_LAST, NOT_TYPED, Query, turn_numbers
from drretail.records.reading import Pick
from drretail.records.run import Run

NO_CONVERSATION = "it is no turn of a conversation"
NO_DECISION = "its run declares no picks, and no refusal"
FIRST = "nothing was said before"
BESIDE_SHOP = "nothing in the shop does what is asked of the system's own picks"
TURN, HELD, CHANGED, UNTOUCHED, WHOLE = VARIANTS = ("turn", "held", "changed", "untouched", "whole")


def measure(subject: Subject) -> Mapping[str, Measured] | str:
    """The values of one turn, and in the last one whether all were right."""
    if not subject.earlier and not subject.is_followed:
        return NO_CONVERSATION
    if subject.query.wish is None:
        return NOT_TYPED
    if subject.reference is None or subject.store is None:
        return NO_WORLD
    assert subject.folder is not None
    folder, label, repeat = subject.folder, subject.label, subject.repeat
    runs = [*(ended_run(folder, label, query.query_id, repeat) for query in subject.earlier), subject.run]
    measured = _turn(subject, runs)
    return measured | {WHOLE: _whole(subject, runs, measured[TURN])}


def _turn(subject: Subject, runs: Sequence[Run | None]) -> dict[str, Measured]:
    """The values of the last turn of which a run is given."""
    turns = (*subject.earlier, subject.query)[: len(runs)]
    run, query, store = runs[-1], turns[-1], subject.store
    reference = subject.references.get(query.query_id) or subject.reference
    assert store is not None
    assert reference is not None
    past = [(turn, (then.picks if then else None) or ()) for turn, then in zip(turns[:-1], runs[:-1], strict=True)]
    asked = TurnAsked.after(past, query, reference, store.products)
    if run is None or run.picks is None or run.outcome is None:
        return dict.fromkeys((TURN, *_present(asked)), Measured(0.0, NO_DECISION)) | _absent(asked)
    return turn_values(asked, run.picks, is_refused=run.outcome.decision != "buy")


def _present(asked: TurnAsked) -> tuple[str, ...]:
    """The parts of a turn that can be right or wrong, by its wish and the one before."""
    present = ((HELD, asked.held.wants or asked.held.budget), (CHANGED, asked.asks_something))
    kept = any(map(asked.is_kept, asked.wish.wants))
    return tuple(name for name, has in (*present, (UNTOUCHED, asked.before is not None and kept)) if has)


def _absent(asked: TurnAsked) -> dict[str, Measured]:
    lacking = {HELD: "no earlier limit stands", CHANGED: "the turn asks for no change", UNTOUCHED: "all is changed"}
    reasons = lacking if asked.before is not None else dict.fromkeys(lacking, FIRST)
    return {name: Measured(None, reason) for name, reason in reasons.items() if name not in _present(asked)}


def turn_values(asked: TurnAsked, picks: Sequence[Pick], *, is_refused: bool) -> dict[str, Measured]:
    """The values of a turn in which this was picked or refused."""
    leaves = not picks or asked.is_unchanged(picks)
    if asked.is_unmeetable or asked.is_beyond_shop:
        # Who is asked for a cheaper one than the cheapest may also just keep it.
        right = leaves and (is_refused or (asked.is_beyond_shop and bool(picks)))
        why = BESIDE_SHOP if asked.is_beyond_shop else "the shop provably can't meet the wish"
        decided = dict.fromkeys((TURN, CHANGED), Measured(float(right), why))
        untouched = Measured(float(leaves), why) if asked.has_before else Measured(None, "nothing was there to keep")
        return decided | {HELD: Measured(None, why), UNTOUCHED: untouched}
    cart = Cart(asked.wish, asked.followed, tuple(picks), asked.look_up([pick.product for pick in picks]))
    values = {TURN: feasible(cart), **_absent(asked)}
    if HELD not in values:
        values[HELD] = _held(asked, picks)
    if CHANGED not in values:
        values[CHANGED] = _changed(asked, picks)
    if UNTOUCHED not in values:
        touched = asked.touched(cart)
        other = f"other than before: {', '.join(touched)}" if touched else "as before"
        lack = "not all can stay" if not asked.may_keep else None if asked.has_kept else "nothing was there to keep"
        values[UNTOUCHED] = Measured(float(not touched), other) if lack is None else Measured(None, lack)
    return {name: values[name] for name in (TURN, HELD, CHANGED, UNTOUCHED)}


def _held(asked: TurnAsked, picks: Sequence[Pick]) -> Measured:
    cart = asked.held_in(picks)
    needed = [number for number, thing in enumerate(cart.things) if not thing.optional]
    if not all(cart.taken[number] for number in needed) or not cart.keeps_to_money:
        lenient = cart.with_open()
        is_open = all(lenient.taken[number] for number in needed) and cart.keeps_to_money
        return Measured(None if is_open else 0.0, described(cart), is_open=is_open)
    return Measured(1.0, described(cart))


def _changed(asked: TurnAsked, picks: Sequence[Pick]) -> Measured:
    cart = asked.asked_of(picks)
    left = sorted(asked.dropped & {cart.offer_id(pick) for pick in picks} - asked.wanted_still(picks))
    return Measured(0.0, f"not dropped: {', '.join(left)}") if left else feasible(cart)


def _whole(subject: Subject, runs: Sequence[Run | None], last: Measured) -> Measured:
    if subject.is_followed or not subject.earlier:
        return Measured(None, NOT_LAST)
    typed = (at for at, query in enumerate(subject.earlier) if query.wish is not None)
    turns = [*(_turn(subject, runs[: at + 1])[TURN] for at in typed), last]
    wrong = [str(number) for number, turn in enumerate(turns, 1) if turn.value == 0]
    if not wrong and any(turn.is_open for turn in turns):
        return Measured(None, "a demand is open", is_open=True)
    return Measured(float(not wrong), f"wrong: turn {', '.join(wrong)}" if wrong else "every turn is right")


def applies(experiment: Path, query: Query) -> tuple[str, ...]:
    """What a turn has by the wishes alone, whatever its report says."""
    queries = read_definition(experiment).queries
    is_followed = any(later.after == query.query_id for later in queries)
    if query.wish is None or (query.after is None and not is_followed):
        return ()
    variants = [TURN, CHANGED] if query.wish.wants else [TURN]
    if query.after is not None:
        variants += [HELD, UNTOUCHED]
        variants += [] if is_followed else [WHOLE]
    return tuple(variants)


def lacks(experiment: Path) -> str:
    """A sentence if the experiment has no conversation with a wish."""
    queries = read_definition(experiment).queries
    numbers = turn_numbers(queries)
    has = any(query.wish is not None for query in queries if query.query_id in numbers)
    return "" if has else "No query of this experiment is a turn of a conversation with a wish."


METRIC = of_measures("conversation", 1, measure, lacks=lacks, applies=applies, after=())
