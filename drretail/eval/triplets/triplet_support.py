"""Whether a source bears out the facts that cite it: one question a source and a dozen of its facts.

Sources are the texts that faithfulness judges by: the record of the shop, the page, the file.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from drretail.eval.claims.labels import QUOTE_DROPPED, SOURCE_CUT
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
from drretail.eval.triplets.facts import SUPPORT, UNFETCHED, UNKNOWN, Fact, pair_item, unique_facts
from drretail.eval.triplets.triplet_extraction import (
    duplicates_prompt,
    extract_triplets,
    extraction_prompt,
    find_duplicates,
)
from drretail.grounding.verify.records import Ledger
from drretail.prompts import Prompt, load_prompt, tagged
from drretail.records.base import Record

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


def support_prompt() -> Prompt:
    return load_prompt(__file__, "triplet_support")


def triplet_prompts() -> list[Prompt]:
    """All three."""
    return [extraction_prompt(), duplicates_prompt(), support_prompt()]


async def judge_triplets(subject: Subject, judge_session: JudgeSession) -> None:
    """Records facts, duplicates and support as far as they are missing; what failed ends only what rests on it."""
    triplets = await extract_triplets(subject, judge_session)
    groups = None if triplets is None else await find_duplicates(triplets, judge_session)
    if triplets is not None and groups is not None:
        await _SupportQuestions(subject, judge_session).rule(unique_facts(triplets, groups))


@dataclass(frozen=True)
class _SupportQuestions:
    subject: Subject
    judge_session: JudgeSession
    prompt: Prompt = field(default_factory=support_prompt)

    async def rule(self, facts: Sequence[Fact]) -> None:
        by_source: dict[str, list[str]] = {}
        for fact in facts:
            for source in fact.sources:
                by_source.setdefault(source, []).append(fact.text)
        questions = [
            (source, content, missing[at : at + MOST_CLAIMS])
            for source, texts in by_source.items()
            if (missing := self._missing(source, texts, content := content_of([source], self.subject.evidence)))
            for at in range(0, len(missing), MOST_CLAIMS)
        ]
        for source, content, missing in questions:
            if not content.texts:
                self._record_unread(source, content, missing)
        readable = (self._question(*question) for question in questions if question[1].texts)
        await self.judge_session.ask_and_record(*readable)

    def _missing(self, source: str, facts: Sequence[str], content: Content) -> list[str]:
        """The facts without a verdict by these very texts."""
        return [fact for fact in facts if not self._stands(pair_item(fact, source), content)]

    def _stands(self, item: str, content: Content) -> bool:
        wording = self.prompt.hash if content.texts else ""
        known = self.judge_session.existing(SUPPORT, item, wording)
        return known is not None and same_texts(known.sources, content.texts)

    def _question(self, source: str, content: Content, facts: Sequence[str]) -> JudgeQuestion[SupportedFacts]:
        texts = fitted(content.texts, facts, self.judge_session.room)
        about = about_sources([source], self.subject.evidence, self._ledger())
        given = {
            "today": self.subject.today,
            "source": source_tags(texts, about),
            "facts": "\n".join(tagged("claim", fact, id=str(number)) for number, fact in enumerate(facts, 1)),
        }
        held = [*about.values(), *(text.text.text for text in texts)]
        items = tuple(pair_item(fact, source) for fact in facts)
        return JudgeQuestion(
            SUPPORT,
            items[0],
            self.prompt,
            given,
            SupportedFacts,
            lambda answer: {
                items[supported_fact.fact_id - 1]: _ruling(supported_fact, held) for supported_fact in answer.facts
            },
            lambda answer: _misnumbered(answer, len(facts)),
            items=items,
            begins_with=source,
            sources=[text.ref for text in texts],
            notes=[SOURCE_CUT] if any(text.share is not None for text in texts) else [],
        )

    def _ledger(self) -> Ledger:
        return SupportJudge(self.subject, self.judge_session, self.subject.evidence).ledger

    def _record_unread(self, source: str, content: Content, facts: Sequence[str]) -> None:
        """What nobody has tried to read is not what can't be read."""
        is_unfetched = bool(content.unfetched)
        entry = self.subject.evidence.get(source)
        why = "nobody fetched it: `score --fetch-sources` does" if is_unfetched else "it could not be read"
        if entry is not None and entry.problem:
            why += f" ({entry.problem})"
        for fact in facts:
            self.judge_session.record(
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


def _ruling(ruled: SupportedFact, held: Sequence[str]) -> Ruling:
    """With the quote where it stands in the source, and with notes."""
    notes = [UNKNOWN] if ruled.label == "unknown" else []
    quote = " ".join(ruled.quote.split())
    is_found = any(quote in " ".join(text.split()) for text in held)
    if quote and not is_found:
        notes.append(QUOTE_DROPPED)
    return Ruling(_VALUES[ruled.label], ruled.justification, ruled.quote.strip() if is_found else "", (), notes)
