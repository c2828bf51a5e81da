"""Stage 3: whether sources support claims: 1 fully, 0.5 partly, 0 not (paper Table 8); and what is kept of a judge's
answer: a value, quotes that were found, notes.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, Literal, cast, get_args

from pydantic import ValidationError, WithJsonSchema, field_validator

from drretail.env.web.base import LONGEST_REFUSAL
from drretail.eval.claims.claims import (
    FIRST_ANSWER,
    PROMPTS,
    SUPPORT,
    Claim,
    Content,
    SourceText,
    about_sources,
    claim_batches,
    content_of,
    fitted,
    same_texts,
    source_tags,
)
from drretail.eval.judging.question import LEFT_OUT, REASON, still_to_ask
from drretail.eval.judging.session import JudgeSession, JudgeStep
from drretail.eval.judging.subject import Subject
from drretail.llm.prompt import Prompt, load_prompt, tagged
from drretail.llm.structured import MAX_REPAIRS
from drretail.records.base import Record
from drretail.records.evidence import Evidence
from drretail.records.score import Rules, Verdict, VerdictState
from drretail.reports.text.quotes import has_words
from drretail.shopping.verify.places import compare_value
from drretail.shopping.verify.records import Ledger

PARTIAL_CONTENT, QUOTE_DROPPED = "partial_content", "quote_dropped"
SOURCE_CUT, CONTRADICTED = "source_cut", "contradicted"
ASKED_AGAIN, NO_QUOTE, UNOPENED = "asked_again", "no_quote", "unopened"
REFUSED = "refused"
"""The notes of support verdicts.

partial_content: some sources could not be read. quote_dropped: a quote is in no source and was dropped.
source_cut: a source was too long for the judge and was cut to passages. contradicted: the sources contradict the
claim (its value is 0). asked_again: the judge was asked again with what the records say, and this is its second answer.
no_quote: support was first given without a quote that a source holds, and the judge was asked again. unopened: the run
never opened a product or page that the claim cites; it is judged by the shop's record, or by the page. refused: the
judge found that all that a claim cites are pages that are not there or not for us, which makes it unverifiable.
"""
UNQUOTED = "support without a quote that its sources hold, asked twice"
NOT_RATED = "not_rated"
"""The note of a verdict without a value: no field of a record decides the claim for a rule-based judge."""
Label = Literal["full_support", "partial_support", "no_support", "contradicted", "refused"]
_VALUES: Mapping[Label, float | None] = {
    "full_support": 1.0,
    "partial_support": 0.5,
    "no_support": 0.0,
    "contradicted": 0.0,
    "refused": None,
}


def _enum(*labels: str) -> WithJsonSchema:
    """What a schema offers: ``not_rated`` is for rules alone."""
    return WithJsonSchema({"enum": list(labels), "type": "string"})


class RuledClaim(Record):
    """What a judge says of one claim; its grounds come before the label, which follows from them."""

    claim_id: int
    quotes: list[str]
    justification: Annotated[str, REASON]
    label: Annotated[Label | Literal["not_rated"], _enum(*get_args(Label))]


class ClaimsSupport(Record):
    """How far the sources bear out each of the claims."""

    claims: list[RuledClaim]

    @field_validator("claims", mode="before")
    @classmethod
    def _only_usable(cls, items: Any) -> Any:
        """Drops items that do not fit the schema: only these are asked for again."""
        if not isinstance(items, list):
            return items
        usable: list[Any] = []
        for item in cast("list[Any]", items):
            with suppress(ValidationError):
                usable.append(RuledClaim.model_validate(item, strict=True))
        return usable

    @property
    def numbers(self) -> list[int]:
        return [claim.claim_id for claim in self.claims]

    def by_number(self) -> dict[int, RuledClaim]:
        """The labels by number, without numbers that were given twice."""
        return {claim.claim_id: claim for claim in self.claims if self.numbers.count(claim.claim_id) == 1}


class Support(Record):
    """How far the sources bear out a claim."""

    support: Annotated[
        Literal["full_support", "partial_support", "no_support", "not_rated"], _enum(*get_args(Label)[:3])
    ]
    justification: Annotated[str, REASON]


@dataclass(frozen=True, slots=True)
class SupportAnswer:
    """A judge's answer on a claim and some texts; ``value`` is None if it failed or is not decided."""

    value: float | None
    reason: str = ""
    quotes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    error: str | None = None
    first: "SupportAnswer | None" = None
    """The first answer, if the judge was asked twice."""

    @property
    def is_unquoted(self) -> bool:
        """True if it finds support without a quote that a source holds."""
        return bool(self.value) and not self.quotes

    @property
    def state(self) -> VerdictState:
        if self.value is not None:
            return "scored"
        return "na" if NOT_RATED in self.notes else "unverifiable" if REFUSED in self.notes else "failed"


