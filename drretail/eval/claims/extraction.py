"""Stage 1: the claims of a report. The default rules ask once for all of them, the paper's twice (Tables 7 and 9)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pydantic import Field

from drretail.eval.claims.audit import MarkPlace, left_out, marks_in
from drretail.eval.claims.claims import (
    ALL,
    CITED,
    EXTRACT,
    NOT_IN_REPORT,
    PICKS,
    PROMPTS,
    REPORT,
    Claim,
    claims_in,
    make_claim,
)
from drretail.eval.claims.read_picks import PickReader, ReportPicks, are_declared, what_picks_are
from drretail.eval.claims.report_index import SentenceFinder, SourceResolver, part_tags, parts_of
from drretail.eval.claims.typed_values import MOST_TOLD, SaidValue, as_values, joined_problems, value_problems
from drretail.eval.judging.question import JudgeQuestion, Ruling
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.llm.prompt import Prompt, load_prompt, tagged
from drretail.records.base import Record
from drretail.records.reading import CART
from drretail.records.score import Verdict
from drretail.reports.layout import what_a_mark_covers
from drretail.reports.text.evidence_ids import parse_evidence_id, product_evidence_id
from drretail.reports.text.product_names import products_named

_WORDS_TOLD = 120
UNREAD = "its claims cover {covered} of the {marks} citation marks of the report, asked twice"


class ExtractedClaim(Record):
    claim_id: int
    claim: str = Field(min_length=1)
    quote: str
    sources: list[str]


class PublishedClaim(ExtractedClaim):
    quote: str = ""
    """Blank from a judge that is told the paper's own words, which ask for none."""


class ValuedClaim(ExtractedClaim):
    values: list[SaidValue]


class ReportClaims(Record):
    """All claims of a report, or of one part of it, with their sources and typed values."""

    claims: list[ValuedClaim]


class ClaimsAndPicks(ReportClaims, ReportPicks):
    """The same, with what the report tells its reader to buy."""


class CitedClaims(Record):
    """The claims of a report that name a source."""

    claims: list[PublishedClaim]


class AllClaims(Record):
    """All claims of a report that could be checked."""

    claims: list[PublishedClaim]


Answer = ReportClaims | CitedClaims | AllClaims
_ANSWERS: dict[str, type[Answer]] = {EXTRACT: ReportClaims, CITED: CitedClaims, ALL: AllClaims}


def extraction_prompt(stage: str, picks: str = "") -> Prompt:
    """A stage's prompt, whose instructions are a prefix shared by all reports; ``picks`` defines picks if they are
    asked for too.
    """
    text = load_prompt(PROMPTS, stage).text.replace("{{marks}}", what_a_mark_covers())
    prompt = Prompt(stage, text).shared_until("{{report}}")
    return replace(prompt, text="\n".join(filter(None, (picks, prompt.text))))


def with_picks_prompt(subject: Subject) -> Prompt:
    """The prompt for all claims of a report and its picks."""
    return extraction_prompt(EXTRACT, what_picks_are(is_imported=subject.system.is_imported))


def extraction_prompts() -> list[Prompt]:
    """All versions of the prompt for all claims."""
    picks = ("", what_picks_are(is_imported=False), what_picks_are(is_imported=True))
    return [extraction_prompt(EXTRACT, pick) for pick in picks]


async def extract(
    subject: Subject, judge_session: JudgeSession, stage: str, *, with_picks: bool = False
) -> list[Claim] | None:
    """The report's claims from the verdict of ``stage``, which is asked for if missing; None if it failed.

    ``with_picks`` also asks for picks, if the agent declared none and one call reads the whole report, and records them
    in ``PICKS``.
    """
    is_in_one_call = len(parts_of(subject.report or "")) < 2
    with_picks = with_picks and stage == EXTRACT and not are_declared(subject) and is_in_one_call
    prompt = with_picks_prompt(subject) if with_picks else extraction_prompt(stage)
    verdict = judge_session.existing(stage, REPORT, prompt.hash)
    if verdict is None and not (subject.report or "").strip():
        reason = "the report is empty"
        verdict = judge_session.record(stage, REPORT, "scored", [], prompt_hash=prompt.hash, reason=reason)
    if verdict is None:
        kind = ClaimsAndPicks if with_picks else _ANSWERS[stage]
        verdict = await _extraction_verdict(subject, judge_session, stage, prompt, kind)
    return claims_in(verdict)


