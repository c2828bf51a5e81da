"""Entries of a report's own list of sources that name what was never handed out, or that nothing refers to any more."""

from collections.abc import Iterator

from drretail.grounding.citations import Known, citing_marks, listed_lines
from drretail.grounding.marks import find_marks
from drretail.grounding.markup import blanked, lines, prose
from drretail.grounding.reference_list import Entry, is_list_frame, read_references
from drretail.records.evidence import Finding


def bad_entries(report: str, evidence: Known) -> list[Finding]:
    """Entries that name sources, none of which the run was handed, and that no citation of the text refers to.

    What a citation refers to is found where it is cited.
    """
    referred = {entry.start for entry in _referred(report)}
    labelled = [entry.start for entry in read_references(prose(report)).entries()]
    return [
        Finding(
            code="url_not_seen" if cited[0].type == "web" else "unresolved_citation",
            severity="error",
            start=start,
            end=end,
            said=report[start:end].strip(),
            found="the run never saw this page" if cited[0].type == "web" else "the run was handed no such source",
        )
        for start, end, cited in listed_lines(report, evidence)
        if cited and not any(it.entry for it in cited)
        if not any(start <= it <= end and it in referred for it in labelled)
    ]


def without_entries(before: str, after: str, evidence: Known) -> str:
    """``after`` without entries that ``before`` referred to and ``after`` does not, and without bad ones.

    ``after`` is ``before`` with some of its statements left out. A list without any entry left loses its heading.
    """
    text = prose(after)
    references = read_references(text)
    all_lines = list(lines(text))
    gone = {all_lines.index((start, end)) for start, end in _gone(before, after, evidence)}
    if not gone:
        return after
    spans = [(start, end) for start, end in references.spans]
    listed = {number for number, span in enumerate(all_lines) if span in spans}
    kept = [number for number in listed - gone if not is_list_frame(text[slice(*all_lines[number])])]
    dropped = gone if kept else listed
    return "\n".join(after[start:end] for number, (start, end) in enumerate(lines(after)) if number not in dropped)


def _gone(before: str, after: str, evidence: Known) -> Iterator[tuple[int, int]]:
    """The spans of the lines that go."""
    labels = {entry.label for entry in _referred(before)} - {entry.label for entry in _referred(after)}
    still = _cited(after, evidence)
    lost = _cited(before, evidence) - still
    bad = {finding.start for finding in bad_entries(after, evidence)}
    entries = read_references(prose(after)).entries()
    for start, end, cited in listed_lines(after, evidence):
        own = [entry for entry in entries if start <= entry.start <= end]
        sources = {it.source for it in cited}
        if start in bad or any(entry.label in labels for entry in own) or (sources & lost and not sources & still):
            yield start, end


def _cited(report: str, evidence: Known) -> set[str]:
    return {it.source for mark in citing_marks(report, evidence) for it in mark.cited}


def _referred(report: str) -> list[Entry]:
    text = prose(report)
    references = read_references(text)
    marks = find_marks(blanked(text, references.spans))
    targets = [(target.value, mark.start) for mark in marks for target in mark.targets if target.kind == "label"]
    return [entry for value, place in targets if (entry := references.entry(value, place)) is not None]
