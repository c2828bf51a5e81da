"""Stage 3: whether the sources of claims bear them out: 1 wholly, 0.5 in part, 0 not at all (paper Table 8)."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from drretail.eval.claims.claims import PROMPTS, SUPPORT, SUPPORT_SHOWN, Claim, Unit, source_type
from drretail.eval.claims.shown_products import shown_products
from drretail.eval.claims.support import (
    Content,
    SourceText,
    about_sources,
    are_the_same,
    content_of,
    fitted,
    source_tags,
)
from drretail.eval.judging.session import ClaimVerdict, JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.grounding.verify.checks import Case
from drretail.grounding.verify.records import Ledger
from drretail.grounding.verify.values import amount_of, verify
from drretail.prompts import Prompt, load_prompt, tagged
from drretail.records.base import Record, sha256_of
from drretail.records.evidence import Evidence, EvidenceText
from drretail.records.reading import ReadValue, ValueKind
from drretail.records.score import Rules, Verdict, VerdictState

MOST_CLAIMS = 12
"""Claims of one call, so that an answer with reasons and quotes stays below 3,000 tokens."""
QUESTION = "Q"
"""The id of the shopper's question among the sources."""
PARTIAL_CONTENT, QUOTE_DROPPED, DISTORTED = "partial_content", "quote_dropped", "distorted_in_summary"
ONLY_IN_SNIPPET, SOURCE_CUT, CONTRADICTED = "only_in_snippet", "source_cut", "contradicted"
NOTES = (PARTIAL_CONTENT, QUOTE_DROPPED, DISTORTED, ONLY_IN_SNIPPET, SOURCE_CUT, CONTRADICTED)
"""What a verdict of support may note: some sources could not be read; a quote stands in no source and was dropped;
the summary, or the snippet, that the agent read bears the claim out better than its page; a source was too long for the
judge and was cut to passages; the sources say otherwise (its value is 0)."""
UNFETCHED = "nobody fetched the page it cites ({pages}): `score --fetch-sources` does"
Fit = Callable[[Sequence[SourceText], Sequence[str], int | None], Sequence[SourceText]]
Label = Literal["full_support", "partial_support", "no_support", "contradicted"]
_VALUES: Mapping[Label, float] = {"full_support": 1.0, "partial_support": 0.5, "no_support": 0.0, "contradicted": 0.0}


class RuledClaim(Record):
    """What a judge says of one claim; its grounds come before the label, which follows from them."""

    claim_id: int
    quotes: list[str]
    justification: str
    label: Label


class ClaimsSupport(Record):
    """How far the sources bear out each of the claims."""

    claims: list[RuledClaim]


class Support(Record):
    """How far the sources bear out a claim."""

    support: Literal["full_support", "partial_support", "no_support"]
    justification: str
    quote: str


@dataclass(frozen=True, slots=True)
class Ruled:
    """What a judge said of a claim and some texts; ``value`` None when it failed."""

    value: float | None
    reason: str = ""
    quotes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    error: str | None = None


def support_prompt(rules: Rules) -> Prompt:
    """Ours, or the paper's rubric in other words."""
    return load_prompt(PROMPTS, "support" if rules == "default" else "support_alone")


