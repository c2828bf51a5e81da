"""Stage 1: the claims of a report. Those with a source and all claims are two questions (paper Tables 7 and 9)."""

from pydantic import Field

from drretail.eval.faithfulness.claims import ALL, CITED, REPORT, Claim, make_claim
from drretail.eval.faithfulness.resolving import SentenceFinder, SourceResolver
from drretail.eval.judge import Hearing
from drretail.eval.subject import Subject
from drretail.prompts import Prompt, load_prompt, tagged
from drretail.records.base import Record

_TOLD_SOURCES = 8


class ExtractedClaim(Record):
    claim_id: int
    claim: str = Field(min_length=1)
    quote: str
    sources: list[str]


class CitedClaims(Record):
    """The claims of a report that name a source."""

    claims: list[ExtractedClaim]


class AllClaims(Record):
    """All claims of a report that could be checked."""

    claims: list[ExtractedClaim]


def extraction_prompts() -> dict[str, Prompt]:
    """By stage."""
    return {stage: load_prompt(__file__, stage) for stage in (CITED, ALL)}


async def extract(subject: Subject, hearing: Hearing, stage: str) -> list[Claim] | None:
    """The report's claims as the verdict of ``stage`` holds them, asked for when there is none; None when it failed."""
    prompt = extraction_prompts()[stage]
    report = subject.report or ""
    verdict = hearing.standing(stage, REPORT, prompt.hash)
    if verdict is None and not report.strip():
        reason = "the report is empty"
        verdict = hearing.record(stage, REPORT, "scored", [], prompt_hash=prompt.hash, reason=reason)
    if verdict is None:
        resolver = SourceResolver(report, subject.evidence)
        ruling = await hearing.ask(
            stage,
            REPORT,
            prompt,
            {"report": tagged("report", report)},
            CitedClaims if stage == CITED else AllClaims,
            lambda answer: _problem(answer, resolver),
        )
        claims = None if ruling.answer is None else _claims(ruling.answer, report, resolver)
        value = None if claims is None else [claim.model_dump(mode="json", exclude_none=True) for claim in claims]
        verdict = hearing.record(stage, REPORT, ruling.state, value, prompt_hash=ruling.prompt_hash, error=ruling.error)
    return None if verdict.state != "scored" else [Claim.model_validate(value) for value in verdict.value]


def _problem(answer: CitedClaims | AllClaims, resolver: SourceResolver) -> str | None:
    numbers = [claim.claim_id for claim in answer.claims]
    if numbers != list(range(1, len(numbers) + 1)):
        return "claim_id has to count 1, 2, 3, … in the order of the list."
    strange = [
        f"{source!r} (claim {claim.claim_id})"
        for claim in answer.claims
        for source in claim.sources
        if source.strip() and not resolver.is_in_report(source)
    ]
    if strange:
        return f"These sources do not stand in the report: {', '.join(strange[:_TOLD_SOURCES])}. Copy sources exactly."
    return None


def _claims(answer: CitedClaims | AllClaims, report: str, resolver: SourceResolver) -> list[Claim]:
    finder = SentenceFinder(report)
    claims: list[Claim] = []
    for said in answer.claims:
        found = resolver.resolve(said.sources)
        span = finder.find(said.quote)
        claims.append(
            make_claim(said.claim_id, said.claim, found.sources, found.unresolved, quote=said.quote, span=span)
        )
    return claims
