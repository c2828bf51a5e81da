"""The questions that find the facts of a report with their references, and which of them say the same."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import Field

from drretail.eval.claims.copied_sources import SourceResolver
from drretail.eval.claims.sections import Part, parts_of
from drretail.eval.judging.question import JudgeQuestion, Ruling
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.triplets.facts import (
    DUPLICATES,
    REPORT,
    TRIPLETS,
    Triplet,
    distinct_facts,
    duplicates_item,
)
from drretail.prompts import Prompt, load_prompt, tagged
from drretail.records.base import Record
from drretail.records.score import Verdict

_TOLD = 8


class SaidTriplet(Record):
    fact: str = Field(min_length=1)
    ref_idx: str
    url: str


class SaidTriplets(Record):
    """All checkable facts of a report, one entry for each reference of each."""

    triplets: list[SaidTriplet]


class SameFacts(Record):
    """Which facts of a list say exactly the same, by their numbers."""

    groups: list[list[int]]


def extraction_prompt() -> Prompt:
    return load_prompt(__file__, "triplets")


def duplicates_prompt() -> Prompt:
    return load_prompt(__file__, "duplicates")


async def extract_triplets(subject: Subject, judge_session: JudgeSession) -> list[Triplet] | None:
    """The triplets of a report, recorded as one verdict; a long report is asked part by part. None where it failed."""
    extraction = _Extraction(
        subject.report or "", SourceResolver(subject.report or "", subject.evidence), judge_session
    )
    existing = judge_session.existing(TRIPLETS, REPORT, extraction.prompt.hash) or await extraction.made()
    return None if existing.state != "scored" else [Triplet.model_validate(each) for each in existing.value]


@dataclass(frozen=True, slots=True)
class _Extraction:
    """One judge on the facts of one report."""

    report: str
    resolver: SourceResolver
    judge_session: JudgeSession
    prompt: Prompt = field(default_factory=extraction_prompt)

    async def made(self) -> Verdict:
        parts = parts_of(self.report) if self.report.strip() else []
        items = [f"part-{number}" for number in range(1, len(parts) + 1)] if len(parts) > 1 else [REPORT] * len(parts)
        questions = (self._question(item, _given(self.report, parts, at)) for at, item in enumerate(items))
        kept = await self.judge_session.ask_and_record(*questions)
        if items == [REPORT]:
            return kept[0]
        errors = "; ".join(f"{verdict.item}: {verdict.error}" for verdict in kept if verdict.state != "scored")
        state, value = (
            ("failed", None) if errors else ("scored", [triplet for verdict in kept for triplet in verdict.value])
        )
        return self.judge_session.record(
            TRIPLETS, REPORT, state, value, prompt_hash=self.prompt.hash, error=errors or None
        )

    def _question(self, item: str, given: str) -> JudgeQuestion[SaidTriplets]:
        def read(answer: SaidTriplets) -> Ruling:
            found = (_triplet(triplet, self.resolver) for triplet in answer.triplets)
            return Ruling([each.model_dump(mode="json", exclude_none=True) for each in found])

        def check(answer: SaidTriplets) -> str | None:
            return _strange(answer, self.resolver)

        report = {"report": given}
        return JudgeQuestion(TRIPLETS, item, self.prompt, report, SaidTriplets, read, check, purpose="extraction")


def _given(report: str, parts: Sequence[Part], at: int) -> str:
    part = parts[at]
    text = tagged("report", report[part.start : part.end].strip())
    if len(parts) == 1:
        return text
    above = f" It stands below: {' > '.join(part.above)}" if part.above else ""
    return f"{tagged('part', f'This is part {at + 1} of {len(parts)} of the report.{above}')}\n\n{text}"


def _strange(answer_given: SaidTriplets, resolver: SourceResolver) -> str | None:
    names = [name for triplet in answer_given.triplets for name in (triplet.url, *_marks(triplet)) if name.strip()]
    strange = [repr(name) for name in dict.fromkeys(names) if not resolver.is_in_report(name)]
    if strange:
        return f"These references do not stand in the report: {', '.join(strange[:_TOLD])}. Copy them exactly."
    return None


def _marks(answer_given: SaidTriplet) -> list[str]:
    """The reference as the text names it; a link in the text itself has the number 0, which is none."""
    return [] if answer_given.ref_idx.strip() in ("", "0") else [answer_given.ref_idx]


def _triplet(answer_given: SaidTriplet, resolver: SourceResolver) -> Triplet:
    """The reference is read as the text marks it, and its address where that mark comes to nothing."""
    found: tuple[str, ...] = ()
    for name in (*_marks(answer_given), answer_given.url):
        found = found or (resolver.resolve([name]).sources if name.strip() else ())
    return Triplet(
        fact=answer_given.fact.strip(),
        ref=answer_given.ref_idx.strip(),
        url=answer_given.url.strip(),
        source=next(iter(found), None),
    )


async def find_duplicates(triplets: Sequence[Triplet], judge_session: JudgeSession) -> list[list[int]] | None:
    """Which distinct facts say the same, by their numbers from 1, recorded as a verdict. None where it failed."""
    facts = distinct_facts(triplets)
    item = duplicates_item(facts)
    if len(facts) < 2:
        found = judge_session.existing(DUPLICATES, item) or judge_session.record(DUPLICATES, item, "scored", [])
    else:
        given = {"facts": "\n".join(tagged("claim", fact, id=str(number)) for number, fact in enumerate(facts, 1))}
        (found,) = await judge_session.ask_and_record(
            JudgeQuestion(
                DUPLICATES,
                item,
                duplicates_prompt(),
                given,
                SameFacts,
                lambda answer: Ruling([sorted(group) for group in answer.groups if len(group) > 1]),
                lambda answer: _misnumbered(answer, len(facts)),
                purpose="extraction",
            )
        )
    return None if found.state != "scored" else [list(each) for each in found.value]


def _misnumbered(answer_given: SameFacts, count: int) -> str | None:
    numbers = [it for group in answer_given.groups for it in group]
    if any(not 1 <= number <= count for number in numbers):
        return f"groups: the facts have the numbers 1 to {count}"
    return "groups: a number stands in two groups" if len(set(numbers)) < len(numbers) else None
