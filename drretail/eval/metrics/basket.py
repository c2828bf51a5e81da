"""How close a report's picks are to the best basket of the shop, without a model (docs/scores.md)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from drretail.eval.baskets import MEASURES, Measured, feasible, not_measured, refuses_rightly
from drretail.eval.judging.question import NO_WORLD
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import of_measures
from drretail.eval.metrics.readings import picks_by, picks_of
from drretail.records.query import NOT_TYPED, OF_TURNS, Ends, Reference
from drretail.records.reading import Pick
from drretail.shopping.cart import Cart

NO_SHOP = "finding the best basket takes the whole shop, and an import keeps only the products that reports name"
NO_PICKS = "the report's picks are not known"
RIGHT = "right"
VARIANTS = (RIGHT, *MEASURES)
DECIDED = (RIGHT, "covered", "feasible", "utility_ratio")
"""Measures in which a run without declared picks gets 0: it did not decide to buy nothing."""


def measure(subject: Subject) -> Mapping[str, Measured]:
    """Every measure's value; its note says who read the picks."""
    picks, reader = picks_of(subject)
    measures, by = _measured(subject, subject.reference, picks), picks_by(picks, reader)
    return {variant: replace(measured, notes=(by,)) for variant, measured in measures.items()}


def applies(subject: Subject) -> tuple[str, ...]:
    """``right``, if the shop can meet the wish or it is proved that it can't; ``feasible``, if it can."""
    query, reference = subject.query, subject.ends
    if (
        subject.is_turn
        or not query.wants_something
        or reference is None
        or (reference.best is None and not is_unmeetable(reference))
    ):
        return ()
    return (RIGHT,) if not_measured(query.wish, reference) is not None else (RIGHT, "feasible")


def is_unmeetable(reference: Ends) -> bool:
    """True if it is proved that the shop can't meet the wish."""
    return reference.proof is not None and reference.proof.state == "proved"


def _measured(subject: Subject, reference: Reference | None, picks: Sequence[Pick] | None) -> Mapping[str, Measured]:
    def none(why: str) -> dict[str, Measured]:
        return dict.fromkeys(VARIANTS, Measured(None, why))

    wish = subject.query.wish
    if subject.is_turn:
        return none(OF_TURNS)
    if reference is None:
        return none(NO_SHOP if subject.system.is_imported else NOT_TYPED if wish is None else NO_WORLD)
    lack, undecided = not_measured(wish, reference), subject.case.no_decision
    of_picks: dict[str, Measured] = {}  # what is known of them even where the shop can't meet the wish
    if wish is not None and is_unmeetable(reference):
        of_picks[RIGHT] = Measured(float(refuses_rightly(subject.case, reference)), lack or "")
    if lack is not None or wish is None:
        return none(lack or "") | of_picks
    if undecided is not None:
        return none(undecided) | dict.fromkeys(DECIDED, Measured(0.0, undecided))
    if picks is None:
        return none(NO_PICKS)
    cart = Cart(wish, reference, tuple(picks), subject.case.ledger(picks).products)
    return {RIGHT: feasible(cart)} | {variant: measure(cart) for variant, measure in MEASURES.items()} | of_picks


METRIC = of_measures("basket", 7, measure, applies=applies)
