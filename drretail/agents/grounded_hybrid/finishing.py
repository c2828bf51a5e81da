"""The end of a report: what stayed wrong is struck and listed, and what the reader must know first is said."""

from dataclasses import dataclass

from drretail.agents.grounded_hybrid.drafts import Draft
from drretail.grounding.budget_notice import budget_notice, nothing_left_notice, with_notice
from drretail.grounding.striking import strike_out
from drretail.grounding.struck_section import with_closing_section
from drretail.grounding.verifying import faults
from drretail.records.evidence import Finding


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
