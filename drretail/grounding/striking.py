"""A report without what is wrong in it: statements are struck until no check finds an error, and each is listed.

Nothing is reworded. A statement is a sentence, a list item with what hangs on it, a table row, or a section whose
heading names a thing that must not be recommended; sums that held a struck part go with it (paper Appendix G).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from drretail.grounding.case import Case
from drretail.grounding.constraints_kept import is_over_the_whole
from drretail.grounding.cutting import allowance_cuts, cuts_for, said_with_context
from drretail.grounding.falling import OF_A_PART, OF_A_SECTION, fallen
from drretail.grounding.removal import Span, without
from drretail.grounding.repetition import REPEATED, repeated_statements
from drretail.grounding.statements import Layout, read_layout
from drretail.grounding.unused_entries import without_unused_entries
from drretail.records.evidence import Finding

LEFT_OUT = "*A recommendation that stood here was left out; the end of this report says why.*"
Verify = Callable[[Case], Sequence[Finding]]
"""What must go from a report."""


@dataclass(frozen=True, slots=True)
class Stricken:
    """What is left of a report, and what was struck from it in text order, round by round.

    ``said`` of a finding is the struck statement as it stood, ``found`` why it went; it has no place any more.
    """

    report: str
    struck: tuple[Finding, ...]


def strike_out(case: Case, faults: Verify) -> Stricken:
    """The report without any statement that has one of the ``faults``; each round makes it shorter."""
    struck: tuple[Finding, ...] = ()
    while True:
        stricken = strike(case, faults(case))
        if stricken.report == case.report:
            return Stricken(case.report, struck)
        struck += stricken.struck
        case = replace(case, report=stricken.report)


def strike(case: Case, findings: Sequence[Finding]) -> Stricken:
    """The report without the statements of these findings and all that falls with them."""
    layout = read_layout(case.structure)
    why: dict[int, Finding] = {}
    cuts: dict[Span, Finding] = {}
    for finding in _with_true_reasons(layout, findings):
        for part in _struck_by(case, layout, finding):
            if isinstance(part, int):
                why.setdefault(part, finding)
            else:
                cuts.setdefault(part, finding)
    amounts = {layout.at(span[0]) for span, finding in cuts.items() if finding.code == "price_wrong"}
    why = fallen(case, layout, why, {index for index in amounts if index is not None})
    remarks = _emptied_sections(case, layout, why)
    if not why and not cuts:
        return Stricken(case.report, ())
    left = without(layout, why.keys(), list(cuts), remarks)
    return Stricken(without_unused_entries(case.report, left), tuple(_listed(case, layout, why, cuts)))


def _with_true_reasons(layout: Layout, findings: Sequence[Finding]) -> Iterator[Finding]:
    """A sum below a wrong price in its section was held against that price: what it should be nobody knows."""
    priced = [(_section(layout, it), it.start or 0) for it in findings if it.code == "price_wrong"]
    for finding in findings:
        wrong = finding.code == "total_wrong" and any(
            section == _section(layout, finding) and start < (finding.start or 0) for section, start in priced
        )
        yield finding.model_copy(update={"found": OF_A_PART}) if wrong else finding


def _section(layout: Layout, finding: Finding) -> int | None:
    index = None if finding.start is None else layout.at(finding.start)
    return None if index is None else layout.statements[index].section


def _struck_by(case: Case, layout: Layout, finding: Finding) -> Iterator[int | Span]:
    """The numbers of the statements that a finding strikes, or the spans to be cut out of one that stays."""
    if finding.start is None or (index := layout.at(finding.start)) is None:
        return
    statement = layout.statements[index]
    if finding.code == REPEATED:
        yield from repeated_statements(layout, finding)
        return
    if finding.code == "over_budget" and finding.evidence_id is None and not is_over_the_whole(finding):
        allowance = allowance_cuts(case, statement.section)
        yield from allowance[1] if allowance else [index]
        return
    cuts = cuts_for(case, statement, finding)
    if cuts is not None:
        yield from cuts
        return
    yield from _section_of(layout, index) if statement.kind == "heading" else [index]
    if finding.code == "not_in_catalog":
        yield from _naming(layout, finding.said)


def _section_of(layout: Layout, heading: int) -> Iterator[int]:
    """The statements below a heading, headings within included."""
    sections = layout.structure.sections
    own = sections[layout.statements[heading].section]
    for index, statement in enumerate(layout.statements):
        if own in layout.structure.path(statement.section):
            yield index


def _naming(layout: Layout, name: str) -> Iterator[int]:
    """Every statement that names a thing that the shop does not have; headings with their sections."""
    pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
    for index, statement in enumerate(layout.statements):
        if name[:1].isalnum() and pattern.search(layout.text(statement)):
            yield from _section_of(layout, index) if statement.kind == "heading" and statement.level > 1 else [index]


def _emptied_sections(case: Case, layout: Layout, why: dict[int, Finding]) -> list[tuple[int, str]]:
    """Sections that recommended something and do so no more: what cites nothing goes, the others are to say so."""
    remarks: list[tuple[int, str]] = []
    for number, section in enumerate(case.structure.sections):
        own = [index for index, it in enumerate(layout.statements) if it.section == number and it.kind != "heading"]
        spots = {layout.at(spot.start) for spot in case.recommended if spot.unit.section == number}
        spots |= {index for index in own if index in why and why[index].code == "not_in_catalog"}
        left = [index for index in own if index not in why]
        if section.level < 2 or not left or not spots or not all(spot in why for spot in spots):
            continue
        if all(why[spot].code == REPEATED for spot in spots if spot is not None):
            continue
        cites = any(
            layout.statements[index].start <= mark.start < layout.statements[index].end
            for index in left
            for mark in case.structure.marks
        )
        if cites:
            remarks.append((number, LEFT_OUT))
            continue
        reason = next(why[spot] for spot in sorted(spot for spot in spots if spot is not None))
        why.update(dict.fromkeys(left, reason.model_copy(update={"found": OF_A_SECTION})))
    return remarks


def _listed(case: Case, layout: Layout, why: dict[int, Finding], cuts: dict[Span, Finding]) -> Iterator[Finding]:
    """What was struck, in text order."""
    parts = [(layout.statements[index].start, layout.text(layout.statements[index]), why[index]) for index in why]
    for span, finding in cuts.items():
        index = layout.at(span[0])
        if index is not None and index not in why:
            parts.append((span[0], said_with_context(case.report, layout.statements[index], span), finding))
    for _, said, finding in sorted(parts, key=lambda part: part[0]):
        yield finding.model_copy(update={"said": said, "start": None, "end": None})
