"""Citation coverage: which of the query's required documents are cited (no model is asked). Factual accuracy: whether
each source that a claim cites supports it, pair by pair.

Claims are extracted as in faithfulness, and existing claims of faithfulness are used; sources are read as there.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from drretail.eval.claims.claims import (
    CITED,
    EXTRACT,
    FAITHFULNESS,
    REPORT,
    SUPPORT,
    Claim,
    SourceText,
    fitted,
    source_tags,
    source_type,
    with_text,
)
from drretail.eval.claims.claims import VERSION as FAITHFULNESS_VERSION
from drretail.eval.claims.extraction import extract, extraction_prompt, extraction_prompts
from drretail.eval.claims.rulings import SupportJudge
from drretail.eval.claims.rulings import support_prompt as support_prompt_of
from drretail.eval.judging.criteria import NumberedItem, QuestionBatch, ask_numbered
from drretail.eval.judging.question import Ruling
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.sources import best_pieces
from drretail.eval.judging.subject import Subject
from drretail.llm.prompt import Prompt, load_prompt
from drretail.records.base import Record
from drretail.records.criteria import GOLD_PARTS, GoldPart, KnownAnswer
from drretail.reports.citations import scan
from drretail.reports.text.evidence_ids import bare_address, parse_evidence_id

STAGE = "documents"


class Covered(Record):
    """The number of required documents in each part, and of those that are cited."""

    required: dict[GoldPart, int]
    cited: dict[GoldPart, int]


def documents_item(gold: KnownAnswer) -> str:
    return f"required@{gold.documents_hash}"


def judge_documents(gold: KnownAnswer, subject: Subject, judge_session: JudgeSession) -> None:
    """Records which required documents the report cites; the reason lists the others."""
    if judge_session.existing(STAGE, documents_item(gold)) is not None:
        return
    cited = _cited(gold, subject)
    missing = [
        (document.title or document.url)
        for part in GOLD_PARTS
        for document, is_cited in zip(gold.part(part).documents, cited[part], strict=True)
        if not is_cited
    ]
    covered = Covered(
        required={part: len(cited[part]) for part in GOLD_PARTS}, cited={part: sum(cited[part]) for part in GOLD_PARTS}
    )
    judge_session.record(
        STAGE,
        documents_item(gold),
        "scored",
        covered.model_dump(mode="json"),
        reason=f"not cited: {'; '.join(missing)}" if missing else "all are cited",
    )


Found = dict[GoldPart, list[bool]]


def _cited(gold: KnownAnswer, subject: Subject) -> Found:
    """By citations that lead to a source: its address, its entry or, if no address is known, its title."""
    marks = scan(subject.report or "", subject.evidence).marks
    cited = [citation for mark in marks for citation in mark.cited if citation.type != "unresolved"]
    entries = [citation.entry for citation in cited if citation.entry is not None]
    urls = [citation.url or "" for citation in cited] + [entry.url or "" for entry in entries]
    urls += [entry.key for entry in entries if entry.kind == "web"]
    addresses = {bare_address(url) for url in urls if url}
    titles = {_folded(source.title) for source in (*cited, *entries) if source.title.strip()}
    files = {_folded(name) for entry in entries if entry.kind == "file" for name in (entry.key, entry.title)}
    return {
        "sandbox": [
            bare_address(page.url) in addresses if page.url.strip() else _folded(page.title) in titles
            for page in gold.sandbox.documents
        ],
        "files": [_folded(file.title) in files for file in gold.files.documents],
    }


def _folded(title: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", title).casefold().split())


LONGEST_REPORT = 50_000
"""Characters of a report that the released code reads."""
LONGEST_SOURCE = 20_000
"""Characters of a source that are shown whole. Of a longer one, the pieces that share most words with the claims."""
PIECE, PIECES = 500, 5
MOST = 20
"""Claims in one question under the released rules."""


class BackedClaim(Record):
    claim_id: int
    explanation: str
    supported: bool


class BackedClaims(Record):
    """Whether a source backs each of the claims."""

    claims: list[BackedClaim]


def _support_prompt() -> Prompt:
    return load_prompt(__file__, "support_released")


def claim_source_item(claim: Claim, source: str) -> str:
    return f"{claim.claim_id} {source}"


def gold_part(source: str) -> GoldPart | None:
    """The part of the gold that a source belongs to: "files", "sandbox" for web pages, None for the shop's data."""
    if parse_evidence_id(source) == "file":
        return "files"
    return "sandbox" if source_type(source) == "web" else None