async def _extraction_verdict(
    subject: Subject, judge_session: JudgeSession, stage: str, prompt: Prompt, kind: type[Answer]
) -> Verdict:
    """Asks one question, or one for each part of a long report, concurrently, and merges the answers."""
    report = subject.report or ""
    resolver = SourceResolver(report, subject.sources)
    ids = frozenset(subject.evidence)
    marks = marks_in(subject.layout) if stage == EXTRACT else []

    def question(item: str, part: str, after: int, end: int) -> JudgeQuestion[Answer]:
        """``after`` is the offset from which quotes are searched, ``end`` that of the last mark to cover."""
        own_marks = [mark for mark in marks if after <= mark.start < end]
        is_sent_back = stage != EXTRACT

        def check(answer: Answer) -> str | None:
            nonlocal is_sent_back
            problems = [answer_problem(answer, report=report, ids=ids, resolver=resolver)]
            if not is_sent_back:
                claims = claims_of(answer, report, after, resolver, partial(products_at, subject))
                problems += _lacking(claims, own_marks, report)
                is_sent_back = any(problems)
            return " ".join(filter(None, problems)) or None

        def read(answer: Answer) -> Ruling:
            if isinstance(answer, ClaimsAndPicks):
                reader = PickReader(report, subject.evidence, is_imported=subject.system.is_imported)
                if not [*reader.problems(answer.picks)]:  # else they are asked for alone
                    picks = reader.read(answer.picks)
                    judge_session.record(PICKS, REPORT, "scored", picks, prompt_hash=prompt.hash)
            claims = claims_of(answer, report, after, resolver, partial(products_at, subject))
            held = [claim for claim in claims if claim.start is not None or stage != EXTRACT]
            error = _unread(marks, held) if item == REPORT else ""
            return Ruling(_as_value(held), notes=(NOT_IN_REPORT,) * (len(claims) - len(held)), error=error)

        return JudgeQuestion(stage, item, prompt, {"report": part}, kind, read, check, purpose="extraction")

    parts = parts_of(report) if stage == EXTRACT else []
    if len(parts) < 2:
        (verdict,) = await judge_session.ask_and_record(question(REPORT, tagged("report", report), 0, len(report)))
        return verdict
    verdicts = await judge_session.ask_and_record(
        *(question(f"part-{at + 1}", part_tags(report, parts, at), start, end) for at, (start, end) in enumerate(parts))
    )
    failed = [f"{verdict.item}: {verdict.error}" for verdict in verdicts if verdict.state != "scored"]
    if failed:
        return judge_session.record(stage, REPORT, "failed", prompt_hash=prompt.hash, error="; ".join(failed))
    claims = [claim for verdict in verdicts for claim in claims_in(verdict) or ()]
    first: dict[tuple[object, ...], Claim] = {}
    for claim in claims:
        first.setdefault((claim.claim.casefold(), claim.sources, claim.unresolved), claim)
    merged = [
        claim.model_copy(update={"claim_id": make_claim(number, claim.claim, claim.sources, claim.unresolved).claim_id})
        for number, claim in enumerate(first.values(), 1)
    ]
    notes, error = [note for verdict in verdicts for note in verdict.notes], _unread(marks, merged) or None
    about: dict[str, Any] = {"prompt_hash": prompt.hash, "notes": notes, "error": error}
    return judge_session.record(stage, REPORT, "failed" if error else "scored", _as_value(merged), **about)


def _as_value(claims: Sequence[Claim]) -> list[dict[str, Any]]:
    return [claim.model_dump(mode="json", exclude_none=True) for claim in claims]


