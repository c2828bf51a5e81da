"""A draft of the report with what the verifier finds in it, and whether another one is better; pure."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from drretail.env.session import Session
from drretail.grounding.budget_notice import budget_notice, nothing_left_notice, with_notice
from drretail.grounding.case import Case
from drretail.grounding.striking import strike_out
from drretail.grounding.struck_section import with_closing_section
from drretail.grounding.verifying import errors, faults, verify
from drretail.records.evidence import Finding
from drretail.records.query import Constraints, Query, Task
from drretail.records.shop import Product

GRAVE = frozenset({"not_in_catalog", "recommended_although_owned", "unwanted_brand", "over_budget"})
"""What sends a shopper after the wrong thing."""
LEAST_KEPT = 0.5
"""Of a draft's words, and of the sources that it cites, the share that a mended one must still have."""


@dataclass(frozen=True)
class Draft:
    """A report under verification; its findings are a function of it and of the run's ledger."""

    case: Case

    @property
    def report(self) -> str:
        return self.case.report

    @cached_property
    def findings(self) -> list[Finding]:
        return verify(self.case)

    @property
    def errors(self) -> list[Finding]:
        return errors(self.findings)

    def with_report(self, report: str) -> "Draft":
        return Draft(replace(self.case, report=report))

    @cached_property
    def sources(self) -> frozenset[str]:
        """The evidence that it cites."""
        return frozenset(cited.evidence_id for cited in self.case.citations if cited.evidence_id is not None)

    def counts(self) -> str:
        """ "price_wrong ×2, total_wrong": its errors by kind."""
        counted = sorted(Counter(finding.code for finding in self.errors).items())
        return ", ".join(code if number == 1 else f"{code} ×{number}" for code, number in counted)


def draft_of(report: str, task: Task, constraints: Constraints, session: Session) -> Draft:
    """The draft, to be held against the session's ledger and the shop's catalog."""

    def lookup(ids: Collection[str]) -> Mapping[str, Product]:
        return session.world.store.products(list(ids))

    query = Query(query_id="draft", user_id=task.user_id, text=task.text, constraints=constraints, source="task")
    evidence = {entry.id: entry for entry in session.ledger.evidence()}
    return Draft(Case(report=report, evidence=evidence, query=query, lookup=lookup))


def why_not(mended: Draft, before: Draft) -> str | None:
    """Why the mended draft must not take the place of the one before; None where it is better."""
    if len(mended.errors) > len(before.errors) or _grave(mended) > _grave(before):
        return f"it has more or graver faults than before ({mended.counts()})"
    if (len(mended.errors), _grave(mended)) == (len(before.errors), _grave(before)):
        return "it has as many faults as before"
    if len(mended.sources) < LEAST_KEPT * len(before.sources):
        return f"it cites {len(mended.sources)} sources instead of {len(before.sources)}"
    if len(mended.report.split()) < LEAST_KEPT * len(before.report.split()):
        return "it is less than half as long"
    return None


def _grave(draft: Draft) -> int:
    return sum(finding.code in GRAVE for finding in draft.errors)


@dataclass(frozen=True, slots=True)
class Finished:
    """The report as the reader gets it, and what was struck from it."""

    report: str
    struck: tuple[Finding, ...]
    notes: tuple[str, ...] = ()


def finish(draft: Draft) -> Finished:
    """The draft without what is wrong in it, with a list of that at its end. Pure."""
    stricken = strike_out(draft.case, faults)
    left = draft.with_report(stricken.report)
    empty = nothing_left_notice(left.case, stricken.struck)
    notice = empty or budget_notice(left.case, left.findings)
    report = with_closing_section(with_notice(left.report, notice), stricken.struck, left.case.evidence.keys())
    what = "nothing is left to recommend" if empty else "the budget does not hold"
    return Finished(report, stricken.struck, () if notice is None else (f"the report was told by code that {what}",))
