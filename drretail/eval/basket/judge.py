"""The measures of one report: a verdict for each, its value a number."""

from drretail.eval.basket.distance import MEASURES, Distance, Measured
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.experiment import read_reference
from drretail.grounding.case import Case
from drretail.records.query import Reference

STAGE = "basket"
NO_REFERENCE = "the experiment was opened without baskets: run it again, and they are found"


def judge_basket(subject: Subject, judge_session: JudgeSession) -> None:
    """Records the verdicts that are missing, and those anew that lacked the reference where it is at hand now."""
    standing = {variant: judge_session.standing(STAGE, variant) for variant in MEASURES}
    reference = None if subject.folder is None else read_reference(subject.folder, subject.query.query_id)
    missing = [
        variant
        for variant, verdict in standing.items()
        if verdict is None or (verdict.reason == NO_REFERENCE and reference is not None)
    ]
    if not missing:
        return
    distance = None if reference is None else _distance(subject, reference)
    for variant in missing:
        measured = Measured(None, NO_REFERENCE) if distance is None else MEASURES[variant](distance)
        state = "na" if measured.value is None else "scored"
        judge_session.record(STAGE, variant, state, measured.value, reason=measured.reason)


def _distance(subject: Subject, reference: Reference) -> Distance:
    # Without the world: what a report recommends is found among the products that its run was shown.
    case = Case(report=subject.report or "", evidence=subject.evidence, query=subject.query, run=subject.run)
    recommended = dict.fromkeys(spot.product_id for spot in case.recommended)
    return Distance.of(reference, subject.query.constraints, list(recommended))