async def judge_accuracy(subject: Subject, judge_session: JudgeSession) -> None:
    """Records a report's claims, and a verdict on each claim by each source that it cites."""
    claims = await _claims(subject, judge_session)
    support_judge = SupportJudge(subject, judge_session, subject.evidence, fit=pieces_of_long)
    pairs = [
        claim.model_copy(update={"claim_id": claim_source_item(claim, source), "sources": (source,)})
        for claim in claims
        for source in claim.sources
    ]
    if judge_session.rules != "dr3":
        await support_judge.rule(pairs)
        return
    # All claims of a source in one question, by the released rules; unreadable sources are not asked about.
    by_source: dict[str, list[Claim]] = {}
    for pair in pairs:
        by_source.setdefault(pair.sources[0], []).append(pair)
    for group in by_source.values():
        content = support_judge.content(group[0])
        if not content.texts:
            state, reason = support_judge.unread(content)
            for pair in group:
                if support_judge.existing(pair) is None:
                    judge_session.record(SUPPORT, pair.claim_id, state, reason=reason)
            continue
        texts = pieces_of_long(content.texts, [pair.claim for pair in group], judge_session.room)
        refs = tuple(text.ref for text in texts)
        batch = QuestionBatch(SUPPORT, _support_prompt(), MOST, tag="claim", sources=refs)
        things = [NumberedItem(pair.claim_id, pair.claim) for pair in group]
        material = {"sources": source_tags(texts)}
        # A claim missing in the answer is failed, which the released rules count as unsupported.
        await ask_numbered(judge_session, batch, things, material, BackedClaims, _backed, repairs_numbers=False)


def _backed(answer: BackedClaims) -> list[tuple[int, Ruling]]:
    return [(claim.claim_id, Ruling(float(claim.supported), claim.explanation.strip())) for claim in answer.claims]


async def _claims(subject: Subject, judge_session: JudgeSession) -> Sequence[Claim]:
    if judge_session.rules == "dr3":
        run = subject.run
        cut = None if run is None else run.model_copy(update={"report": (run.report or "")[:LONGEST_REPORT]})
        return await extract(replace(subject, run=cut), judge_session, CITED) or ()
    prompt = extraction_prompt(EXTRACT).hash
    if judge_session.existing(EXTRACT, REPORT, prompt) is None:
        wordings = frozenset(prompt.hash for prompt in extraction_prompts())
        verdicts = judge_session.verdicts_in(FAITHFULNESS, FAITHFULNESS_VERSION, wordings)
        extracted = (
            verdict
            for verdict in verdicts
            if (verdict.stage, verdict.item, verdict.state) == (EXTRACT, REPORT, "scored")
        )
        if (existing := next(extracted, None)) is not None:
            judge_session.record(EXTRACT, REPORT, "scored", existing.value, prompt_hash=prompt, reason=existing.reason)
    return await extract(subject, judge_session, EXTRACT) or ()


def pieces_of_long(texts: Sequence[SourceText], claims: Sequence[str], room: int | None) -> Sequence[SourceText]:
    """The texts, long ones cut as published; texts that are still longer than ``room`` bytes are cut further."""
    cut = [
        text
        if len(text.text.text) <= LONGEST_SOURCE
        else with_text(text, best_pieces(text.text.text, claims, PIECE, PIECES))
        for text in texts
    ]
    return fitted(cut, claims, room) if room is not None else cut


def citation_prompts() -> list[Prompt]:
    """The prompts for claims and their support, and the released one."""
    return [*(extraction_prompt(stage) for stage in (EXTRACT, CITED)), support_prompt_of("default"), _support_prompt()]
