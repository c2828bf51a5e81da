"""Which facts a report states with which references, and whether a source supports the facts that cite it.

Sources are the texts by which faithfulness is judged: the shop's record, the page, the file.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import Field

from drretail.eval.claims.claims import MOST_CLAIMS, Content, about_sources, content_of, fitted, same_texts, source_tags
from drretail.eval.claims.report_index import SourceResolver, part_tags, parts_of
from drretail.eval.claims.rulings import QUOTE_DROPPED, SOURCE_CUT, SupportJudge
from drretail.eval.judging.question import JudgeQuestion, Ruling, still_to_ask
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.llm.prompt import Prompt, load_prompt, tagged
from drretail.records.base import Record, sha256_of
from drretail.records.score import Verdict, VerdictState

TRIPLETS, DUPLICATES, SUPPORT = "triplets", "duplicates", "triplet_support"
"""The stages of judging."""
REPORT = "report"
"""The item of the extraction's verdict."""
UNKNOWN = "unknown"
"""The note on a fact whose page was read but holds nothing to judge by, such as an error notice."""


class Triplet(Record):
    """One fact with one of its references; both empty where it has none."""

    fact: str
    ref: str = ""
    """The number or mark of the reference in the text; "0" for a link in the text itself."""
    url: str = ""
    source: str | None = None
    """The evidence id or URL that the reference resolves to; None if it resolves to nothing."""

    @property
    def is_cited(self) -> bool:
        return bool(self.ref or self.url)


@dataclass(frozen=True, slots=True)
class JudgedReference:
    """A fact's reference and its verdict."""

    state: VerdictState | None
    """None if it was not judged yet."""
    support: float = 0.0
    """1 if the source supports the whole fact, 0.5 if a part, 0 if nothing of it."""


@dataclass(frozen=True, slots=True)
class ReportFact:
    """A fact of a report, however often the report states it."""

    text: str
    sources: tuple[str, ...] = ()
    """The sources that its references resolve to, each once."""
    unresolved: tuple[str, ...] = ()
    """The references that resolve to nothing."""
    references: tuple[JudgedReference, ...] = ()
    """The verdicts on its sources, in their order; empty before they are read."""


def fact_source_item(fact: str, source: str) -> str:
    return sha256_of([fact, source])[:12]


def distinct_facts(triplets: Iterable[Triplet]) -> list[str]:
    """The facts of all triplets; facts in the same words occur once."""
    return list({_folded(triplet.fact): triplet.fact for triplet in reversed(list(triplets))}.values())[::-1]


def duplicates_item(facts: Sequence[str]) -> str:
    """The item of the question which of these facts say the same."""
    return f"{REPORT}-{sha256_of(list(facts))[:8]}"


def unique_facts(triplets: Sequence[Triplet], groups: Iterable[Sequence[int]]) -> list[ReportFact]:
    """Each fact once with all its references.

    ``groups`` hold the numbers, from 1, of distinct facts that say the same.
    """
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
    return [ReportFact(texts[number - 1], tuple(sources[number]), tuple(unresolved[number])) for number in sources]


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def judged_facts(verdicts: Iterable[Verdict]) -> list[ReportFact] | None:
    """The unique facts of a report with their verdicts; None if its facts were not all extracted and compared."""
    by_key = {(verdict.stage, verdict.item): verdict for verdict in verdicts}
    extracted = by_key.get((TRIPLETS, REPORT))
    if extracted is None or extracted.state != "scored":
        return None
    triplets = [Triplet.model_validate(triplet) for triplet in extracted.value]
    compared = by_key.get((DUPLICATES, duplicates_item(distinct_facts(triplets))))
    if compared is None or compared.state != "scored":
        return None

    facts: list[ReportFact] = []
    for fact in unique_facts(triplets, compared.value):
        references: list[JudgedReference] = []
        for source in fact.sources:
            verdict = by_key.get((SUPPORT, fact_source_item(fact.text, source)))
            if verdict is None or verdict.state != "scored":
                references.append(JudgedReference(None if verdict is None else verdict.state))
            else:
                references.append(JudgedReference("scored", float(verdict.value)))
        facts.append(replace(fact, references=tuple(references)))
    return facts


