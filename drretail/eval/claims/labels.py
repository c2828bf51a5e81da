"""A judge's answers on claims and their sources, and what is kept of them: a value, quotes that were found, notes."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, Literal, cast, get_args

from pydantic import ValidationError, WithJsonSchema, field_validator

from drretail.eval.claims.claims import Claim
from drretail.eval.claims.quotes import find_words
from drretail.eval.claims.support import SourceText
from drretail.eval.judging.question import REASON, JudgeAnswer
from drretail.grounding.verify.answers.product_statements import AGREES
from drretail.grounding.verify.answers.turns import statements_of
from drretail.grounding.verify.records import Ledger
from drretail.grounding.verify.values import verify
from drretail.records.base import Record
from drretail.records.reading import ReadValue
from drretail.records.score import VerdictState
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
    held = tuple(quote for quote in quotes if any(find_words(text, quote) for text in texts))
    notes = [QUOTE_DROPPED] if len(held) < len(quotes) else []
    if reply.label == "not_rated":
        return SupportAnswer(None, reply.justification, held, (NOT_RATED,))
    notes += [CONTRADICTED] if reply.label == "contradicted" else []
    return SupportAnswer(_VALUES[reply.label], reply.justification, held, tuple(notes))


def support_answer_alone(reply: JudgeAnswer[Support], texts: Sequence[SourceText]) -> SupportAnswer:
    if reply.answer is None:
        return SupportAnswer(None, error=reply.error)
    answer = reply.answer
    quotes = [answer.quote] if answer.quote.strip() else []
    return support_answer(
        RuledClaim(claim_id=1, quotes=quotes, justification=answer.justification, label=answer.support),
        [text.text.text for text in texts],
    )