def disputed(answer: SupportAnswer, claim: Claim, report: str, ledger: Ledger) -> tuple[str, ...]:
    """A line for each value that the judge typed of a claim, if its label is not what the records say of them:
    "price 39.99: the record says $49.99". They contradict one and it does not, or they have all and it finds none.
    """
    values = [compare_value(value, report, ledger) for value in claim.values]
    states = {value.state for value in values}
    is_false = "contradicted" in states
    differs = CONTRADICTED not in answer.notes if is_false else states == {"verified"} and answer.value == 0
    if not differs or answer.state in ("failed", "unverifiable"):
        return ()
    return tuple(
        f"{value.kind.replace('_', ' ')} {value.amount}: "
        + (f"the record says {value.derivation}" if value.state == "contradicted" else "agrees with the records")
        for value in values
        if value.state != "underivable"
    )


def may_refuse(claim: Claim, texts: Sequence[SourceText]) -> bool:
    """True if all texts that a claim is judged by are pages as short as those that only refuse."""
    read = [text for text in texts if text.id in claim.sources]
    return all(text.id.startswith("W:") and len(text.text.text) <= LONGEST_REFUSAL for text in read)


def support_answer(reply: RuledClaim, texts: Sequence[str]) -> SupportAnswer:
    quotes = [quote.strip() for quote in reply.quotes if quote.strip()]
    held = tuple(quote for quote in quotes if any(has_words(text, quote) for text in texts))
    notes = [QUOTE_DROPPED] if len(held) < len(quotes) else []
    if reply.label == "not_rated":
        return SupportAnswer(None, reply.justification, held, (NOT_RATED,))
    notes += [reply.label] if reply.label in (CONTRADICTED, REFUSED) else []
    return SupportAnswer(_VALUES[reply.label], reply.justification, held, tuple(notes))


QUESTION = "Q"
"""The id of the shopper's question among the sources."""
ABSENT = "no such product or page: {sources}"
UNFETCHED = "nobody fetched the page it cites ({pages}): `score --fetch-sources` does"
ASK_FOR_QUOTE = "no quote that was given stands in its sources: copy the passage that shows it, or give another label"
NO_REFUSAL = "Claim {claim} cites more than short pages, so it is not refused. Judge it by what its sources hold."
DIVISIBLE = re.compile("refusal|unusable(?!: no usable answer after)")
"""Errors that a single claim may have caused, so that the call is split: not answers that repairs did not mend, as in
another schema, which would cost as often as there are claims.
"""


def support_prompt(rules: Rules) -> Prompt:
    """Our prompt, whose instructions are a prefix shared by all calls, or the paper's rubric in other words."""
    if rules != "default":
        return load_prompt(PROMPTS, "support_alone")
    return load_prompt(PROMPTS, "support").shared_until("{{today}}")


