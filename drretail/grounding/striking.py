"""A report without what is wrong in it: statements are struck until no check finds an error, and each is listed.

No value is corrected, and no sentence written. A statement is a sentence, a list item with what hangs on it, a table
row, or a section whose heading names a thing that must not be recommended; sums that held a struck part go with it
(paper Appendix G).
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from drretail.grounding.case import Case
from drretail.grounding.falling import OF_A_SECTION, fallen
from drretail.grounding.notes import LEFT_OUT, NOTES, SECTION_LEFT_OUT
from drretail.grounding.removal import headings_gone, without
from drretail.grounding.repeated_sentences import REPEATED_SENTENCE
from drretail.grounding.repetition import REPEATED
from drretail.grounding.statements import Layout, read_layout
from drretail.grounding.struck_statements import Struck, struck_by
from drretail.grounding.unused_entries import bad_entries, without_entries
from drretail.records.evidence import Finding

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
    first = struck_by(case, layout, findings)
    amounts = {index for index, cut in first.taken if cut.code == "price_wrong"}
    why = fallen(case, layout, {index: reasons[0] for index, reasons in first.why.items()}, amounts)
    remarks = _emptied_sections(case, layout, why)
    cuts = [cut for cut in first.cuts if layout.at(cut.start) not in why]
    sources = bad_entries(case.report, case.evidence)
    if not why and not cuts and not sources:
        return Stricken(case.report, ())
    left = without(layout, why.keys(), cuts, [*remarks, *_vanished(layout, why)])
    left = without_entries(case.report, left, case.evidence)
    listed = [source.model_copy(update={"start": None, "end": None}) for source in sources]
    return Stricken(_once(left), (*_listed(layout, why, first), *listed))


def _emptied_sections(case: Case, layout: Layout, why: dict[int, Finding]) -> list[tuple[int, str]]:
    """Sections that recommended something and do so no more: those that cite and name nothing go, others say so."""
    remarks: list[tuple[int, str]] = []
    for number, section in enumerate(case.structure.sections):
        own = [index for index, it in enumerate(layout.statements) if it.section == number and it.kind != "heading"]
        spots = {layout.at(spot.start) for spot in case.recommended if spot.unit.section == number}
        spots |= {index for index in own if index in why and why[index].code == "not_in_catalog"}
        left = [index for index in own if index not in why]
        if section.level < 2 or not left or not spots or not all(spot in why for spot in spots):
            continue
        if all(why[spot].code in (REPEATED, REPEATED_SENTENCE) for spot in spots if spot is not None):
            continue
        stays = any(
            layout.statements[index].start <= it.start < layout.statements[index].end
            for index in left
            for it in (*case.structure.marks, *case.mentions)
        )
        if stays:
            remarks.append((number, LEFT_OUT))
            continue
        reason = next(why[spot] for spot in sorted(spot for spot in spots if spot is not None))
        why.update(dict.fromkeys(left, reason.model_copy(update={"found": OF_A_SECTION})))
    return remarks


def _vanished(layout: Layout, why: Mapping[int, Finding]) -> Iterator[tuple[int, str]]:
    """The uppermost sections of which nothing is left, for a note where each stood; not those that were said before."""
    gone = headings_gone(layout, why)
    for number in sorted(gone):
        above = layout.structure.sections[number].parent
        inside = [
            it
            for it in why
            if layout.statements[it].kind != "heading" and _is_within(layout, layout.statements[it].section, number)
        ]
        said_again = all(why[it].code in (REPEATED, REPEATED_SENTENCE) for it in inside)
        is_title = (number, layout.structure.sections[number].level) == (1, 1)
        if above not in gone and inside and not said_again and not is_title:
            last = max(it for it, _ in enumerate(layout.structure.sections) if _is_within(layout, it, number))
            yield last, SECTION_LEFT_OUT


def _is_within(layout: Layout, section: int, outer: int) -> bool:
    return layout.structure.sections[outer] in layout.structure.path(section)


def _once(report: str) -> str:
    """Notes that stand side by side as one; a report of nothing but notes and headings is empty."""
    notes = "|".join(map(re.escape, NOTES))
    report = re.sub(rf"({notes})(?:\s+(?:{notes}))+", r"\1", report)
    lines = [line for line in report.splitlines() if line.strip() and line not in NOTES]
    return report if lines else ""


def _listed(layout: Layout, why: Mapping[int, Finding], first: Struck) -> Iterator[Finding]:
    """What was struck, in text order; a statement with several faults once for each."""
    parts: list[tuple[int, Finding]] = []
    for index, reason in why.items():
        said = layout.text(layout.statements[index])
        if said not in NOTES:
            place = layout.statements[index].start
            parts += [(place, it.model_copy(update={"said": said})) for it in first.why.get(index, [reason])]
    parts += [(layout.statements[index].start, finding) for index, finding in first.taken if index not in why]
    for _, finding in sorted(parts, key=lambda part: part[0]):
        yield finding.model_copy(update={"start": None, "end": None})
