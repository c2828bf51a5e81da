"""Entries of a report's own list of sources that nothing refers to any more."""

from drretail.grounding.marks import find_marks
from drretail.grounding.markup import blanked, lines, prose
from drretail.grounding.reference_list import Entry, is_list_frame, read_references


def without_unused_entries(before: str, after: str) -> str:
    """``after`` without the entries that ``before`` referred to by number and ``after`` does not.

    ``after`` is ``before`` with some of its statements left out. A list without any entry left loses its heading.
    """
    text = prose(after)
    references = read_references(text)
    lost = {entry.label for entry in _referred(before)} - {entry.label for entry in _referred(after)}
    gone = {
        number
        for number, (start, end) in enumerate(lines(text))
        for entry in references.entries()
        if entry.label in lost and start <= entry.start <= end
    }
    if not gone:
        return after
    spans = [(start, end) for start, end in references.spans]
    listed = {number for number, span in enumerate(lines(text)) if span in spans}
    kept = [number for number in listed - gone if not is_list_frame(text[slice(*list(lines(text))[number])])]
    dropped = gone if kept else listed
    return "\n".join(after[start:end] for number, (start, end) in enumerate(lines(after)) if number not in dropped)


def _referred(report: str) -> list[Entry]:
    text = prose(report)
    references = read_references(text)
    marks = find_marks(blanked(text, references.spans))
    targets = [(target.value, mark.start) for mark in marks for target in mark.targets if target.kind == "label"]
    return [entry for value, place in targets if (entry := references.entry(value, place)) is not None]
