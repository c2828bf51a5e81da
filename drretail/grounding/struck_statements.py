"""What of each statement goes for what is wrong in it: a value, a citation, or the statement with what it names."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from drretail.grounding.case import Case
from drretail.grounding.constraints_kept import is_over_the_whole
from drretail.grounding.cutting import (
    CITATIONS,
    VALUES,
    allowance_cuts,
    citation_cuts,
    said_of_allowance,
    said_of_value,
    value_cuts,
)
from drretail.grounding.falling import OF_A_PART, OF_A_SECTION
from drretail.grounding.picks import brand_of_stranger
from drretail.grounding.removal import Cut
from drretail.grounding.repeated_sentences import REPEATED_SENTENCE, first_said, merged_citations
from drretail.grounding.repetition import REPEATED, repeated_statements
from drretail.grounding.statements import Layout, Statement
from drretail.records.evidence import Finding


@dataclass(slots=True)
class Struck:
    """Statements that go, each with all that is wrong in it, and what is cut out of others."""

    why: dict[int, list[Finding]] = field(default_factory=dict[int, list[Finding]])
    cuts: list[Cut] = field(default_factory=list[Cut])
    taken: list[tuple[int, Finding]] = field(default_factory=list[tuple[int, Finding]])
    """The statements that are cut, each with a finding whose ``said`` is what the reader is told of it."""

    def strike(self, index: int, finding: Finding) -> None:
        """A fault of its own counts for more than that it stood below something that goes."""
        reasons = self.why.setdefault(index, [])
        if any((it.code, it.found) == (finding.code, finding.found) for it in reasons):
            return
        if finding.found == OF_A_SECTION and reasons:
            return
        reasons[:] = [*(it for it in reasons if it.found != OF_A_SECTION), finding]


def struck_by(case: Case, layout: Layout, findings: Sequence[Finding]) -> Struck:
    """What goes for these findings alone, before anything falls with it."""
    struck = Struck()
    by_statement = _by_statement(layout, _with_true_reasons(layout, findings))
    faulty = {index for index, of_one in by_statement.items() if any(it.severity == "error" for it in of_one)}
    for index, of_one in by_statement.items():
        # What repeats a statement that goes itself may stay.
        told = [it for it in of_one if it.code != REPEATED_SENTENCE or first_said(case, layout, index) not in faulty]
        _strike_statement(case, layout, index, told, struck)
    return struck


def _by_statement(layout: Layout, findings: Iterable[Finding]) -> dict[int, list[Finding]]:
    by_statement: dict[int, list[Finding]] = {}
    for finding in findings:
        index = None if finding.start is None else layout.at(finding.start)
        if index is not None:
            by_statement.setdefault(index, []).append(finding)
    return by_statement


def _strike_statement(case: Case, layout: Layout, index: int, findings: list[Finding], struck: Struck) -> None:
    """Decides for one statement what of it goes, by all that is wrong in it."""
    statement = layout.statements[index]
    whole: list[Finding] = []
    taken: list[tuple[Finding, str]] = []
    cuts: list[Cut] = []
    values = [finding for finding in findings if finding.code in VALUES]
    of_values = value_cuts(case, statement, values) if values else []
    if of_values is None:
        whole += values
    else:
        cuts += of_values
        taken += [(it, said_of_value(case, statement, it)) for it in values]
    for finding in findings:
        if finding.code == REPEATED:
            for number in repeated_statements(layout, finding):
                struck.strike(number, finding)
        elif finding.code not in VALUES:
            one = _cuts_of(case, statement, finding)
            if one is None:
                whole.append(finding)
            else:
                taken.append((finding, one[0]))
                cuts += one[1]
    if not whole:
        struck.cuts += cuts
        struck.taken += [(index, finding.model_copy(update={"said": said})) for finding, said in taken]
        return
    for finding in (*whole, *(it for it, _ in taken)):
        struck.cuts += merged_citations(case, layout, index) if finding.code == REPEATED_SENTENCE else []
        _strike_whole(case, layout, index, finding, struck)


def _cuts_of(case: Case, statement: Statement, finding: Finding) -> tuple[str, list[Cut]] | None:
    """What is cut out for a finding that is no value of a product, and how the reader is told."""
    if finding.code in CITATIONS:
        cuts = citation_cuts(case, statement, finding)
        return None if cuts is None else (said_of_value(case, statement, finding), cuts)
    if finding.code == "over_budget" and finding.evidence_id is None and not is_over_the_whole(finding):
        allowance = allowance_cuts(case, statement.section)
        if allowance is not None:
            return said_of_allowance(case, allowance[0]), allowance[1]
    return None


def _strike_whole(case: Case, layout: Layout, index: int, finding: Finding, struck: Struck) -> None:
    """The statement, what stands below it if it is a heading, and all that names a thing the shop does not have."""
    below = finding.model_copy(update={"found": OF_A_SECTION})
    for heading in [index, *(_naming(case, layout, finding.said) if finding.code == "not_in_catalog" else ())]:
        struck.strike(heading, finding)
        if layout.statements[heading].kind == "heading" and layout.statements[heading].level > 1:
            for number in _section_of(layout, heading):
                if number != heading and number not in struck.why:
                    struck.strike(number, below)


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


def _section_of(layout: Layout, heading: int) -> Iterator[int]:
    """The statements below a heading, headings within included."""
    sections = layout.structure.sections
    own = sections[layout.statements[heading].section]
    for index, statement in enumerate(layout.statements):
        if own in layout.structure.path(statement.section):
            yield index


def _naming(case: Case, layout: Layout, name: str) -> Iterator[int]:
    """Every statement that names a thing that the shop does not have, by its whole name or by its maker's alone.

    The maker's name counts only where nothing that the run was shown has it, and not beside a product or a source.
    """
    if not name[:1].isalnum():
        return
    maker = brand_of_stranger(case, name)
    for index, statement in enumerate(layout.statements):
        said = layout.text(statement)
        if _names(said, name, re.IGNORECASE) or (
            maker and _names(said, maker) and not _stands_for_itself(case, statement)
        ):
            yield index


def _names(said: str, name: str, flags: int = 0) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said, flags))


def _stands_for_itself(case: Case, statement: Statement) -> bool:
    """True for a statement that names a product of the shop, or cites what the run was handed."""
    sources = [mark.start for mark in case.structure.marks if any(it.entry for it in mark.cited)]
    places = [*sources, *(mention.start for mention in case.mentions)]
    return any(statement.start <= place < statement.end for place in places)
