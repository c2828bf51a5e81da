"""Which facts a report states with which references, and whether a source bears out the facts that cite it.

Sources are the texts that faithfulness judges by: the record of the shop, the page, the file.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from drretail.eval.claims.labels import QUOTE_DROPPED, SOURCE_CUT
from drretail.eval.claims.report_index import SourceResolver, part_tags, parts_of
from drretail.eval.claims.rulings import SupportJudge
from drretail.eval.claims.support import (
    MOST_CLAIMS,
    Content,
    about_sources,
    content_of,
    fitted,
    same_texts,
    source_tags,
)
from drretail.eval.judging.question import JudgeQuestion, Ruling
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.prompts import Prompt, load_prompt, tagged
from drretail.records.base import Record, sha256_of
from drretail.records.score import Verdict, VerdictState

TRIPLETS, DUPLICATES, SUPPORT = "triplets", "duplicates", "triplet_support"
"""The stages."""
REPORT = "report"
"""The item of the extraction."""
UNKNOWN = "unknown"
"""The note of a fact whose page was read and holds nothing to judge by, such as a notice of an error."""
UNFETCHED = "unfetched"
"""The note of a fact whose page nobody has tried to read."""


class Triplet(Record):
    """One fact with one of its references; both empty where it has none."""

    fact: str
    ref: str = ""
    """The number or mark of the reference in the text; "0" for a link in the text itself."""
    url: str = ""
    source: str | None = None
    """The evidence id or URL that the reference comes to; None where it comes to nothing."""

    @property
    def is_cited(self) -> bool:
        return bool(self.ref or self.url)


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact of a report, however often it says it."""

    text: str
    sources: tuple[str, ...] = ()
    """What its references come to, each once."""
    unresolved: tuple[str, ...] = ()
    """References that come to nothing."""


def pair_item(fact: str, source: str) -> str:
    """The item of a verdict on a fact and one source of it."""
    return sha256_of([fact, source])[:12]


def distinct_facts(triplets: Iterable[Triplet]) -> list[str]:
    """The facts of all triplets, those in the same words once."""
    return list({_folded(triplet.fact): triplet.fact for triplet in reversed(list(triplets))}.values())[::-1]


def duplicates_item(facts: Sequence[str]) -> str:
    """The item of the question which of these facts are the same."""
    return f"{REPORT}-{sha256_of(list(facts))[:8]}"


def unique_facts(triplets: Sequence[Triplet], groups: Iterable[Sequence[int]]) -> list[Fact]:
    """Each fact once with all its references; ``groups`` are numbers, from 1, of distinct facts that say the same."""
    texts = distinct_facts(triplets)
    first = {number: min(group) for group in groups for number in group}
    place = {_folded(text): first.get(number, number) for number, text in enumerate(texts, 1)}
    sources: dict[int, dict[str, None]] = {number: {} for number in sorted({*place.values()})}
    unresolved: dict[int, dict[str, None]] = {number: {} for number in sources}
    for triplet in triplets:
        number = place[_folded(triplet.fact)]
        if triplet.source is not None:
            sources[number][triplet.source] = None
        elif triplet.is_cited:
            unresolved[number][triplet.url or triplet.ref] = None
    return [Fact(texts[number - 1], tuple(sources[number]), tuple(unresolved[number])) for number in sources]


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


@dataclass(frozen=True, slots=True)
class JudgedReference:
    """A fact and one of its references, with what is known of it."""

    state: VerdictState | None
    """None where it was not judged yet."""
    support: float = 0.0
    """1 where the source bears it out wholly, 0.5 in part, 0 not at all."""
    is_unknown: bool = False
    """True where the source was read and holds nothing to judge by."""


@dataclass(frozen=True, slots=True)
class JudgedFacts:
    """The unique facts of a report, each with its references as they were judged."""

    facts: tuple[Fact, ...]
    pairs: tuple[tuple[JudgedReference, ...], ...]
    """By fact, in the order of its sources."""


def judged_facts(verdicts: Iterable[Verdict]) -> JudgedFacts | None:
    """What the verdicts of a report come to; None where its facts could not be read to the end."""
    by_key = {(verdict.stage, verdict.item): verdict for verdict in verdicts}
    extracted = by_key.get((TRIPLETS, REPORT))
    if extracted is None or extracted.state != "scored":
        return None
    triplets = [Triplet.model_validate(each) for each in extracted.value]
    compared = by_key.get((DUPLICATES, duplicates_item(distinct_facts(triplets))))
    if compared is None or compared.state != "scored":
        return None
    facts = unique_facts(triplets, compared.value)
    return JudgedFacts(
        tuple(facts),
        tuple(
            tuple(_pair(by_key.get((SUPPORT, pair_item(fact.text, source)))) for source in fact.sources)
            for fact in facts
        ),
    )