def _unread(marks: Sequence[MarkPlace], claims: Sequence[Claim]) -> str:
    """Why a report counts as not judged, since what its other marks cite is unknown and no 0; empty if it is read."""
    left = left_out(marks, claims)
    return UNREAD.format(covered=len(marks) - len(left), marks=len(marks)) if left else ""


def _lacking(claims: Sequence[Claim], marks: Sequence[MarkPlace], report: str) -> Iterator[str]:
    """What a list of claims lacks, in words for the judge: quotes that the report holds, and most of its marks."""
    strange = [f"{claim.quote!r}" for claim in claims if claim.start is None]
    if strange:
        yield f"These quotes do not stand in the report: {', '.join(strange[:MOST_TOLD])}. Copy quotes exactly."
    if left := left_out(marks, claims):
        places = (f"[{mark.source}] in {report[mark.start : mark.end][:_WORDS_TOLD]!r}" for mark in left[:MOST_TOLD])
        yield (
            f"The list covers {len(marks) - len(left)} of the {len(marks)} citation marks in the text. Give all claims "
            f"of the whole text, each with its source and quote. Left out are, for example, {'; '.join(places)}."
        )


def answer_problem(answer: Answer, *, report: str, ids: frozenset[str], resolver: SourceResolver) -> str | None:
    """Why an answer is sent back, in words for the judge; None for one that can be read."""
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
        return f"These sources do not stand in the report: {', '.join(strange[:MOST_TOLD])}. Copy sources exactly."
    values = [value for claim in answer.claims if isinstance(claim, ValuedClaim) for value in claim.values]
    return joined_problems(list(value_problems(values, report, ids)))


def claims_of(
    answer: Answer,
    report: str,
    after: int,
    resolver: SourceResolver,
    about: Callable[[str, tuple[int, int] | None], Sequence[str]] = lambda claim, span: (),
) -> list[Claim]:
    """The claims with their resolved sources, places and values.

    ``about`` gives the evidence ids of what a claim at a place is about, where it cites nothing itself.
    """
    finder = SentenceFinder(report, after)
    claims: list[Claim] = []
    for extracted in answer.claims:
        resolved = resolver.resolve(extracted.sources)
        span = finder.find(extracted.quote)
        values = extracted.values if isinstance(extracted, ValuedClaim) else ()
        # A product's id is a source whether or not anybody opened it: the shop has it, or not.
        unknown = tuple(name for name in resolved.unresolved if parse_evidence_id(name) == "product")
        sources = (*resolved.sources, *unknown)
        looked_up = () if sources else tuple(about(extracted.claim, span))
        typed, figureless = as_values(values, report, span or (after, after))
        typed = [value.model_copy(update={"of": _as_id(value.of, resolver)}) for value in typed]
        claims.append(
            make_claim(
                extracted.claim_id,
                extracted.claim,
                (*sources, *looked_up),
                tuple(name for name in resolved.unresolved if name not in unknown),
                quote=extracted.quote,
                span=span,
                looked_up=looked_up,
                values=typed,
                figureless=figureless,
            )
        )
    return claims


def products_at(subject: Subject, claim: str, span: tuple[int, int] | None) -> list[str]:
    """The evidence ids of what the place of a claim in an assistant's answer is about, uncited, whose records
    were looked up in the shop for judging; without a place, of what the claim names. A variant has its product's
    record.
    """
    looked_up = {entry.id for entry in subject.evidence.values() if entry.looked_up}
    if not looked_up or subject.answers is None:
        return []
    if span is None:
        ids = [product_evidence_id(item.product_id) for item in products_named(claim, subject.shop.titles)]
    else:
        parts = [part for part in subject.answers.parts if span[0] < part.end and part.start < span[1]]
        ids = [source.partition("/")[0] for part in parts for source in part.sources]
    return [name for name in dict.fromkeys(ids) if name in looked_up]


def _as_id(name: str, resolver: SourceResolver) -> str:
    """An evidence id, also where the judge gave the number of a mark or an address."""
    is_id = not name or name == CART or parse_evidence_id(name)
    sources = () if is_id else resolver.resolve([name]).sources
    return sources[0] if len(sources) == 1 else name
