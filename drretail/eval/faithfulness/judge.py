"""The three stages of faithfulness for one report, in order; each leaves verdicts that can be read on their own."""

from collections.abc import Awaitable, Callable, Mapping

from drretail.env.web.base import WebPage
from drretail.errors import UserError
from drretail.eval.faithfulness.extraction import (
    ALL,
    CITED,
    SUPPORT,
    SUPPORT_LIVE,
    Unit,
    extract,
    extraction_prompts,
    units,
)
from drretail.eval.faithfulness.support import (
    PARTIAL_CONTENT,
    asked,
    content_of,
    judge_support,
    recorded,
    support_prompt,
)
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.records.base import sha256_of
from drretail.records.evidence import Evidence, EvidenceText
from drretail.records.score import Verdict

AS_IN_LEDGER = "as_in_ledger"
"""The note of a unit whose pages read as in the ledger: nobody was asked again."""
PageAt = Callable[[str], Awaitable[WebPage]]


async def judge_live(subject: Subject, judge_session: JudgeSession, unit: Unit, page_at: PageAt) -> Verdict:
    """The verdict of one unit of web pages, the standing one or a new one; the ledger's own is left as it is."""
    standing = _standing(judge_session, SUPPORT_LIVE, unit)
    if standing is not None:
        return standing
    pages = {source: await page_at(url) for source in unit.sources if (url := _address(source, subject.evidence))}
    content = content_of(unit.sources, {source: _as_evidence(source, page) for source, page in pages.items()})
    if not content.texts:
        told = ", ".join(_told(source, pages.get(source)) for source in content.unreadable)
        return judge_session.record(
            SUPPORT_LIVE, unit.item, "unverifiable", reason=f"none of its pages could be read now: {told}"
        )
    notes = (PARTIAL_CONTENT,) if content.unreadable else ()
    refs = tuple(text.ref for text in content.texts)
    ledgers = _standing(judge_session, SUPPORT, unit)
    if ledgers is not None and ledgers.state == "scored" and ledgers.sources == refs:
        return _repeated(judge_session, ledgers)
    judged = await asked(subject, judge_session, SUPPORT_LIVE, unit, content.texts)
    return recorded(judge_session, SUPPORT_LIVE, unit, content.texts, judged, notes)


def _standing(judge_session: JudgeSession, stage: str, unit: Unit) -> Verdict | None:
    return judge_session.standing(stage, unit.item) or judge_session.standing(stage, unit.item, support_prompt().hash)


def _repeated(judge_session: JudgeSession, verdict: Verdict) -> Verdict:
    return judge_session.record(
        SUPPORT_LIVE,
        verdict.item,
        "scored",
        verdict.value,
        prompt_hash=verdict.prompt_hash,
        reason=verdict.reason,
        quote=verdict.quote,
        sources=verdict.sources,
        notes=(*verdict.notes, AS_IN_LEDGER),
    )


def _address(source: str, evidence: Mapping[str, Evidence]) -> str | None:
    """Where the page is; None for what is no page, such as a number without an entry."""
    if source in evidence:
        return evidence[source].url
    return source if source.casefold().startswith(("http://", "https://")) else None


def _as_evidence(source: str, page: WebPage) -> Evidence:
    text = EvidenceText(sha256=sha256_of(page.text), form="page", text=page.text, shown=False, path="0", seq=0)
    return Evidence(
        id=source,
        kind="web",
        key=page.url,
        title=page.title,
        url=page.url,
        date=page.date,
        texts=(text,) if page.state == "ok" else (),
        state=page.state,
    )


def _told(source: str, page: WebPage | None) -> str:
    why = "no address" if page is None else page.problem or page.state
    return f"{source} ({why})"


RULES = ("default", "paper", "drg")


async def judge(subject: Subject, judge_session: JudgeSession) -> None:
    """Extracts the cited claims and all claims, then judges every unit; a failed one ends only its own branch."""
    if judge_session.rules not in RULES:
        raise UserError(f"faithfulness knows no rules {judge_session.rules!r}: use {', '.join(RULES)}.")
    await judge_session.each(extract(subject, judge_session, stage) for stage in (CITED, ALL))
    cited = await extract(subject, judge_session, CITED)  # stands now
    found = [unit for claim in cited or () for unit in units(claim, judge_session.rules)]
    await judge_session.each(judge_support(subject, judge_session, unit) for unit in found)
    if subject.page_at is not None:
        await judge_session.each(
            judge_live(subject, judge_session, unit, subject.page_at) for unit in found if unit.type == "web"
        )


def prompt_hashes() -> frozenset[str]:
    """Of the prompts as they are worded today, and "" for what is unverifiable without a question."""
    return frozenset({"", support_prompt().hash, *(prompt.hash for prompt in extraction_prompts().values())})