@dataclass(frozen=True)
class SupportJudge:
    """One judge on the claims of one report, by the sources of a ledger."""

    subject: Subject
    judge_session: JudgeSession
    evidence: Mapping[str, Evidence]
    fit: Callable[[Sequence[SourceText], Sequence[str], int | None], Sequence[SourceText]] = fitted
    """How texts that are too long are cut to what matters to the claims."""

    @property
    def prompt(self) -> Prompt:
        return support_prompt(self.judge_session.rules)

    def existing(self, claim: Claim) -> Verdict | None:
        """The existing verdict, unless it rests on other texts, as before a page was fetched."""
        verdict = self.judge_session.existing(SUPPORT, claim.claim_id)
        verdict = verdict or self.judge_session.existing(SUPPORT, claim.claim_id, self.prompt.hash)
        content = self.content(claim)
        is_same = (
            verdict is not None and verdict.absent == content.absent and same_texts(verdict.sources, content.texts)
        )
        return verdict if is_same else None

    def content(self, claim: Claim) -> Content:
        """The texts that a claim is judged by; none if one of its pages was never fetched."""
        content = content_of(claim.sources, self.evidence)
        if content.unfetched and not (claim.looked_up and content.texts):
            return replace(content, texts=())
        return content

    async def rule(self, claims: Sequence[Claim]) -> None:
        """Records the missing verdicts of all claims, asked concurrently."""
        await self.judge_session.take(list(self.steps(claims)))

    def steps(self, claims: Sequence[Claim]) -> Iterator[JudgeStep[Any]]:
        """The questions for the missing verdicts of these claims; verdicts of unreadable ones are recorded at once.

        Under the default rules claims share calls. Claims on records are separate from those on pages and files, so
        that a page is never shown beside a record. All claims are packed, not only the missing ones: judging that was
        cut then asks the same questions, and the journal answers them.
        """
        contents = [(claim, self.content(claim)) for claim in claims]
        missing = {claim.claim_id for claim in claims if self.existing(claim) is None}
        for claim, content in contents:
            if not content.texts and claim.claim_id in missing:
                state, reason = self.unread(content)
                value = 0.0 if state == "scored" else None
                self.judge_session.record(SUPPORT, claim.claim_id, state, value, reason=reason, absent=content.absent)
        readable = [pair for pair in contents if pair[1].texts]
        calls = claim_batches(readable) if self.judge_session.rules == "default" else [[pair] for pair in readable]
        for call in still_to_ask(calls, lambda pair: pair[0].claim_id in missing):
            texts = {(text.id, text.text.sha256): text for _, content in call for text in content.texts}
            asked = [claim for claim, _ in call]
            cut = tuple(self.fit([*texts.values()], [claim.claim for claim in asked], self.judge_session.room))
            yield JudgeStep(partial(self._answered, asked, cut), partial(self._keep, call, cut))

    async def _answered(self, claims: Sequence[Claim], texts: Sequence[SourceText]) -> dict[str, SupportAnswer]:
        """The judge's answers by claim id; claims whose answer differs from the records are asked about again."""
        if self.judge_session.rules != "default":
            (claim,) = claims
            values = {"claim": tagged("claim", claim.claim), "sources": source_tags(texts)}
            reply = await self.judge_session.ask(SUPPORT, claim.claim_id, self.prompt, values, Support)
            if (answer := reply.answer) is None:
                return {claim.claim_id: SupportAnswer(None, error=reply.error)}
            ruled = RuledClaim(claim_id=1, quotes=[], justification=answer.justification, label=answer.support)
            return {claim.claim_id: support_answer(ruled, [text.text.text for text in texts])}
        alone = await self._labels(claims, texts, {})
        text = self.subject.case.layout.text
        disputes = {
            claim.claim_id: disputed(alone[claim.claim_id], claim, text, self.subject.ledger) for claim in claims
        }
        lines = {item: lines_of for item, lines_of in disputes.items() if lines_of}
        again = (
            await self._labels([claim for claim in claims if claim.claim_id in lines], texts, lines) if lines else {}
        )
        second = {
            item: replace(answer, first=alone[item]) for item, answer in again.items() if answer.value is not None
        }
        return alone | second

    async def _labels(
        self, claims: Sequence[Claim], texts: Sequence[SourceText], lines: Mapping[str, Sequence[str]]
    ) -> dict[str, SupportAnswer]:
        """The judge's labels by claim id. Claims missing in an answer are asked about again; if no answer is usable, in
        two halves. Support without a quote that a source holds is asked for once more, and then failed.
        """
        labels: dict[str, SupportAnswer] = {}
        left = list(claims)
        unquoted: set[str] = set()
        for _ in range(1 + MAX_REPAIRS):
            asked_for = {item: (*lines.get(item, ()), ASK_FOR_QUOTE) for item in unquoted}
            answer, error = await self._ask_once(left, texts, {**lines, **asked_for})
            if answer is None:
                if len(left) > 1 and DIVISIBLE.match(error):
                    for half in (left[: len(left) // 2], left[len(left) // 2 :]):
                        labels |= await self._labels(half, texts, lines)
                    return labels
                return labels | {claim.claim_id: SupportAnswer(None, error=error) for claim in left}
            again = {item for item, label in answer.items() if label.is_unquoted} - unquoted
            labels |= {item: _quoted(label, unquoted, item) for item, label in answer.items() if item not in again}
            unquoted |= again
            left = [claim for claim in left if claim.claim_id not in labels]
            if not left:
                break
        return labels | {claim.claim_id: SupportAnswer(None, error=LEFT_OUT) for claim in left}

    async def _ask_once(
        self, claims: Sequence[Claim], all_texts: Sequence[SourceText], lines: Mapping[str, Sequence[str]]
    ) -> tuple[dict[str, SupportAnswer] | None, str]:
        """One call: the usable labels by claim id, or None and the reason."""
        cited = {source for claim in claims for source in claim.sources}
        texts = [all_text for all_text in all_texts if all_text.id in cited]
        about = about_sources((source_text.id for source_text in texts), self.evidence, self.subject.ledger)
        question = self.subject.query.text
        values = {
            "today": self.subject.today,
            "sources": "\n\n".join([tagged("source", question, id=QUESTION), source_tags(texts, about)]),
            "claims": "\n\n".join(
                _shown(number, claim, lines.get(claim.claim_id, ())) for number, claim in enumerate(claims, 1)
            ),
        }

        def check(answer: ClaimsSupport) -> str | None:
            numbers = range(1, len(claims) + 1)
            strange = [str(number) for number in answer.numbers if number not in numbers]
            if not strange and any(number in numbers for number in answer.by_number()):
                refused = (item.claim_id for item in answer.claims if item.label == REFUSED)
                whole = next((number for number in refused if not may_refuse(claims[number - 1], texts)), None)
                return None if whole is None else NO_REFUSAL.format(claim=whole)
            why = f"There is no claim {', '.join(strange)}. " if strange else ""
            return f"{why}Give each of the claims 1 to {len(claims)} once, by its claim_id, with a justification."

        first = claims[0].claim_id
        reply = await self.judge_session.ask(SUPPORT, first, self.prompt, values, ClaimsSupport, check)
        if reply.answer is None:
            return None, reply.error or ""
        labels = reply.answer.by_number()
        return {
            claim.claim_id: support_answer(
                labels[number],
                [
                    question,
                    # With what the tags of its sources say, such as a page's date.
                    source_tags([text for text in texts if text.id in claim.sources], about),
                ],
            )
            for number, claim in enumerate(claims, 1)
            if number in labels
        }, ""

    def unread(self, content: Content) -> tuple[VerdictState, str]:
        """Why no judge is asked: a page that was never fetched differs from one that can't be read, and what does not
        exist supports nothing.
        """
        if content.unfetched:
            return "na", UNFETCHED.format(pages=", ".join(content.unfetched))
        if not content.unreadable:
            return "scored", ABSENT.format(sources=", ".join(content.absent))
        notice = (
            f"{source} ({entry.problem})" if (entry := self.evidence.get(source)) and entry.problem else source
            for source in content.unreadable
        )
        return "unverifiable", f"none of its sources could be read: {', '.join(notice)}"

    def _keep(
        self, call: Sequence[tuple[Claim, Content]], texts: Sequence[SourceText], answers: Mapping[str, SupportAnswer]
    ) -> None:
        """Records the verdicts of one call, and the first answers on claims that were asked about twice."""
        with self.judge_session.file.at_once():
            for claim, content in call:
                answer, read = answers[claim.claim_id], [text for text in texts if text.id in claim.sources]
                notes = [PARTIAL_CONTENT] if content.unreadable or content.unfetched or content.absent else []
                notes += [SOURCE_CUT] if any(source_text.share is not None for source_text in read) else []
                cited = [self.evidence.get(source) for source in {*claim.sources} - {*claim.looked_up}]
                is_unopened = any(entry is not None and entry.looked_up for entry in cited)
                notes += [UNOPENED] if is_unopened and not self.subject.system.is_imported else []
                record = partial(self._record, claim.claim_id, read, content.absent)
                if answer.first is not None:
                    record(f"{SUPPORT}{FIRST_ANSWER}", answer.first, notes)
                    notes.append(ASKED_AGAIN)
                record(SUPPORT, answer, notes)

    def _record(
        self,
        item: str,
        texts: Sequence[SourceText],
        absent: Sequence[str],
        stage: str,
        ruled: SupportAnswer,
        notes: Sequence[str],
    ) -> None:
        self.judge_session.record(
            stage,
            item,
            ruled.state,
            ruled.value,
            prompt_hash=self.prompt.hash,
            reason=ruled.reason,
            quote=next(iter(ruled.quotes), None),
            more_quotes=ruled.quotes[1:],
            sources=[source.ref for source in texts],
            absent=absent,
            notes=(*notes, *ruled.notes),
            error=ruled.error,
        )


def _quoted(answer: SupportAnswer, unquoted: Collection[str], item: str) -> SupportAnswer:
    """The answer as it counts if ``unquoted`` have been asked for a quote."""
    if item not in unquoted:
        return answer
    notes = (*answer.notes, NO_QUOTE)
    return SupportAnswer(None, notes=notes, error=UNQUOTED) if answer.is_unquoted else replace(answer, notes=notes)


def _shown(number: int, claim: Claim, lines: Sequence[str]) -> str:
    """A claim for a prompt, with its sources and the lines of its records."""
    text = tagged("claim", claim.claim, id=str(number), sources=" ".join(claim.sources))
    return "\n".join([text, *(tagged("record", line, claim=str(number)) for line in lines)])
