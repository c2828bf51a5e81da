"""What a judge answers of claims and their sources, and what is kept of it: a value, quotes that stand there, notes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from pydantic import ValidationError, field_validator

from drretail.eval.claims.claims import Claim
from drretail.eval.claims.named_products import record_lines
from drretail.eval.claims.support import SourceText
from drretail.eval.judging.question import JudgeAnswer
from drretail.grounding.verify.offers import AGREES
from drretail.grounding.verify.records import Ledger
from drretail.grounding.verify.values import verify
from drretail.records.base import Record
from drretail.records.reading import ReadValue
from drretail.records.shop import has_offers


@dataclass(frozen=True, slots=True)
class RecordCheck:
    """What the records say of a claim, by code's verification of its values."""

    is_contradicted: bool
    """Of any value; else all of them agree with the records."""
    lines: tuple[str, ...]
    """A line for each value: "price 39.99: the record says $49.99"."""


def check_of(claim: Claim, ledger: Ledger, report: str, read: Sequence[ReadValue] = ()) -> RecordCheck | None:
    """Of a claim of this report; None where it has no values, or where code knows of no contradiction and can't verify
    all of them. Of products whose variants, stock or list price are known also what stands in its words. ``read`` are
    verified values of the report: those in the claim that are wrong count where the judge reads none."""
    lines = _record_lines(claim, ledger, report)
    if lines:
        return RecordCheck(is_contradicted=any(AGREES not in line for line in lines), lines=lines)
    start, end = claim.start or 0, claim.end or 0
    wrong = (value for value in read if start <= value.start < end and value.state == "contradicted")
    verified = verify(claim.values, ledger, report) if claim.values else tuple(wrong)
    states = {value.state for value in verified}
    if "contradicted" not in states and states != {"verified"}:
        return None
    of_values: list[str] = []
    for value in verified:
        amount = value.amount if isinstance(value.amount, str) else " to ".join(value.amount)
        of_records = f" ({value.derivation})" if value.derivation else ""
        finding = value.derivation or "" if value.state == "contradicted" else f"{AGREES}{of_records}"
        if value.state != "underivable":
            of_values.append(f"{value.kind.replace('_', ' ')} {amount}: {finding}")
    return RecordCheck("contradicted" in states, tuple(of_values))


def _record_lines(claim: Claim, ledger: Ledger, report: str) -> tuple[str, ...]:
    """What the records of its products say of a claim's words; nothing where the report rests it on other sources."""
    ids = [source.removeprefix("P:") for source in claim.sources if not claim.looked_up or source[:2] == "P:"]
    items = [ledger.products[name] for name in ids if name in ledger.products]
    is_known = any(has_offers(item) or item.product_id in ledger.looked_up for item in items)
    before = "" if claim.start is None else report[: claim.start]
    return tuple(record_lines(claim.claim, items, ledger, before)) if is_known and len(items) == len(ids) else ()


PARTIAL_CONTENT, QUOTE_DROPPED, DISTORTED = "partial_content", "quote_dropped", "distorted_in_summary"
ONLY_IN_SNIPPET, SOURCE_CUT, CONTRADICTED = "only_in_snippet", "source_cut", "contradicted"
ASKED_AGAIN, CHANGED = "asked_again", "changed_mind"
NOTES = (PARTIAL_CONTENT, QUOTE_DROPPED, DISTORTED, ONLY_IN_SNIPPET, SOURCE_CUT, CONTRADICTED, ASKED_AGAIN, CHANGED)
"""What a verdict of support may note: some sources could not be read; a quote stands in no source and was dropped;
the summary, or the snippet, that the agent read bears the claim out better than its page; a source was too long for the
judge and was cut to passages; the sources say otherwise (its value is 0); the judge was asked once more with what the
records say, and this is its second answer; which has another label than the first."""
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

    @field_validator("claims", mode="before")
    @classmethod
    def _only_usable(cls, given: Any) -> Any:
        """Without items that do not fit the schema: they alone are asked for again."""
        return [each for each in cast("list[Any]", given) if _is_usable(each)] if isinstance(given, list) else given

    def by_number(self) -> dict[int, RuledClaim]:
        """The labels by number, without numbers that were given twice."""
        numbers = [claim.claim_id for claim in self.claims]
        return {claim.claim_id: claim for claim in self.claims if numbers.count(claim.claim_id) == 1}


def _is_usable(item: Any) -> bool:
    try:
        RuledClaim.model_validate(item, strict=True)
    except ValidationError:
        return False
    return True


class Support(Record):
    """How far the sources bear out a claim."""

    support: Literal["full_support", "partial_support", "no_support"]
    justification: str
    quote: str


@dataclass(frozen=True, slots=True)
class SupportAnswer:
    """What a judge said of a claim and some texts; ``value`` None when it failed."""

    value: float | None
    reason: str = ""
    quotes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    error: str | None = None
    first: "SupportAnswer | None" = None
    """Its first answer, where it was asked twice."""

    @property
    def is_contradicted(self) -> bool:
        return CONTRADICTED in self.notes

    def differs_from(self, check: RecordCheck) -> bool:
        """True where code finds a contradiction and the judge none, or all figures right and the judge no support."""
        if self.value is None:
            return False
        return not self.is_contradicted if check.is_contradicted else not self.value

    @property
    def is_changed(self) -> bool:
        first = self.first
        return first is not None and (first.value, first.is_contradicted) != (self.value, self.is_contradicted)


def support_answer(reply: RuledClaim, texts: Sequence[str]) -> SupportAnswer:
    quotes = [quote.strip() for quote in reply.quotes if quote.strip()]
    spaced = [" ".join(text.split()) for text in texts]  # a quote may stand there with other white space
    found = tuple(quote for quote in quotes if any(" ".join(quote.split()) in text for text in spaced))
    notes = [QUOTE_DROPPED] if len(found) < len(quotes) else []
    notes += [CONTRADICTED] if reply.label == "contradicted" else []
    return SupportAnswer(_VALUES[reply.label], reply.justification, found, tuple(notes))


def support_answer_alone(reply: JudgeAnswer[Support], texts: Sequence[SourceText]) -> SupportAnswer:
    if reply.answer is None:
        return SupportAnswer(None, error=reply.error)
    answer = reply.answer
    quotes = [answer.quote] if answer.quote.strip() else []
    return support_answer(
        RuledClaim(claim_id=1, quotes=quotes, justification=answer.justification, label=answer.support),
        [text.text.text for text in texts],
    )
