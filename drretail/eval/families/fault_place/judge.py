"""One verdict for all wrong claims of a report: code's, beside the claims of the judge that it follows."""

from collections.abc import Iterable, Sequence

from drretail.eval.breakdown import ITEM
from drretail.eval.claims.claims import ALL_TYPES, TYPES
from drretail.eval.claims.tally import ReportVerdicts
from drretail.eval.families.fault_place.handed_on import handed_on
from drretail.eval.families.fault_place.placing import PlacedClaim, Placer, wrong_claims
from drretail.eval.family import ClaimMark
from drretail.eval.judging.question import CodeVerdict
from drretail.eval.judging.readings import case_of
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.records.base import sha256_of
from drretail.records.score import Verdict

FAMILY, VERSION = "fault_place", 1
STAGE = "place"
FOLLOWS = "faithfulness"
"""The family whose wrong claims it places."""
NO_WORLD = "the world is not at hand, so that what it has cannot be told from what is made up"
NAME_IT = f"{NO_WORLD}: score --world DIR names it"
NOT_JUDGED = "this judge has not judged the claims of the report to the end: score faithfulness"


def sort_claims(subject: Subject, judge_session: JudgeSession, judged: Sequence[Verdict]) -> CodeVerdict | None:
    """The places of the report's wrong claims. Without the world those are left that follow from the same verdicts."""
    existing, of = judge_session.existing(STAGE, ITEM), _content_of(judged)
    if subject.store is None and existing is not None and (existing.state, existing.reason) == ("scored", of):
        return None
    if subject.store is None or subject.run is None:
        return CodeVerdict("na", None, NO_WORLD if subject.system.is_imported else NAME_IT)
    claims = ReportVerdicts(judged, judge_session.rules)
    if not judged or claims.tally((*TYPES, ALL_TYPES)).unasked:
        return CodeVerdict("na", None, NOT_JUDGED)
    if claims.judged is None:
        return CodeVerdict("failed", None, "the judge gave no claims")
    case = case_of(subject)
    placer = Placer(subject, case.ledger(case.picks), handed_on(subject.folder, subject.run))
    placed = (placer.placed(claim) for claim in wrong_claims(claims.judged, judged, case))
    return CodeVerdict("scored", [placed_claim.model_dump(mode="json") for placed_claim in placed], of)


def placed_in(verdict: Verdict) -> list[PlacedClaim]:
    """The placed claims that a verdict holds."""
    return [PlacedClaim.model_validate(each) for each in verdict.value or ()]


def marks(verdicts: Iterable[Verdict]) -> dict[str, ClaimMark]:
    """By the claim's id its place, with the reason; of several repeats the last."""
    return {it.claim_id: ClaimMark(it.place, it.reason) for verdict in verdicts for it in placed_in(verdict)}


def _content_of(judged: Iterable[Verdict]) -> str:
    """Stands for the verdicts that places follow from."""
    in_order = sorted(judged, key=lambda verdict: (verdict.stage, verdict.item))
    content = [
        (verdict.stage, verdict.item, verdict.state, verdict.value, verdict.quote, verdict.notes)
        for verdict in in_order
    ]
    return f"by the verdicts {sha256_of(content)[:16]}"
