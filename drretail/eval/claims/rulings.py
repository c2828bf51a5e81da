"""Stage 3: whether sources support claims: 1 fully, 0.5 partly, 0 not (paper Table 8); and what is kept of a judge's
answer: a value, quotes that were found, notes.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import Annotated, Any, Literal, cast, get_args

from pydantic import ValidationError, WithJsonSchema, field_validator

from drretail.eval.claims.claims import (
    FIRST_ANSWER,
    PROMPTS,
    SUPPORT,
    SUPPORT_SHOWN,
    Claim,
    Content,
    SourceText,
    Unit,
    about_sources,
    content_of,
    fitted,
    packed,
    same_texts,
    shown_products,
    source_tags,
    source_type,
)
from drretail.eval.claims.report_index import has_words
from drretail.eval.judging.question import LEFT_OUT, REASON, still_to_ask
from drretail.eval.judging.session import JudgeSession, Step
from drretail.eval.judging.subject import Subject
from drretail.grounding.verify.checks import read_report
from drretail.grounding.verify.product_statements import AGREES
from drretail.grounding.verify.records import Ledger
from drretail.grounding.verify.turns import statements_of
from drretail.grounding.verify.values import verify
from drretail.llm.prompt import Prompt, load_prompt, tagged
from drretail.llm.structured import MAX_REPAIRS
from drretail.records.base import Record, sha256_of
from drretail.records.evidence import Evidence, EvidenceText
from drretail.records.reading import ReadValue
from drretail.records.score import Rules, Verdict, VerdictState
from drretail.records.shop import has_offers


@dataclass(frozen=True, slots=True)
class RecordCheck:
    """What the records say of a claim, by verifying its values in code."""

    is_contradicted: bool
    """True if the records contradict any value; otherwise they agree with all."""
    lines: tuple[str, ...]
    """A line for each value: "price 39.99: the record says $49.99"."""


def check_of(claim: Claim, ledger: Ledger, report: str, read: Sequence[ReadValue] = ()) -> RecordCheck | None:
    """What the records say of a claim. None if it has no values, or if none is contradicted and not all can be
    verified.

    For products with known variants, stock or list price, the claim's words are checked too. ``read`` are verified
    values of the report; wrong ones within the claim count if the judge read no values.
    """
    ids = [source.removeprefix("P:") for source in claim.sources if not claim.looked_up or source[:2] == "P:"]
    items = [ledger.products[name] for name in ids if name in ledger.products]
    is_known = any(has_offers(item) or item.product_id in ledger.looked_up for item in items)
    if is_known and len(items) == len(ids):  # else the claim also rests on other sources
        statements = statements_of(claim.claim, ids, {item.product_id: item for item in items})
        if statements:
            lines = tuple(dict.fromkeys(statement.in_words(claim.claim) for statement in statements))
            return RecordCheck(is_contradicted=not all(statement.is_true for statement in statements), lines=lines)
    start, end = claim.start or 0, claim.end or 0
    wrong = (value for value in read if start <= value.start < end and value.state == "contradicted")
    verified = verify(claim.values, ledger, report, lambda _: claim.sources) if claim.values else tuple(wrong)
    states = {value.state for value in verified}
    if "contradicted" not in states and states != {"verified"}:
        return None
    of_values: list[str] = []
    for value in verified:
        of_records = f" ({value.derivation})" if value.derivation else ""
        finding = value.derivation or "" if value.state == "contradicted" else f"{AGREES}{of_records}"
        if value.state != "underivable":
            name = f"{value.kind.replace('_', ' ')} {value.field or ''}".removeprefix("property ").strip()
            of_values.append(f"{name} {value.amount_in_words}: {finding}")
    return RecordCheck("contradicted" in states, tuple(of_values))


PARTIAL_CONTENT, QUOTE_DROPPED, DISTORTED = "partial_content", "quote_dropped", "distorted_in_summary"
ONLY_IN_SNIPPET, SOURCE_CUT, CONTRADICTED = "only_in_snippet", "source_cut", "contradicted"
ASKED_AGAIN, CHANGED, NO_QUOTE = "asked_again", "changed_mind", "no_quote"
NOTES = (
    PARTIAL_CONTENT,
    QUOTE_DROPPED,
    DISTORTED,
    ONLY_IN_SNIPPET,
    SOURCE_CUT,
    CONTRADICTED,
    ASKED_AGAIN,
    CHANGED,
    NO_QUOTE,
)
"""The notes of support verdicts.

