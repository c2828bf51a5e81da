"""The measures of one report: a verdict for each, its value a number."""

from collections.abc import Mapping, Sequence

from drretail.eval.basket.distance import MEASURES, Distance, Measured
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.reading.kept import picks_by, reading_of
from drretail.experiment import read_reference
from drretail.records.query import Reference
from drretail.records.reading import Pick
from drretail.records.score import VerdictState

STAGE = "basket"
NO_REFERENCE = "the experiment was opened without baskets: run it again, and they are found"
NO_SHOP = "the report is imported, and no shop is known that it could have bought in"
NO_PICKS = "the report's picks are not known"


def judge_basket(subject: Subject, judge_session: JudgeSession) -> None:
    """Records what is not measured yet, and anew what comes out differently; the note says who read the picks."""
    reference = None if subject.folder is None else read_reference(subject.folder, subject.query.query_id)
    reading = reading_of(subject)
    for variant, measured in _measured(subject, reference, reading.picks).items():
        state: VerdictState = "na" if measured.value is None else "scored"
        notes = (picks_by(reading),)
        standing = judge_session.standing(STAGE, variant)
        made = (state, measured.value, measured.reason, notes)
        if standing is None or made != (standing.state, standing.value, standing.reason, standing.notes):
            judge_session.record(STAGE, variant, state, measured.value, reason=measured.reason, notes=notes)


def _measured(subject: Subject, reference: Reference | None, picks: Sequence[Pick] | None) -> Mapping[str, Measured]:
    if reference is None or picks is None:
        without = NO_SHOP if subject.system.is_imported else NO_REFERENCE
        lack = Measured(None, without if reference is None else NO_PICKS)
        return dict.fromkeys(MEASURES, lack)
    distance = Distance.of(reference, subject.query.constraints, [it.product for it in picks])
    return {variant: measure(distance) for variant, measure in MEASURES.items()}
