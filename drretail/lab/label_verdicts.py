"""What a judge says of claims that people labelled: asked as faithfulness asks, by its own code and prompts."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from drretail.eval.claims.claims import FAMILY, SUPPORT, VERSION, Claim, Unit
from drretail.eval.claims.rulings import SupportJudge, support_prompt
from drretail.eval.claims.support import content_of, fitted, source_tags
from drretail.eval.judging.session import Again, Judge, JudgeSession
from drretail.eval.judging.spending import Allowance
from drretail.eval.judging.subject import Subject
from drretail.eval.judging.verdicts import VerdictFile, verdict_path
from drretail.lab.labelled_claims import LabelledClaim, LabelledSet
from drretail.llm.budget import CHARACTERS_PER_TOKEN
from drretail.llm.estimates import Estimate, Range, estimate_by_length
from drretail.progress import Bar
from drretail.records.base import sha256_of
from drretail.records.evidence import Evidence, EvidenceText
from drretail.records.query import Query
from drretail.records.run import System
from drretail.records.score import Verdict

LABELS = "labels"
"""The run that verdicts on labelled claims are kept under."""
NO_QUESTION = "Is this so?"
"""Stands for the question of sets that hold none: a judge is always shown one."""
AT_ONCE = 8
ANSWER = Range(60, 400)
"""Tokens of an answer on one claim."""


def cards_folder(experiment: Path) -> Path:
    return experiment / "lab" / "cards"


async def judge_labelled(
    folder: Path, labelled: LabelledSet, judge: Judge, *, again: Again, allowance: Allowance, bar: Bar
) -> None:
    """Records the verdicts on these claims that are missing; each claim is asked alone, with its own question.

    Raises CapReached.
    """
    with _session(folder, labelled, judge, again=again, allowance=allowance) as session:
        gate = asyncio.Semaphore(len(labelled.claims) if judge.in_batches else AT_ONCE)

        async def ask(claim: LabelledClaim) -> None:
            async with gate:
                await _bench(claim, session).rule([_unit(claim)])
            bar.advance()

        await session.together(ask(claim) for claim in labelled.claims)


def verdicts_on(folder: Path, labelled: LabelledSet, judge: Judge) -> dict[str, Verdict]:
    """By item what the judge said of these claims in today's words."""
    path = _path(folder, labelled, judge)
    living = VerdictFile(path).living(_sha(labelled), frozenset({support_prompt("default").hash}))
    wanted = {claim.item for claim in labelled.claims}
    return {verdict.item: verdict for verdict in living if verdict.item in wanted and verdict.version == VERSION}


def estimate_labelled(folder: Path, sets: Iterable[LabelledSet], judge: Judge) -> Iterator[Estimate]:
    """What judging the claims that have no verdict is likely to take, by the length of what would be sent."""
    price = None if judge.model is None else judge.model.price
    for labelled in sets:
        known = verdicts_on(folder, labelled, judge)
        left = [claim for claim in labelled.claims if claim.item not in known]
        yield estimate_by_length(
            f"{labelled.name}, {judge.ref.spec}",
            [_characters(claim, judge) for claim in left],
            ANSWER,
            judge.ref.spec,
            price,
            basis="length of claims and sources",
            unit="claims",
        )


def _characters(claim: LabelledClaim, judge: Judge) -> int:
    """About as many as a judge is sent: prompt, question, claim, and sources as far as it reads them."""
    context = None if judge.model is None else judge.model.context
    room = None if context is None else context * CHARACTERS_PER_TOKEN // 2
    texts = fitted(content_of([*_evidence(claim)], _evidence(claim)).texts, [claim.claim], room)
    prompt = support_prompt("default")
    return len(prompt.shared + prompt.text) + len(claim.question) + len(claim.claim) + len(source_tags(texts))


def _session(folder: Path, labelled: LabelledSet, judge: Judge, *, again: Again, allowance: Allowance) -> JudgeSession:
    return JudgeSession(
        judge,
        VerdictFile(_path(folder, labelled, judge)),
        metric=FAMILY,
        version=VERSION,
        run_id=f"{labelled.name}/{LABELS}",
        report_sha=_sha(labelled),
        again=again,
        allowance=allowance,
    )


def _path(folder: Path, labelled: LabelledSet, judge: Judge) -> Path:
    return verdict_path(folder, FAMILY, judge.slug, labelled.name, LABELS)


def _sha(labelled: LabelledSet) -> str:
    """Stands for the report, of which there is none: items name claims with all that is shown of them."""
    return sha256_of(labelled.name)


def _bench(claim: LabelledClaim, session: JudgeSession) -> SupportJudge:
    evidence = _evidence(claim)
    question = Query(query_id="labelled", text=claim.question or NO_QUESTION, source=LABELS)
    subject = Subject(LABELS, System(agent=LABELS, models={}), question, 1, None, evidence, None, None)
    return SupportJudge(subject, session, evidence)


def _unit(claim: LabelledClaim) -> Unit:
    sources = (*_evidence(claim),)
    return Unit(Claim(claim_id=claim.item, claim=claim.claim, sources=sources), sources, ("web",))


def _evidence(claim: LabelledClaim) -> dict[str, Evidence]:
    return {entry.id: entry for entry in (_page(text) for text in claim.sources)}


def _page(text: str) -> Evidence:
    sha = sha256_of(text)
    held = EvidenceText(sha256=sha, form="page", text=text, shown=True, path="0", seq=0)
    return Evidence(id=f"W:{sha[:8]}", kind="web", key=sha, title="", texts=(held,))


def support_of(verdicts: Sequence[Verdict]) -> dict[str, float]:
    """By item the support that a judge found; nothing where it failed."""
    return {
        verdict.item: float(verdict.value)
        for verdict in verdicts
        if verdict.stage == SUPPORT and verdict.state == "scored"
    }
