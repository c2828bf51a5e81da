"""Factual accuracy: whether each source that a claim cites bears it out, pair by pair.

Claims are extracted as faithfulness extracts them, and its own are taken where it has them; sources are read as there.
"""

from collections.abc import Sequence
from dataclasses import replace

from drretail.eval.claims.claims import CITED, EXTRACT, REPORT, SUPPORT, Claim, Unit, types_of
from drretail.eval.claims.claims import FAMILY as FAITHFULNESS
from drretail.eval.claims.claims import VERSION as FAITHFULNESS_VERSION
from drretail.eval.claims.extraction import extract, extraction_prompt, extraction_prompts
from drretail.eval.claims.rulings import SupportJudge
from drretail.eval.claims.rulings import support_prompt as support_prompt_of
from drretail.eval.claims.support import SourceText, fitted, shortened, source_tags
from drretail.eval.judging.numbered import NumberedItem, QuestionBatch, ask_numbered
from drretail.eval.judging.passages import best_pieces
from drretail.eval.judging.question import Ruling
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.grounding.report.evidence_ids import parse_evidence_id
from drretail.prompts import Prompt, load_prompt
from drretail.records.base import Record, Rules
from drretail.records.criteria import GoldPart

LONGEST_REPORT = 50_000
"""Characters of a report that the released code reads."""
LONGEST_SOURCE = 20_000
"""Characters of a source that are shown whole; of a longer one the pieces that share most words with the claims."""
PIECE, PIECES = 500, 5
MOST = 20
"""Claims of one question by the released rules."""


class BackedClaim(Record):
    claim_id: int
    explanation: str
    supported: bool


class BackedClaims(Record):
    """Whether a source backs each of the claims."""

    claims: list[BackedClaim]


def extraction_of(rules: Rules) -> str:
    """The stage that holds the claims: all of them, or by the released rules those that cite something."""
    return CITED if rules == "dr3" else EXTRACT


def support_prompt() -> Prompt:
    return load_prompt(__file__, "support_released")


def pair_item(claim: Claim, source: str) -> str:
    """What the verdict on a claim by one of its sources is filed under."""
    return f"{claim.claim_id} {source}"


def part_of(source: str) -> GoldPart | None:
    """Where a source is from, by its form: the user's files, or pages; None of the shop's records and calculations."""
    if parse_evidence_id(source) == "file":
        return "files"
    return "sandbox" if types_of([source]) == ("web",) else None


async def judge_accuracy(subject: Subject, judge_session: JudgeSession) -> None:
    """Records the claims of a report, then a verdict on each by each source that it cites."""
    claims = await _claims(subject, judge_session)
    support_judge = SupportJudge(subject, judge_session, subject.evidence, fit=pieces_of_long)
    pairs = [
        Unit(claim.model_copy(update={"claim_id": pair_item(claim, source)}), (source,), types_of([source]))
        for claim in claims
        for source in claim.sources
    ]
    if judge_session.rules == "dr3":
        # All claims of a source together, by the released bar; what could not be read is no question.
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
            # A claim that is left out is failed, which the released rules count as unsupported.
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
    """The texts, long ones cut as published; what then is still longer than ``room`` bytes is cut further."""
    cut = [
        text
        if len(text.text.text) <= LONGEST_SOURCE
        else shortened(text, best_pieces(text.text.text, claims, PIECE, PIECES))
        for text in texts
    ]
    return fitted(cut, claims, room) if room is not None else cut


def prompts() -> list[Prompt]:
    """Those of claims and their support that are asked here, and the released one."""
    return [*(extraction_prompt(stage) for stage in (EXTRACT, CITED)), support_prompt_of("default"), support_prompt()]