@dataclass(frozen=True)
class Bench:
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

    @cached_property
    def ledger(self) -> Ledger:
        """What values are held against, and where the terms of calculations are looked up."""
        subject = self.subject
        picks = None if subject.run is None else subject.run.picks
        return Case(subject.report or "", subject.evidence, subject.query, picks, subject.run).ledger(picks)

    @property
    def shown(self) -> "Bench":
        """The same by what the agent read in place of web pages."""
        return replace(self, stage=SUPPORT_SHOWN)

    def standing(self, unit: Unit) -> Verdict | None:
        """The verdict that is there already; one by other texts, as before a page was fetched, is not."""
        known = self.judge_session.standing(self.stage, unit.item)
        known = known or self.judge_session.standing(self.stage, unit.item, self.prompt.hash)
        return known if known is not None and are_the_same(known.sources, self.content(unit).texts) else None

    def content(self, unit: Unit) -> Content:
        """The texts that a claim is judged by; none where one of its pages was never fetched."""
        content = content_of(unit.sources, self.evidence, shown=self.stage == SUPPORT_SHOWN)
        if content.unfetched:
            return replace(content, texts=())
        return _as_drg_reads(content) if self.rules == "drg" else content

    def is_shown_otherwise(self, unit: Unit) -> bool:
        """True where the agent read something of its web pages, and not what it is judged by."""
        return self.shown.content(unit).texts != self.content(unit).texts and any(
            source_type(it.id) == "web" for it in self.shown.content(unit).texts
        )

    async def rule(self, units: Sequence[Unit]) -> None:
        """Records the verdicts of all units that have none; claims of one set of sources share their questions."""
        groups: dict[frozenset[str], list[Unit]] = {}
        for unit in units:
            if self.standing(unit) is None:
                groups.setdefault(frozenset(unit.sources), []).append(unit)
        most = MOST_CLAIMS if self.rules == "default" else 1
        questions = [group[at : at + most] for group in groups.values() for at in range(0, len(group), most)]
        await self.judge_session.each(self._rule(part) for part in questions)

    async def _rule(self, units: Sequence[Unit]) -> None:
        """Of claims of the same sources."""
        content = self.content(units[0])
        if not content.texts:
            state, reason = self.unread(content)
            for unit in units:
                self.judge_session.record(self.stage, unit.item, state, reason=reason)
            return
        texts = self.fit(content.texts, [unit.claim.claim for unit in units], self.judge_session.room)
        ruled = await self.asked(units, texts)
        for unit in units:
            notes = [PARTIAL_CONTENT] if content.unreadable else []
            notes += [SOURCE_CUT] if any(it.share is not None for it in texts) else []
            self.keep(unit, texts, ruled[unit.item], [*notes, *self._better_as_shown(unit, ruled[unit.item])])

    def unread(self, content: Content) -> tuple[VerdictState, str]:
        """Why a claim can't be judged: a page that nobody fetched is not one that can't be read."""
        if content.unfetched:
            return "na", UNFETCHED.format(pages=", ".join(content.unfetched))
        told = (
            f"{it} ({entry.problem})" if (entry := self.evidence.get(it)) and entry.problem else it
            for it in content.unreadable
        )
        return "unverifiable", f"none of its sources could be read: {', '.join(told)}"

    def keep(self, unit: Unit, texts: Sequence[SourceText], ruled: Ruled, notes: Sequence[str] = ()) -> Verdict:
        """The verdict of what the judge said."""
        return self.judge_session.record(
            self.stage,
            unit.item,
            "failed" if ruled.value is None else "scored",
            ruled.value,
            prompt_hash=self.prompt.hash,
            reason=ruled.reason,
            quote=next(iter(ruled.quotes), None),
            more_quotes=ruled.quotes[1:],
            sources=[source.ref for source in texts],
            notes=(*notes, *ruled.notes),
            error=ruled.error,
        )

    async def asked(self, units: Sequence[Unit], texts: Sequence[SourceText]) -> dict[str, Ruled]:
        """What the judge says of these claims and texts, by item."""
        if self.rules == "default":
            return await self._asked_together(units, texts)
        values = {"claim": tagged("claim", units[0].claim.claim), "sources": source_tags(texts)}
        said = await self.judge_session.ask(self.stage, units[0].item, self.prompt, values, Support)
        return {units[0].item: _alone(said, texts)}

    async def _asked_together(self, units: Sequence[Unit], texts: Sequence[SourceText]) -> dict[str, Ruled]:
        about = about_sources((it.id for it in texts), self.evidence, self.ledger)
        question = self.subject.query.text
        lists = shown_products((unit.claim for unit in units), self.ledger)
        beside = [tagged("source", text, id=name) for name, text in {QUESTION: question, **lists}.items()]
        values = {
            "today": self.subject.today,
            "sources": "\n\n".join([*beside, source_tags(texts, about)]),
            "claims": "\n\n".join(self._told(number, unit.claim) for number, unit in enumerate(units, 1)),
        }
        said = await self.judge_session.ask(
            self.stage, units[0].item, self.prompt, values, ClaimsSupport, lambda answer: _lacking(answer, len(units))
        )
        if said.answer is None:
            return {unit.item: Ruled(None, error=said.error) for unit in units}
        held = [question, *lists.values(), *about.values(), *(it.text.text for it in texts)]
        by_number = {it.claim_id: it for it in said.answer.claims}
        return {unit.item: _ruled(by_number[number], held) for number, unit in enumerate(units, 1)}

    def _told(self, number: int, claim: Claim) -> str:
        verified = verify(claim.values, self.ledger) if claim.values else ()
        hints = [_hint(value, named=_is_named(value, self.ledger)) for value in verified]
        told = [tagged("claim", claim.claim, id=str(number))]
        return "\n".join([*told, *(tagged("hint", hint, claim=str(number)) for hint in hints if hint)])

    def _better_as_shown(self, unit: Unit, ruled: Ruled) -> list[str]:
        """The note of a claim that what the agent read of its pages bears out better than they do."""
        shown = self.shown.standing(unit) if self.stage == SUPPORT else None
        if shown is None or shown.state != "scored" or ruled.value is None or float(shown.value) <= ruled.value:
            return []
        texts = self.shown.content(unit).texts
        return [DISTORTED if any(it.text.form == "summary" for it in texts) else ONLY_IN_SNIPPET]


