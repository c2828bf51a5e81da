"""The three stages of faithfulness for one report, in order; each records verdicts of its own."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from drretail.env.web.base import WebPage
from drretail.eval.claims.audit import record_audit
from drretail.eval.claims.claims import (
    ALL,
    CITED,
    EXTRACT,
    FROZEN,
    REPORT,
    SUPPORT_LIVE,
    Claim,
    Unit,
    claims_in,
    stages_of,
    unit_of,
)
from drretail.eval.claims.extraction import extract, extraction_prompt, extraction_prompts
from drretail.eval.claims.rulings import SupportJudge, support_prompt
from drretail.eval.claims.support import same_texts
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import RULES
from drretail.llm.prompts.prompt import Prompt
from drretail.records.base import sha256_of
from drretail.records.evidence import Evidence, EvidenceText

AS_IN_LEDGER = "as_in_ledger"
"""The note of a claim whose pages have the same text as in the ledger, so that its verdict was copied."""
PageAt = Callable[[str], Awaitable[WebPage]]


async def judge(subject: Subject, judge_session: JudgeSession) -> None:
    """Extracts the claims, then judges each that cites something. An error ends only its own stage.

    Repeats extract the claims again, and then judge those of the first repeat: so the noise of extraction and of labels
    can be told apart.
    """
    rules = judge_session.rules
    stages = stages_of(rules)
    await judge_session.each(extract(subject, judge_session, stage, with_picks=True) for stage in stages)
    own = await extract(subject, judge_session, stages[0], with_picks=True) or ()  # recorded by now
    claims = frozen_claims(judge_session, own) if rules == "default" else own
    units = [unit for claim in claims if (unit := unit_of(claim, rules)) is not None]
    support_judge = SupportJudge(subject, judge_session, subject.evidence)
    shown = [unit for unit in units if rules == "default" and support_judge.is_shown_otherwise(unit)]
    # Verdicts by shown texts come first: those by whole sources note if the shown text supports a claim better.
    await judge_session.take([*support_judge.shown.steps(shown), *support_judge.steps(units)])
    if subject.page_at is not None:
        await judge_live(support_judge, [unit for unit in units if "web" in unit.types], subject.page_at)
    if rules == "default":
        record_audit(judge_session, subject.case.layout, support_judge.ledger)


def frozen_claims(judge_session: JudgeSession, own: Sequence[Claim]) -> Sequence[Claim]:
    """The claims to judge: the first repeat's, kept with this repeat's verdicts; ``own`` in the first repeat."""
    first = judge_session.first_of(EXTRACT, REPORT)
    if first is None or first.state != "scored":
        return own
    judge_session.record_if_missing(FROZEN, REPORT, "scored", first.value, prompt_hash=first.prompt_hash)
    return claims_in(first) or ()


async def judge_live(support_judge: SupportJudge, units: list[Unit], page_at: PageAt) -> None:
    """Records verdicts of claims that cite pages, by the pages as they are now; the verdicts by the ledger stay."""
    evidence = support_judge.evidence
    pages: dict[str, WebPage] = {}
    for source in dict.fromkeys(source for unit in units for source in unit.sources):
        # A source that is not a page, such as a number without an entry, has no address.
        url = source if source.casefold().startswith(("http://", "https://")) else None
        if source in evidence:
            url = evidence[source].url if evidence[source].kind == "web" else None
        if url:
            pages[source] = await page_at(url)
    now = replace(
        support_judge,
        evidence={**evidence, **{source: _as_evidence(source, page) for source, page in pages.items()}},
        stage=SUPPORT_LIVE,
    )
    to_judge: list[Unit] = []
    for unit in units:
        content, ledgers = now.content(unit), support_judge.existing(unit)
        copied = ledgers if ledgers is not None and ledgers.state == "scored" else None
        copied = copied if copied is not None and same_texts(copied.sources, content.texts) else None
        if content.texts and copied is None:
            to_judge.append(unit)  # judged before or not: all of them are packed into calls
        elif now.existing(unit) is not None:
            continue
        elif copied is None:
            why = {source: page.problem or page.state for source, page in pages.items()}
            unread = ", ".join(f"{source} ({why.get(source, 'no address')})" for source in content.unreadable)
            reason = f"none of its sources could be read now: {unread}"
            support_judge.judge_session.record(SUPPORT_LIVE, unit.item, "unverifiable", reason=reason)
        else:
            support_judge.judge_session.record(
                SUPPORT_LIVE,
                copied.item,
                "scored",
                copied.value,
                prompt_hash=copied.prompt_hash,
                reason=copied.reason,
                quote=copied.quote,
                more_quotes=copied.more_quotes,
                sources=copied.sources,
                notes=(*copied.notes, AS_IN_LEDGER),
            )
    await now.rule(to_judge)


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


def prompts() -> list[Prompt]:
    """The prompts of all rules."""
    papers = [extraction_prompt(stage) for stage in (CITED, ALL)]
    return [*extraction_prompts(), *papers, *(support_prompt(rules) for rules in RULES)]