partial_content: some sources could not be read. quote_dropped: a quote is in no source and was dropped.
distorted_in_summary, only_in_snippet: the summary or snippet that the agent read supports the claim better than the
page. source_cut: a source was too long for the judge and was cut to passages. contradicted: the sources contradict the
claim (its value is 0). asked_again: the judge was asked again with what the records say, and this is its second answer.
changed_mind: that answer has another label than the first. no_quote: support was first given without a quote that a
source holds, and the judge was asked again.
"""
UNQUOTED = "support without a quote that its sources hold, asked twice"
INVENTED = "invented"
"""The note of an unverifiable claim all of whose addresses a run of ours never saw: 0 in the mean."""
NOT_RATED = "not_rated"
"""The note of a verdict without a value: no field of a record decides the claim for a rule-based judge."""
Label = Literal["full_support", "partial_support", "no_support", "contradicted"]
_VALUES: Mapping[Label, float] = {"full_support": 1.0, "partial_support": 0.5, "no_support": 0.0, "contradicted": 0.0}


def _given(*labels: str) -> WithJsonSchema:
    """What a schema offers: ``not_rated`` is for rules alone."""
    return WithJsonSchema({"enum": list(labels), "type": "string"})


class RuledClaim(Record):
    """What a judge says of one claim; its grounds come before the label, which follows from them."""

    claim_id: int
    quotes: list[str]
    justification: Annotated[str, REASON]
    label: Annotated[Label | Literal["not_rated"], _given(*get_args(Label))]


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
        for each in cast("list[Any]", items):
            with suppress(ValidationError):
                usable.append(RuledClaim.model_validate(each, strict=True))
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
        Literal["full_support", "partial_support", "no_support", "not_rated"], _given(*get_args(Label)[:3])
    ]
    justification: Annotated[str, REASON]
    quote: str = ""
    """Blank from a judge that is told the paper's own words, which ask for none."""


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
    def is_contradicted(self) -> bool:
        return CONTRADICTED in self.notes

    @property
    def is_unquoted(self) -> bool:
        """True if it finds support without a quote that a source holds."""
        return bool(self.value) and not self.quotes

    @property
    def state(self) -> VerdictState:
        return "na" if NOT_RATED in self.notes else "failed" if self.value is None else "scored"

    def differs_from(self, check: RecordCheck) -> bool:
        """True if code finds a contradiction and the judge does not, or code finds all figures right and the judge no
        support.
        """
        if self.state == "failed":
            return False
        return not self.is_contradicted if check.is_contradicted else self.value == 0

    @property
    def is_changed(self) -> bool:
        first = self.first
        return first is not None and (first.value, first.is_contradicted) != (self.value, self.is_contradicted)


def support_answer(reply: RuledClaim, texts: Sequence[str]) -> SupportAnswer:
    quotes = [quote.strip() for quote in reply.quotes if quote.strip()]
    held = tuple(quote for quote in quotes if any(has_words(text, quote) for text in texts))
    notes = [QUOTE_DROPPED] if len(held) < len(quotes) else []
    if reply.label == "not_rated":
        return SupportAnswer(None, reply.justification, held, (NOT_RATED,))
    notes += [CONTRADICTED] if reply.label == "contradicted" else []
    return SupportAnswer(_VALUES[reply.label], reply.justification, held, tuple(notes))


