"""The measures of one run: a verdict for each, its value a share."""

from collections.abc import Mapping
from pathlib import Path

from drretail.eval.families.understood.two_wishes import Share, compared
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.experiment import read_runs
from drretail.records.query import NOT_TYPED
from drretail.records.score import VerdictState

FAMILY = STAGE = "understood"
VARIANTS = ("understood", "wants", "limits")
NOT_DECLARED = "the run does not say how it understood the question"
NO_WORLD = "the world is not at hand: name it with --world"


def judge_understood(subject: Subject, judge_session: JudgeSession) -> None:
    """Records what is not measured yet, and anew what comes out differently.

    What was measured stays where the world is not at hand this time.
    """
    for variant, measured in _measured(subject).items():
        state: VerdictState = "na" if measured.value is None else "scored"
        if measured.reason != NO_WORLD or judge_session.existing(STAGE, variant) is None:
            judge_session.record_if_changed(STAGE, variant, state, measured.value, measured.reason)


def lacks_understanding(experiment: Path) -> str:
    """Why there is nothing to measure in an experiment; empty where a run says how it understood its question."""
    if any(run.understood is not None for run in read_runs(experiment)):
        return ""
    return "holds no run that says how it understood its question"


def _measured(subject: Subject) -> Mapping[str, Share]:
    understood = None if subject.run is None else subject.run.understood
    wish = subject.query.wish
    if understood is not None and wish is not None and subject.offers is not None:
        return compared(wish, understood, subject.offers)
    why = NOT_DECLARED if understood is None else NOT_TYPED if wish is None else NO_WORLD
    return dict.fromkeys(VARIANTS, Share(None, why))