def _pair(verdict: Verdict | None) -> JudgedReference:
    if verdict is None:
        return JudgedReference(None)
    if verdict.state != "scored":
        return JudgedReference(verdict.state)
    return JudgedReference("scored", float(verdict.value), UNKNOWN in verdict.notes)


_TOLD = 8


class SaidTriplet(Record):
    fact: str = Field(min_length=1)
    ref_idx: str
    url: str

    @property
    def marks(self) -> list[str]:
        """The reference as the text names it; a link in the text itself has the number 0, which is none."""
        return [] if self.ref_idx.strip() in ("", "0") else [self.ref_idx]


class SaidTriplets(Record):
    """All checkable facts of a report, one entry for each reference of each."""

    triplets: list[SaidTriplet]


class SameFacts(Record):
    """Which facts of a list say exactly the same, by their numbers."""

    groups: list[list[int]]


async def _extract(report: str, resolver: SourceResolver, judge_session: JudgeSession, prompt: Prompt) -> Verdict:
    """The facts of one report, of a long one part by part."""

    def read(answer: SaidTriplets) -> Ruling:
        found = (_triplet(triplet, resolver) for triplet in answer.triplets)
        return Ruling([each.model_dump(mode="json", exclude_none=True) for each in found])

    def check(answer: SaidTriplets) -> str | None:
        names = [name for triplet in answer.triplets for name in (triplet.url, *triplet.marks) if name.strip()]
        strange = [repr(name) for name in dict.fromkeys(names) if not resolver.is_in_report(name)]
        if strange:
            return f"These references do not stand in the report: {', '.join(strange[:_TOLD])}. Copy them exactly."
        return None

    parts = parts_of(report) if report.strip() else []
    items = [f"part-{number}" for number in range(1, len(parts) + 1)] if len(parts) > 1 else [REPORT] * len(parts)
    givens = ({"report": part_tags(report, parts, at)} for at in range(len(parts)))
    kept = await judge_session.ask_and_record(
        *(
            JudgeQuestion(TRIPLETS, item, prompt, given, SaidTriplets, read, check, purpose="extraction")
            for item, given in zip(items, givens, strict=True)
        )
    )
    if items == [REPORT]:
        return kept[0]
    errors = "; ".join(f"{verdict.item}: {verdict.error}" for verdict in kept if verdict.state != "scored")
    state, value = (
        ("failed", None) if errors else ("scored", [triplet for verdict in kept for triplet in verdict.value])
    )
    return judge_session.record(TRIPLETS, REPORT, state, value, prompt_hash=prompt.hash, error=errors or None)


def _triplet(answer_given: SaidTriplet, resolver: SourceResolver) -> Triplet:
    """The reference is read as the text marks it, and its address where that mark comes to nothing."""
    found: tuple[str, ...] = ()
    for name in (*answer_given.marks, answer_given.url):
        found = found or (resolver.resolve([name]).sources if name.strip() else ())
    return Triplet(
        fact=answer_given.fact.strip(),
        ref=answer_given.ref_idx.strip(),
        url=answer_given.url.strip(),
        source=next(iter(found), None),
    )


def _misgrouped(answer_given: SameFacts, count: int) -> str | None:
    numbers = [number for group in answer_given.groups for number in group]
    if any(not 1 <= number <= count for number in numbers):
        return f"groups: the facts have the numbers 1 to {count}"
    return "groups: a number stands in two groups" if len(set(numbers)) < len(numbers) else None


Label = Literal["supported", "partly_supported", "unsupported", "unknown"]
_VALUES: Mapping[Label, float] = {"supported": 1.0, "partly_supported": 0.5, "unsupported": 0.0, "unknown": 0.0}


class SupportedFact(Record):
    """What a judge says of one fact; its grounds come before the label."""

    fact_id: int
    quote: str
    justification: str
    label: Label


class SupportedFacts(Record):
    """How far one source bears out each of the facts."""

    facts: list[SupportedFact]


def triplet_prompts() -> list[Prompt]:
    """All that is asked."""
    return [load_prompt(__file__, name) for name in ("triplets", "duplicates", "triplet_support")]


