"""Stage 3: whether the sources of a claim bear it out: 1 wholly, 0.5 in part, 0 not at all (paper Table 8)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from drretail.eval.faithfulness.extraction import SUPPORT, SUPPORT_SHOWN, Unit
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.prompts import Prompt, load_prompt, tagged
from drretail.records.base import Record, sha256_of
from drretail.records.evidence import Evidence, EvidenceText
from drretail.records.score import SourceRef, Verdict


@dataclass(frozen=True, slots=True)
class SourceText:
    """One text of one source."""

    id: str
    text: EvidenceText
    date: str | None = None
    """Of a web page, where it is known."""

    @property
    def ref(self) -> SourceRef:
        return SourceRef(id=self.id, sha256=self.text.sha256)


@dataclass(frozen=True, slots=True)
class Content:
    """What a unit's sources hold. Without texts the unit is unverifiable."""

    texts: tuple[SourceText, ...]
    unreadable: tuple[str, ...]
    """Sources that could not be read: not in the ledger, blocked, in error, or empty."""


def content_of(sources: Sequence[str], evidence: Mapping[str, Evidence]) -> Content:
    """The readable texts of the sources."""
    texts: list[SourceText] = []
    unreadable: list[str] = []
    for source in sources:
        entry = evidence.get(source)
        # Of a page that could not be read there may be the snippet that the agent was shown.
        found = () if entry is None else _readable(entry)
        texts += found
        if not found:
            unreadable.append(source)
    return Content(tuple(texts), tuple(unreadable))


def _readable(entry: Evidence) -> list[SourceText]:
    return [SourceText(entry.id, text, entry.date) for text in entry.sources if text.text.strip()]


def summaries_of(sources: Sequence[str], evidence: Mapping[str, Evidence]) -> tuple[SourceText, ...]:
    """What the agent read instead of the sources: the summaries of their pages."""
    entries = [entry for source in sources if (entry := evidence.get(source)) is not None]
    return tuple(
        SourceText(entry.id, text, entry.date)
        for entry in entries
        for text in entry.texts
        if text.form == "summary" and text.shown and text.text.strip()
    )


def source_tags(texts: Sequence[SourceText]) -> str:
    """The texts for a prompt, each in a ``<source id="…">`` tag, with the page's date where it is known."""
    return "\n\n".join(
        tagged("source", source.text.text, id=source.id, **({"date": source.date} if source.date else {}))
        for source in texts
    )


PARTIAL_CONTENT, QUOTE_DROPPED, DISTORTED = "partial_content", "quote_dropped", "distorted_in_summary"
NOTES = (PARTIAL_CONTENT, QUOTE_DROPPED, DISTORTED)
"""What a verdict of support may note: some sources could not be read; the quote stands in no
source and was dropped; only the summary that the agent read bears the claim out."""
_VALUES = {"full_support": 1.0, "partial_support": 0.5, "no_support": 0.0}


class Support(Record):
    """How far the sources bear out a claim."""

    support: Literal["full_support", "partial_support", "no_support"]
    justification: str
    quote: str


@dataclass(frozen=True, slots=True)
class Judged:
    """What a judge said of a claim and some texts; ``value`` None when it failed."""

    value: float | None
    reason: str = ""
    quote: str | None = None
    notes: tuple[str, ...] = ()
    error: str | None = None


def support_prompt() -> Prompt:
    return load_prompt(__file__, "support")


async def judge_support(subject: Subject, judge_session: JudgeSession, unit: Unit) -> Verdict:
    """The verdict of one unit, the standing one or a new one."""
    standing = judge_session.standing(SUPPORT, unit.item) or judge_session.standing(
        SUPPORT, unit.item, support_prompt().hash
    )
    if standing is not None:
        return standing
    content = content_of(unit.sources, subject.evidence)
    if judge_session.rules == "drg":
        content = _as_drg_reads(content)
    notes = (PARTIAL_CONTENT,) if content.texts and content.unreadable else ()
    if not content.texts:
        reason = f"none of its sources could be read: {', '.join(content.unreadable)}"
        return judge_session.record(SUPPORT, unit.item, "unverifiable", reason=reason)
    judged = await asked(subject, judge_session, SUPPORT, unit, content.texts)
    if judge_session.rules == "default" and judged.value is not None and judged.value < 1:
        notes += await _distortion(subject, judge_session, unit, judged.value)
    return recorded(judge_session, SUPPORT, unit, content.texts, judged, notes)


async def asked(
    subject: Subject, judge_session: JudgeSession, stage: str, unit: Unit, texts: Sequence[SourceText]
) -> Judged:
    """What the judge says of a claim and these texts."""
    values = {"today": subject.today, "claim": tagged("claim", unit.claim.claim), "sources": source_tags(texts)}
    claim_verdict = await judge_session.ask(stage, unit.item, support_prompt(), values, Support)
    if claim_verdict.answer is None:
        return Judged(None, error=claim_verdict.error)
    said = claim_verdict.answer
    quote = said.quote.strip() or None
    dropped = quote is not None and not any(_stands_in(quote, source.text.text) for source in texts)
    return Judged(
        _VALUES[said.support], said.justification, None if dropped else quote, (QUOTE_DROPPED,) if dropped else ()
    )


def recorded(
    judge_session: JudgeSession,
    stage: str,
    unit: Unit,
    texts: Sequence[SourceText],
    judged: Judged,
    notes: tuple[str, ...] = (),
) -> Verdict:
    """The verdict of what the judge said."""
    return judge_session.record(
        stage,
        unit.item,
        "failed" if judged.value is None else "scored",
        judged.value,
        prompt_hash=support_prompt().hash,
        reason=judged.reason,
        quote=judged.quote,
        sources=[source.ref for source in texts],
        notes=(*notes, *judged.notes),
        error=judged.error,
    )


async def _distortion(subject: Subject, judge_session: JudgeSession, unit: Unit, value: float) -> tuple[str, ...]:
    """The note of a claim that the summaries bear out better than their pages; asked only where there are summaries."""
    summaries = summaries_of(unit.sources, subject.evidence)
    if not summaries:
        return ()
    verdict = judge_session.standing(SUPPORT_SHOWN, unit.item, support_prompt().hash)
    if verdict is None:
        judged = await asked(subject, judge_session, SUPPORT_SHOWN, unit, summaries)
        verdict = recorded(judge_session, SUPPORT_SHOWN, unit, summaries, judged)
    return (DISTORTED,) if verdict.state == "scored" and float(verdict.value) > value else ()


def _as_drg_reads(content: Content) -> Content:
    """What is unreadable becomes a sentence that says so, and addresses are taken out of the texts."""
    read = [
        replace(source, text=source.text.model_copy(update={"text": re.sub(r"https?://\S+", "", source.text.text)}))
        for source in content.texts
    ]
    failed = [SourceText(source, _error_text(source)) for source in content.unreadable]
    return Content((*read, *failed), ())


def _error_text(source: str) -> EvidenceText:
    text = f"Error: the content of {source} could not be fetched."
    return EvidenceText(sha256=sha256_of(text), form="page", text=text, shown=False, path="0", seq=0)


def _stands_in(quote: str, text: str) -> bool:
    """True when the quote occurs in the text, however white space is set."""
    return " ".join(quote.split()) in " ".join(text.split())
