"""One report's declared outcome beside the proof: what was decided, why, and what was offered instead."""

from collections.abc import Callable, Mapping

from drretail.eval.judging.readings import case_of
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.experiment import read_reference
from drretail.grounding.basket.distance import LACKS, NO_REFERENCE, NOT_REQUIRED
from drretail.grounding.basket.refusal import Decided, decide, seen_among
from drretail.grounding.basket.shown import is_shown
from drretail.records.query import NOT_TYPED
from drretail.records.score import VerdictState

STAGE, ITEM = "decide", "report"
OPEN = "whether the shop can meet the wish is neither proved nor refuted"


def judge_outcome(subject: Subject, judge_session: JudgeSession) -> None:
    """Records the one verdict, and anew what comes out differently."""
    state, value, reason = _decided(subject)
    judge_session.record_if_changed(STAGE, ITEM, state, value, reason)


def _decided(subject: Subject) -> tuple[VerdictState, object, str]:
    reference = None if subject.folder is None else read_reference(subject.folder, subject.query.query_id)
    proof = None if reference is None else reference.proof
    if subject.query.wish is None:
        return "na", None, NOT_TYPED
    if not subject.query.wish.wants:
        return "na", None, LACKS["no_things"]
    if subject.run is None or reference is None or proof is None:
        return "na", None, NO_REFERENCE
    if proof.state == "open":
        return "na", None, OPEN
    if all(want.optional for want in subject.query.wish.wants):
        return "na", None, NOT_REQUIRED
    outcome = subject.run.outcome
    known = case_of(subject).products(subject.run.picks)
    decided = decide(outcome, reference, proof, seen_among(outcome, known, subject.evidence), subject.run.picks or ())
    if proof.state == "proved":
        shown = is_shown(subject.query.wish, reference, subject.run.steps, known, subject.query.user_id)
        decided = decided.model_copy(update={"shown": shown})
    declared = "nothing declared" if outcome is None else " ".join((outcome.decision, *outcome.because))
    return "scored", decided.model_dump(mode="json"), f"{declared}; {proof.state} {proof.lack or ''}".strip()


def _of(state: str, read: Callable[[Decided], float | bool | None]) -> Callable[[Decided], float | None]:
    """What is read of queries of one state; None of the others."""

    def value(decided: Decided) -> float | None:
        found = read(decided) if decided.state == state else None
        return None if found is None else float(found)

    return value


VALUES: Mapping[str, Callable[[Decided], float | None]] = {
    "refusal_recall": _of("proved", lambda decided: decided.refused),
    "false_refusal": _of("refuted", lambda decided: decided.refused),
    "reason": _of("proved", lambda decided: decided.reason),
    "nearest": _of("proved", lambda decided: decided.nearest),
    "shown": _of("proved", lambda decided: decided.shown),
    "bought_anyway": _of("proved", lambda decided: decided.bought),
    "undeclared": lambda decided: float(not decided.declared),
}
"""By variant, in the order of tables."""
