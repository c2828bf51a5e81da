"""The measures of one report: a verdict for each, its value a number."""

from collections.abc import Mapping

from drretail.eval.judging.readings import case_of, picks_by, reading_of
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.experiment import read_reference
from drretail.grounding.basket.cart import Cart
from drretail.grounding.basket.distance import MEASURES, NO_DECISION, NO_REFERENCE, Measured, not_measured
from drretail.grounding.verify.checks import Case
from drretail.records.query import Reference
from drretail.records.reading import Reading
from drretail.records.score import VerdictState

STAGE = "basket"
NO_SHOP = "the report is imported, and no shop is known that it could have bought in"
NO_PICKS = "the report's picks are not known"
DECIDED = ("covered", "feasible", "utility_ratio")
"""Measures in which a run that declares no picks earns nothing: to buy nothing without a word is no answer."""


def judge_basket(subject: Subject, judge_session: JudgeSession) -> None:
    """Records what is not measured yet, and anew what comes out differently; the note says who read the picks."""
    reference = None if subject.folder is None else read_reference(subject.folder, subject.query.query_id)
    case = case_of(subject)
    reading = reading_of(subject, case)
    notes = (picks_by(reading),)
    for variant, measured in _measured(subject, reference, case, reading).items():
        state: VerdictState = "na" if measured.value is None else "scored"
        judge_session.record_if_changed(STAGE, variant, state, measured.value, measured.reason, notes)


def _measured(subject: Subject, reference: Reference | None, case: Case, reading: Reading) -> Mapping[str, Measured]:
    wish = subject.query.wish
    if reference is None:
        return _none(NO_SHOP if subject.system.is_imported else NO_REFERENCE)
    lack = not_measured(wish, reference)
    if lack is not None or wish is None:
        return _none(lack or "")
    if case.is_undecided:
        return _none(NO_DECISION) | dict.fromkeys(DECIDED, Measured(0.0, NO_DECISION))
    if reading.picks is None:
        return _none(NO_PICKS)
    products = case.ledger(reading.picks).products
    cart = Cart(wish, reference, reading.picks, products)
    return {variant: measure(cart) for variant, measure in MEASURES.items()}


def _none(why: str) -> dict[str, Measured]:
    return dict.fromkeys(MEASURES, Measured(None, why))
