"""A draft of the report with the verifier's findings, and whether another draft is better; pure."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from drretail.env.session import Session
from drretail.grounding.report.picks import Declared, picks_block
from drretail.grounding.text.layout import Layout
from drretail.grounding.text.wording import format_money
from drretail.grounding.verify.checks import Case, check_report, read_report
from drretail.records.evidence import Finding
from drretail.records.query import Query, Task
from drretail.records.shop import Product
from drretail.records.wish import Wish

GRAVE = frozenset(
    {"not_in_catalog", "recommended_although_owned", "unwanted_brand", "over_budget", "below_rating", "not_wanted"}
)
"""Errors that send a shopper after the wrong product."""
LEAST_KEPT = 0.5
"""The share of a draft's words, and of its cited sources, that a repaired draft must still have."""


@dataclass(frozen=True)
class Draft:
    """A report under verification; its findings are a function of it and of the run's ledger."""

    case: Case
    note: str | None = None
    """Why its picks are unknown; None if they are known."""

    @property
    def report(self) -> str:
        return self.case.report

    @property
    def as_written(self) -> str:
        """The report with its block of picks, as its writer sees it."""
        picks = self.case.picks
        return self.report if picks is None else f"{self.report}\n\n{picks_block(picks, self.case.outcome)}"

    @cached_property
    def findings(self) -> list[Finding]:
        return check_report(self.case, read_report(self.case))

    @property
    def errors(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.severity == "error"]

    def instead(self, declaration: Declared, note: str | None = None) -> "Draft":
        """A draft of another report and its picks, checked against the same records."""
        return Draft(
            replace(self.case, report=declaration.report, picks=declaration.picks, outcome=declaration.outcome), note
        )

    @property
    def cost(self) -> str | None:
        """What its cart costs by the records, and how far below or above the budget that is; None if the cost is
        unknown.
        """
        ledger = self.case.ledger(self.case.picks)
        if ledger.total is None:
            return None
        if ledger.limit is None:
            return format_money(ledger.total, ledger.currency)
        side = "below" if ledger.total <= ledger.limit else "above"
        rest = format_money(abs(ledger.limit - ledger.total), ledger.currency)
        return f"{format_money(ledger.total, ledger.currency)}, {rest} {side} the budget"

    @cached_property
    def sources(self) -> frozenset[str]:
        """The evidence ids that it cites."""
        return frozenset(cited.evidence_id for cited in self.case.citations if cited.evidence_id is not None)

    def sentence_of(self, finding: Finding) -> str:
        """The sentence that a finding is in; for a wrong pick, the first that cites only that pick. Empty if there is
        none.
        """
        for index, sentence_ in enumerate(self.case.layout.sentences):
            cited = cited_in(self.case.layout, [index])
            alone = len(cited) == 1 and finding.evidence_id in cited
            if alone if finding.start is None else sentence_.start <= finding.start < sentence_.end:
                return self.report[sentence_.start : sentence_.end]
        return ""

    def counts(self) -> str:
        """Its errors by kind: "price_wrong ×2, total_wrong"."""
        counted = sorted(Counter(finding.code for finding in self.errors).items())
        return ", ".join(code if number == 1 else f"{code} ×{number}" for code, number in counted)


@dataclass(frozen=True)
class Refusal:
    """Why a repaired draft must not replace the one before, with its errors: those that stayed and those that it
    brought.
    """

    why: str
    mended: Draft
    stayed: tuple[Finding, ...]
    brought: tuple[Finding, ...]

    def __str__(self) -> str:
        """One line: "its picks can't be read; stayed: price_wrong “$29.50”; brought: over_budget “$41.00”"."""
        named = (("stayed", self.stayed), ("brought", self.brought))
        return "; ".join([self.why, *(f"{name}: {_named(errors)}" for name, errors in named if errors)])


def _named(errors: Iterable[Finding]) -> str:
    return ", ".join(f"{error.code} “{error.text}”" if error.text else error.code for error in errors)


def draft_of(declaration: Declared, task: Task, wish: Wish | None, session: Session, note: str | None) -> Draft:
    """The draft, to be checked against the wish, the session's ledger and the shop's catalog.

    Without a wish nothing is known of budget, brands, quantities, and products that the shopper needs no more of.
    """

    def lookup(ids: Collection[str]) -> Mapping[str, Product]:
        return session.store_seen.products(list(ids))

    query = Query(query_id="draft", user_id=task.user_id, text=task.text, wish=wish, source="task")
    evidence = {entry.id: entry for entry in session.ledger.evidence()}
    return Draft(Case(report="", evidence=evidence, query=query, lookup=lookup)).instead(declaration, note)


def cited_in(layout: Layout, sentences: Iterable[int]) -> frozenset[str]:
    """The products and orders that the sentences at these indexes cite."""
    return frozenset(source for at in sentences for source in layout.cited.get(at, ()) if source[:2] in ("P:", "O:"))


def refusal_of(mended: Draft, before: Draft) -> Refusal | None:
    """Why the repaired draft is not taken; None if it is the better one."""
    why = _why_not(mended, before)
    if why is None:
        return None
    had = {_kind(error) for error in before.errors}
    stayed = tuple(error for error in mended.errors if _kind(error) in had)
    return Refusal(why, mended, stayed, tuple(error for error in mended.errors if error not in stayed))


def _kind(error: Finding) -> tuple[str, str | None]:
    """Equal for the same fault before and after a repair that did not mend it, though its words may have changed."""
    return error.code, error.evidence_id


def _why_not(mended: Draft, before: Draft) -> str | None:
    if mended.case.picks is None and before.case.picks is not None:
        return "its picks can't be read"
    if len(mended.errors) > len(before.errors) or _grave(mended) > _grave(before):
        return "it has more or graver faults than before"
    if (len(mended.errors), _grave(mended)) == (len(before.errors), _grave(before)):
        mended_some = {*map(_kind, before.errors)} - {*map(_kind, mended.errors)}
        return "it brought as many faults as it mended" if mended_some else "it mended nothing"
    if len(mended.sources) < LEAST_KEPT * len(before.sources):
        return f"it cites {len(mended.sources)} sources instead of {len(before.sources)}"
    if len(mended.report.split()) < LEAST_KEPT * len(before.report.split()):
        return "it is less than half as long"
    return None


def _grave(draft: Draft) -> int:
    return sum(finding.code in GRAVE for finding in draft.errors)