_DERIVED = ("P", "O", "C")
_HELD_BY: Mapping[ValueKind, tuple[str, ...]] = {
    **{"price": ("P", "O"), "rating": ("P",), "rating_count": ("P",), "date": ("O",)},
    **{"total": _DERIVED, "difference": _DERIVED, "left_over": _DERIVED, "per_unit": _DERIVED},
}
"""Which sources have a record of such a value, so that its absence says something."""


def _hint(value: ReadValue, *, named: bool) -> str:
    """What code found of a value; nothing where it knows nothing, or where the query itself names the number."""
    amount = value.amount if isinstance(value.amount, str) else " to ".join(value.amount)
    said = f"{value.kind.replace('_', ' ')} {amount}"
    if value.state == "verified":
        return f"{said}: agrees with the records{f' ({value.derivation})' if value.derivation else ''}"
    if value.state == "contradicted":
        return f"{said}: {value.derivation}"
    if named:
        return ""
    if value.derivation:
        return f"{said}: may come from {value.derivation}"
    is_held = any(it.partition(":")[0] in _HELD_BY.get(value.kind, ()) for it in value.of)
    return f"{said}: not found in the records" if is_held else ""


def _is_named(value: ReadValue, ledger: Ledger) -> bool:
    amount = amount_of(value)
    return amount is not None and ledger.names(amount.low)


def _lacking(answer: ClaimsSupport, count: int) -> str | None:
    numbers = [it.claim_id for it in answer.claims]
    if sorted(numbers) != list(range(1, count + 1)):
        return f"Give each of the claims 1 to {count} once, by its claim_id; these were given: {numbers}."
    return None


def _ruled(said: RuledClaim, held: Sequence[str]) -> Ruled:
    quotes = [quote.strip() for quote in said.quotes if quote.strip()]
    found = tuple(quote for quote in quotes if any(_stands_in(quote, text) for text in held))
    notes = [QUOTE_DROPPED] if len(found) < len(quotes) else []
    notes += [CONTRADICTED] if said.label == "contradicted" else []
    return Ruled(_VALUES[said.label], said.justification, found, tuple(notes))


def _alone(said: ClaimVerdict[Support], texts: Sequence[SourceText]) -> Ruled:
    if said.answer is None:
        return Ruled(None, error=said.error)
    answer = said.answer
    quotes = [answer.quote] if answer.quote.strip() else []
    return _ruled(
        RuledClaim(claim_id=1, quotes=quotes, justification=answer.justification, label=answer.support),
        [it.text.text for it in texts],
    )


def _as_drg_reads(content: Content) -> Content:
    """What is unreadable becomes a sentence that says so, and addresses are taken out of the texts."""
    read = [
        replace(source, text=source.text.model_copy(update={"text": re.sub(r"https?://\S+", "", source.text.text)}))
        for source in content.texts
    ]
    return Content((*read, *_errors(content.unreadable)))


def _errors(unreadable: Sequence[str]) -> Iterator[SourceText]:
    for source in unreadable:
        text = f"Error: the content of {source} could not be fetched."
        told = EvidenceText(sha256=sha256_of(text), form="page", text=text, shown=False, path="0", seq=0)
        yield SourceText(source, told)


def _stands_in(quote: str, text: str) -> bool:
    """True when the quote occurs in the text, however white space is set."""
    return " ".join(quote.split()) in " ".join(text.split())