_TOLD = 8


class SaidTriplet(Record):
    fact: str = Field(min_length=1)
    ref_idx: str
    url: str

    @property
    def marks(self) -> list[str]:
        """The reference as the text names it; empty for a link in the text itself, whose number is 0."""
        return [] if self.ref_idx.strip() in ("", "0") else [self.ref_idx]


class SaidTriplets(Record):
    """All checkable facts of a report, one entry for each reference of each."""

    triplets: list[SaidTriplet]


class SameFacts(Record):
    """Which facts of a list say exactly the same, by their numbers."""

    groups: list[list[int]]


async def _extract(report: str, resolver: SourceResolver, judge_session: JudgeSession, prompt: Prompt) -> Verdict:
    """The facts of one report; a long report is read part by part."""

    def read(answer: SaidTriplets) -> Ruling:
        triplets: list[Triplet] = []
        for triplet in answer.triplets:
            # The mark of the reference is resolved first; its address only if the mark resolves to nothing.
            sources_of = (resolver.resolve([name]).sources for name in (*triplet.marks, triplet.url) if name.strip())
            source = next((sources[0] for sources in sources_of if sources), None)
            fact, ref, url = (text.strip() for text in (triplet.fact, triplet.ref_idx, triplet.url))
            triplets.append(Triplet(fact=fact, ref=ref, url=url, source=source))
        return Ruling([triplet.model_dump(mode="json", exclude_none=True) for triplet in triplets])

    def check(answer: SaidTriplets) -> str | None:
        names = [name for triplet in answer.triplets for name in (triplet.url, *triplet.marks) if name.strip()]
        strange = [repr(name) for name in dict.fromkeys(names) if not resolver.is_in_report(name)]
        if strange:
            return f"These references do not stand in the report: {', '.join(strange[:_TOLD])}. Copy them exactly."
        return None

    parts = parts_of(report) if report.strip() else []
    items = [f"part-{number}" for number in range(1, len(parts) + 1)] if len(parts) > 1 else [REPORT] * len(parts)
    givens = ({"report": part_tags(report, parts, at)} for at in range(len(parts)))
    verdicts = await judge_session.ask_and_record(
        *(
            JudgeQuestion(TRIPLETS, item, prompt, prompt_values, SaidTriplets, read, check, purpose="extraction")
            for item, prompt_values in zip(items, givens, strict=True)
        )
    )
    if items == [REPORT]:
        return verdicts[0]
    errors = "; ".join(f"{verdict.item}: {verdict.error}" for verdict in verdicts if verdict.state != "scored")
    state, value = (
        ("failed", None) if errors else ("scored", [triplet for verdict in verdicts for triplet in verdict.value])
    )
    return judge_session.record(TRIPLETS, REPORT, state, value, prompt_hash=prompt.hash, error=errors or None)


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
    return [load_prompt(__file__, name) for name in ("triplets", "duplicates", "triplet_support")]


async def judge_triplets(subject: Subject, judge_session: JudgeSession) -> None:
    """Records the facts, duplicates and support that are missing. A failure ends only what rests on it."""
    report = subject.report or ""
    prompt = load_prompt(__file__, "triplets")
    resolver = SourceResolver(report, subject.evidence)
    existing = judge_session.existing(TRIPLETS, REPORT, prompt.hash)
    existing = existing or await _extract(report, resolver, judge_session, prompt)
    if existing.state != "scored":
        return
    triplets = [Triplet.model_validate(triplet) for triplet in existing.value]
    # Which distinct facts say the same, by their numbers from 1, recorded as a verdict.
    facts = distinct_facts(triplets)
    item = duplicates_item(facts)
    if len(facts) < 2:
        duplicates = judge_session.existing(DUPLICATES, item) or judge_session.record(DUPLICATES, item, "scored", [])
    else:

        def misgrouped(answer: SameFacts) -> str | None:
            numbers = [number for group in answer.groups for number in group]
            if any(not 1 <= number <= len(facts) for number in numbers):
                return f"groups: the facts have the numbers 1 to {len(facts)}"
            return "groups: a number stands in two groups" if len(set(numbers)) < len(numbers) else None

        material = {"facts": "\n".join(tagged("claim", fact, id=str(number)) for number, fact in enumerate(facts, 1))}
        (duplicates,) = await judge_session.ask_and_record(
            JudgeQuestion(
                DUPLICATES,
                item,
                load_prompt(__file__, "duplicates"),
                material,
                SameFacts,
                lambda answer: Ruling([sorted(group) for group in answer.groups if len(group) > 1]),
                misgrouped,
                purpose="extraction",
            )
        )
    if duplicates.state == "scored":
        await _rule(unique_facts(triplets, duplicates.value), subject, judge_session)


