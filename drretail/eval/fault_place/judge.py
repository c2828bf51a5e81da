"""One verdict for all wrong claims of a report: code's, beside the claims of the judge that it follows."""

from collections.abc import Iterable

from drretail.eval.claims.claims import ALL_TYPES, TYPES
from drretail.eval.claims.claims import FAMILY as FAITHFULNESS
from drretail.eval.claims.claims import VERSION as FAITHFULNESS_VERSION
from drretail.eval.claims.tally import ReportVerdicts
from drretail.eval.faithfulness.judge import prompt_hashes
from drretail.eval.fault_place.handed_on import handed_on
from drretail.eval.fault_place.placing import PlacedClaim, Placer
from drretail.eval.fault_place.wrong_claims import wrong_claims
from drretail.eval.judging.readings import case_of
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.records.base import sha256_of
from drretail.records.score import Verdict, VerdictState

FAMILY, VERSION = "fault_place", 1
STAGE, ITEM = "place", "report"
NO_WORLD = "the world is not at hand, so that what it has cannot be told from what is made up"
NAME_IT = f"{NO_WORLD}: score --world DIR names it"
NOT_JUDGED = "this judge has not judged the claims of the report to the end: score faithfulness"


async def judge_places(subject: Subject, judge_session: JudgeSession) -> None:
    """Records the places of the report's wrong claims, and anew where they come out differently; asks nobody.

    Without the world those stay that were found by the same verdicts.
    """
    judged = judge_session.said_in(FAITHFULNESS, FAITHFULNESS_VERSION, prompt_hashes())
    standing, of = judge_session.standing(STAGE, ITEM), _content_of(judged)
    if subject.store is None and standing is not None and (standing.state, standing.reason) == ("scored", of):
        return
    state, placed, reason = _placed(subject, judge_session, judged)
    value = None if placed is None else [it.model_dump(mode="json") for it in placed]
    reason = of if state == "scored" else reason
    if standing is None or (standing.state, standing.value, standing.reason) != (state, value, reason):
        judge_session.record(STAGE, ITEM, state, value, reason=reason)


def placed_in(verdict: Verdict) -> list[PlacedClaim]:
    """The placed claims that a verdict holds."""
    return [PlacedClaim.model_validate(it) for it in verdict.value or ()]


def placed_of(verdicts: Iterable[Verdict]) -> dict[str, PlacedClaim]:
    """The same of a report's verdicts by the claim's id; of several repeats the last."""
    return {it.claim_id: it for verdict in verdicts for it in placed_in(verdict)}


def _content_of(judged: Iterable[Verdict]) -> str:
    """Stands for the verdicts that places follow from."""
    in_order = sorted(judged, key=lambda it: (it.stage, it.item))
    said = [(it.stage, it.item, it.state, it.value, it.quote, it.notes) for it in in_order]
    return f"by the verdicts {sha256_of(said)[:16]}"


def _placed(
    subject: Subject, judge_session: JudgeSession, judged: list[Verdict]
) -> tuple[VerdictState, list[PlacedClaim] | None, str]:
    if subject.store is None or subject.run is None:
        return "na", None, NO_WORLD if subject.system.is_imported else NAME_IT
    claims = ReportVerdicts(judged, judge_session.rules)
    if not judged or claims.tally((*TYPES, ALL_TYPES)).unasked:
        return "na", None, NOT_JUDGED
    if claims.judged is None:
        return "failed", None, "the judge gave no claims"
    case = case_of(subject)
    wrong = wrong_claims(claims.judged, judged, case)
    placer = Placer(subject, case.ledger(case.picks), handed_on(subject.folder, subject.run))
    return "scored", [placer.placed(it) for it in wrong], ""
