"""Stage 1: the claims of a report. Those with a source and all claims are two questions (paper Tables 7 and 9)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.grounding.report.citations import Cited, citing_marks, find_citations, listed_sources
from drretail.grounding.report.evidence_ids import normalise_url, parse_evidence_id
from drretail.grounding.text.sentences import find_sentences
from drretail.prompts import Prompt, load_prompt, tagged
from drretail.records.base import Record, sha256_of
from drretail.records.evidence import Evidence
from drretail.records.score import Rules
from drretail.records.shop import SHOP_URL

SourceType = Literal["web", "product", "internal"]
TYPES: tuple[SourceType, ...] = ("web", "product", "internal")
ALL_TYPES = "all"
"""The one unit of a claim under the rules of DRG, which judges all its URLs joined."""
CITED, ALL, SUPPORT, SUPPORT_SHOWN = "extract_cited", "extract_all", "support", "support_shown"
"""The stages, as verdicts name them; the last one is asked of what the agent read instead of the source."""
SUPPORT_LIVE = "support_live"
"""The stage that is asked of cited pages as they are at judging time."""
REPORT = "report"
"""The item of the extractions."""


class Claim(Record):
    """One claim of a report. Verdicts of the extractions hold a list of these."""

    claim_id: str
    """Its number and a digest of what it says and cites: a support verdict of another claim never fits."""
    claim: str
    sources: tuple[str, ...] = ()
    """Evidence ids, or URLs that the run has no evidence for."""
    unresolved: tuple[str, ...] = ()
    """Sources as the report says them that come to nothing: invented ids, numbers without an entry."""
    quote: str = ""
    """The words of the report that it restates, as the judge copied them."""
    start: int | None = None
    end: int | None = None
    """``report[start:end]`` is the sentence it stands in, where it could be found."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What one judgement of support is about: a claim and its sources of one type, shown together."""

    claim: Claim
    type: str
    sources: tuple[str, ...]

    @property
    def item(self) -> str:
        return f"{self.claim.claim_id}:{self.type}"


def make_claim(
    number: int,
    claim: str,
    sources: Sequence[str],
    unresolved: Sequence[str] = (),
    *,
    quote: str = "",
    span: tuple[int, int] | None = None,
) -> Claim:
    """A claim under the id that follows from its number and content."""
    digest = sha256_of([claim, list(sources), list(unresolved)])[:6]
    start, end = span or (None, None)
    return Claim(
        claim_id=f"{number}-{digest}",
        claim=claim,
        sources=tuple(sources),
        unresolved=tuple(unresolved),
        quote=quote,
        start=start,
        end=end,
    )


def units(claim: Claim, rules: Rules) -> list[Unit]:
    """A claim's units: one for each type of its resolved sources; under ``drg`` one of all web and product sources."""
    if rules == "drg":
        urls = tuple(source for source in (*claim.sources, *claim.unresolved) if source_type(source) != "internal")
        return [Unit(claim, ALL_TYPES, urls)] if urls else []
    by_type = {kind: tuple(source for source in claim.sources if source_type(source) == kind) for kind in TYPES}
    return [Unit(claim, kind, sources) for kind, sources in by_type.items() if sources]


def source_type(source: str) -> SourceType:
    """The type that an id or a URL shows by its form; what is neither (a number without an entry) counts as web."""
    kind = parse_evidence_id(source)
    if kind == "product" or (kind is None and _is_of_the_shop(source)):
        return "product"
    return "web" if kind in (None, "web") else "internal"


def unresolved_types(claim: Claim) -> list[SourceType]:
    """The types of a claim's unresolved sources, each once."""
    return [kind for kind in TYPES if any(source_type(source) == kind for source in claim.unresolved)]


def _is_of_the_shop(source: str) -> bool:
    host = source.casefold().partition("://")[2].partition("/")[0]
    return host.removeprefix("www.") == SHOP_URL.partition("://")[2]


_BRACKETS = "[]()<>【】 \t"


@dataclass(frozen=True, slots=True)
class Resolved:
    """Distinct sources: ids or URLs, and those that come to nothing as the report says them."""

    sources: tuple[str, ...]
    unresolved: tuple[str, ...]