async def _rule(facts: Sequence[ReportFact], subject: Subject, judge_session: JudgeSession) -> None:
    """Asks what each source says of the facts that cite it, unless existing verdicts rest on the same texts."""
    prompt, support_judge = (
        load_prompt(__file__, "triplet_support"),
        SupportJudge(subject, judge_session, subject.evidence),
    )
    by_source: dict[str, list[str]] = {}
    for fact in facts:
        for source in fact.sources:
            by_source.setdefault(source, []).append(fact.text)
    questions: list[JudgeQuestion[SupportedFacts]] = []
    for source, texts in by_source.items():
        content = content_of([source], subject.evidence)
        wording = prompt.hash if content.texts else ""
        existing = [(fact, judge_session.existing(SUPPORT, fact_source_item(fact, source), wording)) for fact in texts]
        missing = {
            fact for fact, verdict in existing if verdict is None or not same_texts(verdict.sources, content.texts)
        }
        if not content.texts:
            state, reason = support_judge.unread(content)
            for fact in (fact for fact in texts if fact in missing):
                judge_session.record(SUPPORT, fact_source_item(fact, source), state, reason=reason)
            continue
        parts = (texts[at : at + MOST_CLAIMS] for at in range(0, len(texts), MOST_CLAIMS))
        for part in still_to_ask(parts, missing.__contains__):
            questions.append(_question(source, content, part, support_judge, prompt))
    await judge_session.ask_and_record(*questions)


def _question(
    source: str, content: Content, facts: Sequence[str], support_judge: SupportJudge, prompt: Prompt
) -> JudgeQuestion[SupportedFacts]:
    texts = fitted(content.texts, facts, support_judge.judge_session.room)
    about = about_sources([source], support_judge.evidence, support_judge.subject.ledger)
    material = {
        "today": support_judge.subject.today,
        "source": source_tags(texts, about),
        "facts": "\n".join(tagged("claim", fact, id=str(number)) for number, fact in enumerate(facts, 1)),
    }
    all_texts = [*about.values(), *(text.text.text for text in texts)]
    items = tuple(fact_source_item(fact, source) for fact in facts)

    def misnumbered(answer: SupportedFacts) -> str | None:
        numbers = [fact.fact_id for fact in answer.facts]
        if sorted(numbers) != list(range(1, len(facts) + 1)):
            return f"Give each of the facts 1 to {len(facts)} once, by its fact_id; these were given: {numbers}."
        return None

    def read(answer: SupportedFacts) -> dict[str, Ruling]:
        """The rulings, each with its quote only if that is in the source."""
        rulings: dict[str, Ruling] = {}
        for ruled in answer.facts:
            notes, quote = [UNKNOWN] if ruled.label == "unknown" else [], " ".join(ruled.quote.split())
            is_found = any(quote in " ".join(text.split()) for text in all_texts)
            if quote and not is_found:
                notes.append(QUOTE_DROPPED)
            evidence = ruled.quote.strip() if is_found else ""
            rulings[items[ruled.fact_id - 1]] = Ruling(_VALUES[ruled.label], ruled.justification, evidence, (), notes)
        return rulings

    return JudgeQuestion(
        SUPPORT,
        items[0],
        prompt,
        material,
        SupportedFacts,
        read,
        misnumbered,
        items=items,
        begins_with=source,
        sources=[text.ref for text in texts],
        notes=[SOURCE_CUT] if any(text.share is not None for text in texts) else [],
    )