QUESTION = "Q"
"""The id of the shopper's question among the sources."""
UNFETCHED = "nobody fetched the page it cites ({pages}): `score --fetch-sources` does"
ASK_FOR_QUOTE = "no quote that was given stands in its sources: copy the passage that shows it, or give another label"
DIVISIBLE = ("refusal", "unusable")
"""The beginnings of errors that a single claim may have caused, so that the call is split."""
NO_LINES: Mapping[str, Sequence[str]] = MappingProxyType({})
Fit = Callable[[Sequence[SourceText], Sequence[str], int | None], Sequence[SourceText]]


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
    stage: str = SUPPORT
    fit: Fit = fitted
    """How texts that are too long are cut to what matters to the claims."""

    @property
    def rules(self) -> Rules:
        return self.judge_session.rules

    @property
    def prompt(self) -> Prompt:
        return support_prompt(self.rules)

    @property
    def ledger(self) -> Ledger:
        """The records that values are compared with, and the terms of calculations."""
        return self.subject.ledger

    @cached_property
    def read(self) -> Sequence[ReadValue]:
        """The figures that code reads in a report on looked-up products; empty for other reports."""
        return read_report(self.subject.case).values if self.ledger.looked_up else ()

    @property
    def shown(self) -> "SupportJudge":
        """The same judge, by what the agent read of web pages."""
        return replace(self, stage=SUPPORT_SHOWN)

    def existing(self, unit: Unit) -> Verdict | None:
        """The existing verdict, unless it rests on other texts, as before a page was fetched."""
        known = self.judge_session.existing(self.stage, unit.item)
        known = known or self.judge_session.existing(self.stage, unit.item, self.prompt.hash)
        return known if known is not None and same_texts(known.sources, self.content(unit).texts) else None

    def content(self, unit: Unit) -> Content:
        """The texts that a claim is judged by; none if one of its pages was never fetched."""
        content = content_of(unit.sources, self.evidence, shown=self.stage == SUPPORT_SHOWN)
        if content.unfetched and not (unit.claim.looked_up and content.texts):
            return replace(content, texts=())
        if self.rules != "drg":
            return content
        # Under these rules, a sentence stands for an unreadable source, and addresses are removed from texts.
        read = [
            replace(source, text=source.text.model_copy(update={"text": re.sub(r"https?://\S+", "", source.text.text)}))
            for source in content.texts
        ]
        for source in content.unreadable:
            text = f"Error: the content of {source} could not be fetched."
            notice = EvidenceText(sha256=sha256_of(text), form="page", text=text, shown=False, path="0", seq=0)
            read.append(SourceText(source, notice))
        return Content(tuple(read))

    def is_shown_otherwise(self, unit: Unit) -> bool:
        """True if the agent read web texts of the claim that differ from those it is judged by."""
        return self.shown.content(unit).texts != self.content(unit).texts and any(
            source_type(text.id) == "web" for text in self.shown.content(unit).texts
        )

    async def rule(self, units: Sequence[Unit]) -> None:
        """Records the missing verdicts of all units, asked concurrently."""
        await self.judge_session.take(list(self.steps(units)))

    def steps(self, units: Sequence[Unit]) -> Iterator[Step[Any]]:
        """The questions for the missing verdicts of these units; verdicts of unreadable ones are recorded at once.

        Under the default rules claims share calls. Claims on records are separate from those on pages and files, so
        that a page is never shown beside a record. All units are packed, not only the missing ones: judging that was
        cut then asks the same questions, and the journal answers them.
        """
        contents = [(unit, self.content(unit)) for unit in units]
        missing = {unit.item for unit in units if self.existing(unit) is None}
        for unit, content in contents:
            if not content.texts and unit.item in missing:
                state, reason = self.unread(content)
                notes = [INVENTED] if self._is_invented(unit) else []
                self.judge_session.record(self.stage, unit.item, state, reason=reason, notes=notes)
        readable = [pair for pair in contents if pair[1].texts]
        calls = packed(readable) if self.rules == "default" else [[pair] for pair in readable]
        for call in still_to_ask(calls, lambda pair: pair[0].item in missing):
            texts = {(text.id, text.text.sha256): text for _, content in call for text in content.texts}
            claims = [unit.claim.claim for unit, _ in call]
            cut = tuple(self.fit([*texts.values()], claims, self.judge_session.room))
            yield Step(partial(self._answered, [unit for unit, _ in call], cut), partial(self._keep, call, cut))

    async def _answered(self, units: Sequence[Unit], texts: Sequence[SourceText]) -> dict[str, SupportAnswer]:
        """The judge's answers by item; claims whose answer differs from the records are asked about again."""
        if self.rules != "default":
            values = {"claim": tagged("claim", units[0].claim.claim), "sources": source_tags(texts)}
            reply = await self.judge_session.ask(self.stage, units[0].item, self.prompt, values, Support)
            if (answer := reply.answer) is None:
                return {units[0].item: SupportAnswer(None, error=reply.error)}
            quotes = [answer.quote] if answer.quote.strip() else []
            ruled = RuledClaim(claim_id=1, quotes=quotes, justification=answer.justification, label=answer.support)
            return {units[0].item: support_answer(ruled, [text.text.text for text in texts])}
        alone = await self._labels(units, texts)
        text = self.subject.case.layout.text
        checks = {unit.item: check_of(unit.claim, self.ledger, text, self.read) for unit in units}
        lines = {
            item: check.lines for item, check in checks.items() if check is not None and alone[item].differs_from(check)
        }
        again = await self._labels([each for each in units if each.item in lines], texts, lines) if lines else {}
        second = {
            item: replace(answer, first=alone[item]) for item, answer in again.items() if answer.value is not None
        }
        return alone | second

    async def _labels(
        self, units: Sequence[Unit], texts: Sequence[SourceText], lines: Mapping[str, Sequence[str]] = NO_LINES
    ) -> dict[str, SupportAnswer]:
        """The judge's labels by item. Claims missing in an answer are asked about again; if no answer is usable, in two
        halves. Support without a quote that a source holds is asked for once more, and then failed.
        """
        labels: dict[str, SupportAnswer] = {}
        left = list(units)
        unquoted: set[str] = set()
        for _ in range(1 + MAX_REPAIRS):
            asked_for = {item: (*lines.get(item, ()), ASK_FOR_QUOTE) for item in unquoted}
            answer, error = await self._ask_once(left, texts, {**lines, **asked_for})
            if answer is None:
                if len(left) > 1 and error.startswith(DIVISIBLE):
                    for half in (left[: len(left) // 2], left[len(left) // 2 :]):
                        labels |= await self._labels(half, texts, lines)
                    return labels
                return labels | {unit.item: SupportAnswer(None, error=error) for unit in left}
            again = {item for item, each in answer.items() if each.is_unquoted} - unquoted
            labels |= {item: _quoted(each, unquoted, item) for item, each in answer.items() if item not in again}
            unquoted |= again
            left = [unit for unit in left if unit.item not in labels]
            if not left:
                break
        return labels | {unit.item: SupportAnswer(None, error=LEFT_OUT) for unit in left}

    async def _ask_once(
        self, units: Sequence[Unit], all_texts: Sequence[SourceText], lines: Mapping[str, Sequence[str]]
    ) -> tuple[dict[str, SupportAnswer] | None, str]:
        """One call: the usable labels by item, or None and the reason."""
        cited = {source for unit in units for source in unit.sources}
        texts = [all_text for all_text in all_texts if all_text.id in cited]
        about = about_sources((source_text.id for source_text in texts), self.evidence, self.ledger)
        question = self.subject.query.text
        shown = shown_products((unit.claim for unit in units), self.ledger)
        listed = {unit.item: lists for unit, lists in zip(units, shown, strict=True)}
        lists = {name: lines for own in shown for name, lines in own.items()}
        beside = [tagged("source", text, id=name) for name, text in {QUESTION: question, **lists}.items()]
        values = {
            "today": self.subject.today,
            "sources": "\n\n".join([*beside, source_tags(texts, about)]),
            "claims": "\n\n".join(
                _shown(number, unit, [*unit.sources, *listed[unit.item]], lines.get(unit.item, ()))
                for number, unit in enumerate(units, 1)
            ),
        }

        def check(answer: ClaimsSupport) -> str | None:
            known = range(1, len(units) + 1)
            strange = [str(number) for number in answer.numbers if number not in known]
            if not strange and any(number in known for number in answer.by_number()):
                return None
            why = f"There is no claim {', '.join(strange)}. " if strange else ""
            return f"{why}Give each of the claims 1 to {len(units)} once, by its claim_id, with a justification."

        reply = await self.judge_session.ask(self.stage, units[0].item, self.prompt, values, ClaimsSupport, check)
        if reply.answer is None:
            return None, reply.error or ""
        labels = reply.answer.by_number()
        return {
            unit.item: support_answer(
                labels[number],
                [
                    question,
                    *listed[unit.item].values(),
                    # With what the tags of its sources say, such as a page's date.
                    source_tags([text for text in texts if text.id in unit.sources], about),
                ],
            )
            for number, unit in enumerate(units, 1)
            if number in labels
        }, ""

    def unread(self, content: Content) -> tuple[VerdictState, str]:
        """Why a claim can't be judged: a page that was never fetched differs from one that can't be read."""
        if content.unfetched:
            return "na", UNFETCHED.format(pages=", ".join(content.unfetched))
        notice = (
            f"{each} ({entry.problem})" if (entry := self.evidence.get(each)) and entry.problem else each
            for each in content.unreadable
        )
        return "unverifiable", f"none of its sources could be read: {', '.join(notice)}"

    def _is_invented(self, unit: Unit) -> bool:
        """True if a run of ours cites only addresses that stand in nothing that it was given."""
        if self.rules != "default" or self.subject.system.is_imported:
            return False
        texts = [text.text for entry in self.evidence.values() for text in entry.texts]
        addresses = [source.partition("://")[2].rstrip("/") for source in unit.sources]
        return self.evidence.keys().isdisjoint(unit.sources) and not any(
            one in text for one in addresses for text in texts
        )

    def _keep(
        self, call: Sequence[tuple[Unit, Content]], texts: Sequence[SourceText], answers: Mapping[str, SupportAnswer]
    ) -> None:
        """Records the verdicts of one call, and the first answers on claims that were asked about twice."""
        with self.judge_session.file.at_once():
            for unit, content in call:
                answer, own = answers[unit.item], [text for text in texts if text.id in unit.sources]
                notes = [PARTIAL_CONTENT] if content.unreadable or content.unfetched else []
                notes += [SOURCE_CUT] if any(source_text.share is not None for source_text in own) else []
                if answer.first is not None:
                    self._record(f"{self.stage}{FIRST_ANSWER}", unit, own, answer.first, notes)
                    notes += [ASKED_AGAIN, *([CHANGED] if answer.is_changed else [])]
                self._record(self.stage, unit, own, answer, [*notes, *self._better_as_shown(unit, answer)])

    def _record(
        self, stage: str, unit: Unit, texts: Sequence[SourceText], ruled: SupportAnswer, notes: Sequence[str]
    ) -> None:
        self.judge_session.record(
            stage,
            unit.item,
            ruled.state,
            ruled.value,
            prompt_hash=self.prompt.hash,
            reason=ruled.reason,
            quote=next(iter(ruled.quotes), None),
            more_quotes=ruled.quotes[1:],
            sources=[source.ref for source in texts],
            notes=(*notes, *ruled.notes),
            error=ruled.error,
        )

    def _better_as_shown(self, unit: Unit, ruled: SupportAnswer) -> list[str]:
        """The note for a claim that the agent's version of its pages supports better than the pages do."""
        shown = self.shown.existing(unit) if self.stage == SUPPORT else None
        if shown is None or shown.state != "scored" or ruled.value is None or float(shown.value) <= ruled.value:
            return []
        texts = self.shown.content(unit).texts
        return [DISTORTED if any(text.text.form == "summary" for text in texts) else ONLY_IN_SNIPPET]


def _quoted(answer: SupportAnswer, unquoted: Collection[str], item: str) -> SupportAnswer:
    """The answer as it counts if ``unquoted`` have been asked for a quote."""
    if item not in unquoted:
        return answer
    notes = (*answer.notes, NO_QUOTE)
    return SupportAnswer(None, notes=notes, error=UNQUOTED) if answer.is_unquoted else replace(answer, notes=notes)


def _shown(number: int, unit: Unit, sources: Sequence[str], lines: Sequence[str]) -> str:
    """A claim for a prompt, with its sources and the lines of its records."""
    claim = tagged("claim", unit.claim.claim, id=str(number), sources=" ".join(sources))
    return "\n".join([claim, *(tagged("record", line, claim=str(number)) for line in lines)])
