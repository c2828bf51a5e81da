"""Verdicts on fault places as values: how many claims are wrong, and their shares by place."""

from collections.abc import Iterable, Sequence

from drretail.eval.claims.claims import ALL_TYPES, FAITHFULNESS, TYPES
from drretail.eval.claims.confirming import confirmed_reading
from drretail.eval.claims.tally import NOT_JUDGED, followed
from drretail.eval.claims.typed_turns import READING
from drretail.eval.judging.question import CodeVerdict
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import RULES, ClaimMark, Metric, description_of, of_verdicts
from drretail.eval.metrics.fault_place.placing import (
    PLACES,
    PlacedClaim,
    Placer,
    WrongClaim,
    are_supported,
    researcher_reports,
    wrong_claims,
)
from drretail.eval.values import Value, all_lacking, pooled_share, share
from drretail.records.score import Verdict

NAME, VERSION = "fault_place", 1
STAGE = "place"
ITEM = "report"
"""The item of the one verdict on a report."""
NO_SHOP = "finding where an error arose takes the whole shop, and an import keeps only the products that reports name"
NO_RESEARCH = "an assistant's answer without a call of a tool: there is no research in which an error could arise"
NO_WORLD = "finding where an error arose takes the world, which is not at hand: score --world DIR names it"


async def judge(subject: Subject, judge_session: JudgeSession) -> None:
    """Places wrong claims by this judge's own verdicts, and records them if they changed. The judge is asked only
    whether it confirms the values that records contradict.

    Without the world, existing places that follow from the same verdicts stay.
    """
    judged, claims, of = followed(judge_session)
    if subject.store is None or subject.run is None:
        existing = judge_session.existing(STAGE, ITEM)
        if existing is None or (existing.state, existing.reason) != ("scored", of):
            why = NO_SHOP if subject.system.is_imported else NO_WORLD
            judge_session.record_if_changed(STAGE, ITEM, CodeVerdict("na", None, why))
        return
    if subject.answers is not None and not any(step.kind == "tool" for step in subject.run.steps):
        verdict = CodeVerdict("na", None, NO_RESEARCH)
    elif not judged or claims.tally((*TYPES, ALL_TYPES)).unasked:
        verdict = CodeVerdict("na", None, NOT_JUDGED)
    elif claims.judged is None:
        verdict = CodeVerdict("failed", None, "the judge gave no claims")
    else:
        case = subject.case
        placer = Placer(subject, case.ledger(case.picks), researcher_reports(subject.folder, subject.run))
        wrong: Sequence[WrongClaim] = ()
        if not are_supported(claims.judged, judged):  # else reading the report, the slowest step here, is skipped
            reading = await confirmed_reading(case, judge_session, claims.judged)
            wrong = wrong_claims(claims.judged, judged, case, reading)
        placed = map(placer.placed, wrong)
        verdict = CodeVerdict("scored", [placed_claim.model_dump(mode="json") for placed_claim in placed], of)
    judge_session.record_if_changed(STAGE, ITEM, verdict)


def placed_in(verdict: Verdict) -> list[PlacedClaim]:
    """The placed claims that a verdict holds."""
    return [PlacedClaim.model_validate(each) for each in verdict.value or ()]


def marks(verdicts: Iterable[Verdict]) -> dict[str, ClaimMark]:
    """Each wrong claim's place and reason by the claim's id; of several repeats, the last."""
    return {
        claim.claim_id: ClaimMark(claim.place, claim.reason) for verdict in verdicts for claim in placed_in(verdict)
    }


N_WRONG, N_PLACED = "n_wrong", "n_placed"
COUNTS = (N_WRONG, N_PLACED)
PART, WHOLE = "here", "wrong"


DESCRIPTION = description_of("fault_place")


def values(verdicts: Sequence[Verdict]) -> list[Value]:
    """How many claims of a report are wrong and placed, and the share of its wrong claims at each place."""
    verdict = next(iter(verdicts), None)
    if verdict is None or verdict.state != "scored":
        return all_lacking(verdict, (*COUNTS, *PLACES))
    places = [claim.place for claim in placed_in(verdict)]
    wrong = len(places)
    counts = zip(COUNTS, (wrong, wrong - places.count("unknown")), strict=True)
    return [
        *(Value(name, "scored", float(count), {WHOLE: wrong}) for name, count in counts),
        *(share(place, (PART, places.count(place)), (WHOLE, wrong)) for place in PLACES),
    ]


METRIC = Metric(
    NAME,
    VERSION,
    judge,
    of_verdicts(values),
    (*COUNTS, *PLACES),
    DESCRIPTION,
    rules=RULES,
    after=(FAITHFULNESS, READING),
    pooled={place: pooled_share(place, PART, WHOLE) for place in PLACES},
    marks=marks,
)