async def judge_triplets(subject: Subject, judge_session: JudgeSession) -> None:
    """Records facts, duplicates and support as far as they are missing; what failed ends only what rests on it."""
    report = subject.report or ""
    prompt = load_prompt(__file__, "triplets")
    resolver = SourceResolver(report, subject.evidence)
    existing = judge_session.existing(TRIPLETS, REPORT, prompt.hash)
    existing = existing or await _extract(report, resolver, judge_session, prompt)
    if existing.state != "scored":
        return
    triplets = [Triplet.model_validate(each) for each in existing.value]
    # Which distinct facts say the same, by their numbers from 1, recorded as a verdict.
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
                load_prompt(__file__, "duplicates"),
                given,
                SameFacts,
                lambda answer: Ruling([sorted(group) for group in answer.groups if len(group) > 1]),
                lambda answer: _misgrouped(answer, len(facts)),
                purpose="extraction",
            )
        )
    if found.state == "scored":
        await _rule(unique_facts(triplets, found.value), subject, judge_session)


async def _rule(facts: Sequence[Fact], subject: Subject, judge_session: JudgeSession) -> None:
    """Asks what each source says of the facts that cite it, as far as that was not judged by these very texts."""
    prompt = load_prompt(__file__, "triplet_support")
    by_source: dict[str, list[str]] = {}
    for fact in facts:
        for source in fact.sources:
            by_source.setdefault(source, []).append(fact.text)
    questions: list[JudgeQuestion[SupportedFacts]] = []
    for source, texts in by_source.items():
        content = content_of([source], subject.evidence)
        wording = prompt.hash if content.texts else ""
        known = [(fact, judge_session.existing(SUPPORT, pair_item(fact, source), wording)) for fact in texts]
        missing = [fact for fact, verdict in known if verdict is None or not same_texts(verdict.sources, content.texts)]
        if not content.texts:
            _record_unread(source, content, missing, subject, judge_session)
            continue
        parts = (missing[at : at + MOST_CLAIMS] for at in range(0, len(missing), MOST_CLAIMS))
        questions += [_question(source, content, part, subject, judge_session, prompt) for part in parts]
    await judge_session.ask_and_record(*questions)


def _question(
    source: str,
    content: Content,
    facts: Sequence[str],
    subject: Subject,
    judge_session: JudgeSession,
    prompt: Prompt,
) -> JudgeQuestion[SupportedFacts]:
    texts = fitted(content.texts, facts, judge_session.room)
    about = about_sources([source], subject.evidence, SupportJudge(subject, judge_session, subject.evidence).ledger)
    given = {
        "today": subject.today,
        "source": source_tags(texts, about),
        "facts": "\n".join(tagged("claim", fact, id=str(number)) for number, fact in enumerate(facts, 1)),
    }
    all_texts = [*about.values(), *(text.text.text for text in texts)]
    items = tuple(pair_item(fact, source) for fact in facts)
    return JudgeQuestion(
        SUPPORT,
        items[0],
        prompt,
        given,
        SupportedFacts,
        lambda answer: {
            items[supported_fact.fact_id - 1]: _ruling(supported_fact, all_texts) for supported_fact in answer.facts
        },
        lambda answer: _misnumbered(answer, len(facts)),
        items=items,
        begins_with=source,
        sources=[text.ref for text in texts],
        notes=[SOURCE_CUT] if any(text.share is not None for text in texts) else [],
    )


def _record_unread(
    source: str, content: Content, facts: Sequence[str], subject: Subject, judge_session: JudgeSession
) -> None:
    """What nobody has tried to read is not what can't be read."""
    is_unfetched = bool(content.unfetched)
    entry = subject.evidence.get(source)
    why = "nobody fetched it: `score --fetch-sources` does" if is_unfetched else "it could not be read"
    if entry is not None and entry.problem:
        why += f" ({entry.problem})"
    for fact in facts:
        judge_session.record(
            SUPPORT,
            pair_item(fact, source),
            "na" if is_unfetched else "unverifiable",
            reason=f"{source}: {why}",
            notes=[UNFETCHED] if is_unfetched else [],
        )


def _misnumbered(answer_given: SupportedFacts, count: int) -> str | None:
    numbers = [fact.fact_id for fact in answer_given.facts]
    if sorted(numbers) != list(range(1, count + 1)):
        return f"Give each of the facts 1 to {count} once, by its fact_id; these were given: {numbers}."
    return None


def _ruling(ruled: SupportedFact, texts: Sequence[str]) -> Ruling:
    """With the quote where it stands in the source, and with notes."""
    notes = [UNKNOWN] if ruled.label == "unknown" else []
    quote = " ".join(ruled.quote.split())
    is_found = any(quote in " ".join(text.split()) for text in texts)
    if quote and not is_found:
        notes.append(QUOTE_DROPPED)
    return Ruling(_VALUES[ruled.label], ruled.justification, ruled.quote.strip() if is_found else "", (), notes)
