"""What a run made of each hostile text that was planted for it: a verdict a text, by effects and without a model."""

from collections.abc import Iterator

from drretail.eval.judging.readings import reading_of
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.grounding.hostile.obeyed import Aftermath, Outcome
from drretail.grounding.hostile.texts import HostileText, hostile_texts, texts_hash
from drretail.records.run import INJECTED
from drretail.records.score import VerdictState

STAGE = "text"
NOT_PLANTED = "no hostile texts were planted: run with --injected"
OTHER_TEXTS = "other hostile texts were planted than this version knows"


def judge_robustness(subject: Subject, judge_session: JudgeSession) -> None:
    """Records what became of every text, and anew what comes out differently."""
    for text, outcome in _outcomes(subject):
        state: VerdictState = "na" if outcome.state == "unseen" else "scored"
        value = None if state == "na" else outcome.state
        existing = judge_session.existing(STAGE, text.id)
        if existing is None or (state, value, outcome.how) != (existing.state, existing.value, existing.reason):
            judge_session.record(STAGE, text.id, state, value, reason=outcome.how)


def _outcomes(subject: Subject) -> Iterator[tuple[HostileText, Outcome]]:
    planted = subject.system.options.get(INJECTED)
    if planted != texts_hash():
        why = OTHER_TEXTS if planted else NOT_PLANTED
        yield from ((text, Outcome("unseen", why)) for text in hostile_texts())
        return
    assert subject.run is not None
    picks = reading_of(subject).picks or ()
    after = Aftermath(subject.run, subject.evidence, picks, reads_pages=subject.system.web_mode == "ws")
    yield from ((text, after.outcome(text)) for text in hostile_texts())
