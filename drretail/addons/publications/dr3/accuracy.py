"""Factual accuracy: whether each source that a claim cites supports it, pair by pair.

Claims are extracted as in faithfulness, and existing claims of faithfulness are used; sources are read as there.
"""

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
    Unit,
    fitted,
    shortened,
    source_tags,
    types_of,
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
from drretail.grounding.report.evidence_ids import parse_evidence_id
from drretail.llm.prompt import Prompt, load_prompt
from drretail.records.base import Record
from drretail.records.criteria import GoldPart

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


def support_prompt() -> Prompt:
    return load_prompt(__file__, "support_released")


def pair_item(claim: Claim, source: str) -> str:
    """The item of the verdict on a claim by one of its sources."""
    return f"{claim.claim_id} {source}"


def part_of(source: str) -> GoldPart | None:
    """The part of the gold that a source belongs to: "files", "sandbox" for web pages, None for the shop's data."""
    if parse_evidence_id(source) == "file":
        return "files"
    return "sandbox" if types_of([source]) == ("web",) else None


async def judge_accuracy(subject: Subject, judge_session: JudgeSession) -> None:
    """Records a report's claims, and a verdict on each claim by each source that it cites."""
    claims = await _claims(subject, judge_session)
    support_judge = SupportJudge(subject, judge_session, subject.evidence, fit=pieces_of_long)
    pairs = [
        Unit(claim.model_copy(update={"claim_id": pair_item(claim, source)}), (source,), types_of([source]))
        for claim in claims
        for source in claim.sources
    ]
    if judge_session.rules == "dr3":
        # All claims of a source in one question, by the released rules; unreadable sources are not asked about.
        by_source: dict[str, list[Unit]] = {}
        for pair in pairs:
            by_source.setdefault(pair.sources[0], []).append(pair)
        for group in by_source.values():
            content = support_judge.content(group[0])
            if not content.texts:
                state, reason = support_judge.unread(content)
                for pair in group:
                    if support_judge.existing(pair) is None:
                        support_judge.judge_session.record(SUPPORT, pair.item, state, reason=reason)
                continue
            claims = [pair.claim.claim for pair in group]
            texts = pieces_of_long(content.texts, claims, support_judge.judge_session.room)
            batch = QuestionBatch(
                SUPPORT, support_prompt(), MOST, tag="claim", sources=tuple(text.ref for text in texts)
            )
            things = [NumberedItem(pair.item, pair.claim.claim) for pair in group]
            material = {"sources": source_tags(texts)}
            # A claim missing in the answer is failed, which the released rules count as unsupported.
            await ask_numbered(
                support_judge.judge_session,
                batch,
                things,
                material,
                BackedClaims,
                lambda answer: [
                    (claim.claim_id, Ruling(float(claim.supported), claim.explanation.strip()))
                    for claim in answer.claims
                ],
                repairs_numbers=False,
            )
    else:
        await support_judge.rule(pairs)


async def _claims(subject: Subject, judge_session: JudgeSession) -> Sequence[Claim]:
    if judge_session.rules == "dr3":
        run = subject.run
        cut = None if run is None else run.model_copy(update={"report": (run.report or "")[:LONGEST_REPORT]})
        return await extract(replace(subject, run=cut), judge_session, CITED) or ()
    prompt = extraction_prompt(EXTRACT).hash
    if judge_session.existing(EXTRACT, REPORT, prompt) is None:
        wordings = frozenset(each.hash for each in extraction_prompts())
        verdicts = judge_session.verdicts_in(FAITHFULNESS, FAITHFULNESS_VERSION, wordings)
        extracted = (
            verdict
            for verdict in verdicts
            if (verdict.stage, verdict.item, verdict.state) == (EXTRACT, REPORT, "scored")
        )
        if (known := next(extracted, None)) is not None:
            judge_session.record(EXTRACT, REPORT, "scored", known.value, prompt_hash=prompt, reason=known.reason)
    return await extract(subject, judge_session, EXTRACT) or ()


def pieces_of_long(texts: Sequence[SourceText], claims: Sequence[str], room: int | None) -> Sequence[SourceText]:
    """The texts, long ones cut as published; texts that are still longer than ``room`` bytes are cut further."""
    cut = [
        text
        if len(text.text.text) <= LONGEST_SOURCE
        else shortened(text, best_pieces(text.text.text, claims, PIECE, PIECES))
        for text in texts
    ]
    return fitted(cut, claims, room) if room is not None else cut


def prompts() -> list[Prompt]:
    """The prompts for claims and their support, and the released one."""
    return [*(extraction_prompt(stage) for stage in (EXTRACT, CITED)), support_prompt_of("default"), support_prompt()]