class SourceResolver:
    """Resolves sources as a judge copies them from one report."""

    def __init__(self, report: str, evidence: Mapping[str, Evidence]) -> None:
        self._report = report
        self._evidence = evidence
        self._known: dict[str, Cited] = {}
        for mark in citing_marks(report, evidence):
            labels = report[mark.start : mark.end].strip(_BRACKETS).split(",")
            names = labels if len(labels) == len(mark.cited) else [""] * len(mark.cited)
            for cited, label in zip(mark.cited, names, strict=True):
                self._learn(cited, label.strip(_BRACKETS))
        for cited in listed_sources(report, evidence).cited:
            self._learn(cited, "")

    def _learn(self, cited: Cited, label: str) -> None:
        for name in filter(None, (cited.said, cited.evidence_id, cited.url, label)):
            self._known.setdefault(_spelling(name), cited)

    def is_in_report(self, source: str) -> bool:
        """True when the report cites ``source`` or at least says it."""
        return bool(source.strip()) and (_spelling(source) in self._known or source.strip(_BRACKETS) in self._report)

    def resolve(self, sources: Sequence[str]) -> Resolved:
        """What the sources come to, each once, in their order; empty ones come to nothing."""
        found: dict[str, None] = {}
        nothing: dict[str, None] = {}
        for source in sources:
            cited = self._known.get(_spelling(source))
            if cited is not None and cited.type != "unresolved":
                found[cited.source] = None
            elif cited is None and (plain := self._plainly(source)):
                found[plain] = None
            else:
                nothing[source.strip(_BRACKETS)] = None
        return Resolved(tuple(found), tuple(nothing))

    def _plainly(self, source: str) -> str | None:
        """A source that no mark of the report cites, read as a mark of its own."""
        name = source.strip(_BRACKETS)
        for written in (f"[{name}]", name):
            for citation in find_citations(written, self._evidence):
                if citation.type != "unresolved":
                    return citation.evidence_id or citation.url
        return None


def _spelling(source: str) -> str:
    return normalise_url(source.strip(_BRACKETS))


class SentenceFinder:
    """Finds the sentences of a report that quotes were copied from, whatever became of white space and markup."""

    def __init__(self, report: str) -> None:
        folded = [(offset, c) for offset, char in enumerate(report) if char.isalnum() for c in char.casefold()]
        self._offsets = [offset for offset, _ in folded]
        self._letters = "".join(character for _, character in folded)
        self._sentences = find_sentences(report)
        self._after = 0

    def find(self, quote: str) -> tuple[int, int] | None:
        """The span of the sentences that hold ``quote``; of equal places the first not before the last found."""
        letters = "".join(c for char in quote if char.isalnum() for c in char.casefold())
        place = self._letters.find(letters, self._after) if letters else -1
        place = place if place >= 0 or not letters else self._letters.find(letters)
        if place < 0:
            return None
        self._after = place
        start, end = self._offsets[place], self._offsets[place + len(letters) - 1] + 1
        touched = [it for it in self._sentences if it.start < end and start < it.end]
        return (min(start, touched[0].start), max(end, touched[-1].end)) if touched else (start, end)


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


async def extract(subject: Subject, judge_session: JudgeSession, stage: str) -> list[Claim] | None:
    """The report's claims as the verdict of ``stage`` holds them, asked for when there is none; None when it failed."""
    prompt = extraction_prompts()[stage]
    report = subject.report or ""
    verdict = judge_session.standing(stage, REPORT, prompt.hash)
    if verdict is None and not report.strip():
        reason = "the report is empty"
        verdict = judge_session.record(stage, REPORT, "scored", [], prompt_hash=prompt.hash, reason=reason)
    if verdict is None:
        resolver = SourceResolver(report, subject.evidence)
        claim_verdict = await judge_session.ask(
            stage,
            REPORT,
            prompt,
            {"report": tagged("report", report)},
            CitedClaims if stage == CITED else AllClaims,
            lambda answer: _problem(answer, resolver),
            purpose="extraction",
        )
        claims = None if claim_verdict.answer is None else _claims(claim_verdict.answer, report, resolver)
        value = None if claims is None else [claim.model_dump(mode="json", exclude_none=True) for claim in claims]
        verdict = judge_session.record(
            stage, REPORT, claim_verdict.state, value, prompt_hash=claim_verdict.prompt_hash, error=claim_verdict.error
        )
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
