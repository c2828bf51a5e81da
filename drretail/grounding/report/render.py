"""The report as a reader gets it: evidence ids and own numbers as one numbering, with the sources at the end."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from drretail.grounding.report.citations import (
    Cited,
    CitingMark,
    Known,
    as_entries,
    citing_marks,
    listed_sources,
    read_as_references,
)
from drretail.grounding.report.evidence_ids import parse_evidence_id
from drretail.grounding.report.marks import find_marks
from drretail.grounding.report.markup import blanked, prose
from drretail.grounding.text.wording import short_title
from drretail.records.base import Record
from drretail.records.evidence import Evidence

Style = Literal["markdown", "plain"]
_TITLE_LENGTH = 120
_OWN = {"profile": "your profile", "orders": "your orders", "statistics": "your statistics"}


class Reference(Record):
    """One numbered source of a rendered report; internal ones have no URL."""

    number: int
    evidence_id: str | None = None
    """None for a page that the run was never handed."""
    title: str
    url: str | None = None
    label: str
    """How the text refers to it: ``[3]``, ``order O:1234567890``, ``your profile`` …"""


class Edit(Record):
    """``report[start:end]`` stands as ``text`` in the rendered report."""

    start: int
    end: int
    text: str


class Rendered(Record):
    text: str
    references: tuple[Reference, ...]
    edits: tuple[Edit, ...] = ()
    """All that differs from the report in front of the Sources section, in order and apart."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where ``report[start:end]`` stands in ``text``; what was replaced counts whole."""
        return self._moved(start, 0), self._moved(end, 1)

    def _moved(self, position: int, side: Literal[0, 1]) -> int:
        moved = 0
        for edit in self.edits:
            inside = edit.start < position < edit.end
            if inside:
                return edit.start + moved + side * len(edit.text)
            if edit.end > position or edit.start >= position:
                break
            moved += len(edit.text) - (edit.end - edit.start)
        return min(position + moved, len(self.text))


def render_report(report: str, evidence: Known | None, *, style: Style = "markdown") -> Rendered:
    """The report with numbered references, dense from 1 in order of first appearance, and a Sources section.

    Products and pages become ``[[1]](url)`` (``[1]`` in plain style), orders, user data, files and calculations
    words in parentheses, what resolves to nothing ``[unresolved: P:XYZ]``. Plain URLs and markdown links are
    links already and stay as they are. A report's own list is replaced by the Sources section, which takes over
    its entries, cited or not. Everything else is unchanged byte for byte; without ids and numbers, all of it is.
    """
    known = as_entries(evidence)
    marks = [mark for mark in citing_marks(report, known) if _is_rendered(report, mark)]
    if not marks:
        return Rendered(text=report, references=())
    numbering = _Numbering(style)
    changed = [_edit(report, run, numbering) for run in _runs(report, marks)]
    listed = listed_sources(report, known)
    for cited in listed.cited:
        if cited.type != "unresolved":
            numbering.number(cited)
    removed = [Edit(start=start, end=end, text="") for start, end in listed.spans]
    removed += _misleading(report, marks, listed.spans, len(numbering.references))
    edits = tuple(sorted([*changed, *removed], key=lambda edit: edit.start))
    body = _edited(report, edits)
    references = tuple(numbering.references)
    text = body.rstrip("\n") + "\n\n" + _section(references) if references else body
    return Rendered(text=text, references=references, edits=edits)


@dataclass(slots=True)
class _Numbering:
    style: Style
    references: list[Reference] = field(default_factory=list[Reference])
    _by_source: dict[str, Reference] = field(default_factory=dict[str, Reference])

    def number(self, cited: Cited) -> Reference:
        """The source's reference, made at its first appearance."""
        if cited.source not in self._by_source:
            number = len(self.references) + 1
            reference = Reference(
                number=number,
                evidence_id=cited.evidence_id,
                title=_title(cited),
                url=None if cited.type == "internal" else cited.url,
                label=_internal_label(cited.entry) if cited.type == "internal" and cited.entry else f"[{number}]",
            )
            self._by_source[cited.source] = reference
            self.references.append(reference)
        return self._by_source[cited.source]

    def link(self, reference: Reference) -> str:
        if self.style == "plain" or reference.url is None:
            return reference.label
        url = f"<{reference.url}>" if set(reference.url) & set("() ") else reference.url
        return f"[{reference.label}]({url})"


def _misleading(report: str, marks: list[CitingMark], spans: Iterable[tuple[int, int]], count: int) -> Iterator[Edit]:
    """Bracketed numbers that cite nothing, and would seem to, now that the sources are numbered."""
    cited = {mark.start for mark in marks}
    for mark in find_marks(blanked(prose(report), spans)):
        numbers = [int(target.value) for target in mark.targets if target.value.isdecimal()]
        if mark.start not in cited and read_as_references(numbers, count):
            yield Edit(start=mark.start, end=mark.end, text=f"[unresolved: {report[mark.start + 1 : mark.end - 1]}]")


def _edit(report: str, run: list[CitingMark], numbering: _Numbering) -> Edit:
    """What stands in the place of adjacent marks: numbers first, then internal sources in one parenthesis."""
    distinct = {cited.source: cited for mark in run for cited in mark.cited}
    numbers = ""
    internal: list[str] = []
    for cited in distinct.values():
        if cited.type == "unresolved":
            numbers += f"[unresolved: {cited.said}]"
        elif cited.type == "internal":
            internal.append(numbering.number(cited).label)
        else:
            numbers += numbering.link(numbering.number(cited))
    linked = " ".join(filter(None, (_link_text(report, mark) for mark in run)))
    start, end = _without_backticks(report, run[0].start, run[-1].end)
    words = f"({'; '.join(internal)})" if internal else ""
    gap = " " if words and (numbers or report[start - 1 : start].strip(" \t\n([")) else ""
    return Edit(start=start, end=end, text=f"{linked}{' ' if linked else ''}{numbers}{gap}{words}")


def _runs(report: str, marks: list[CitingMark]) -> Iterator[list[CitingMark]]:
    """Marks with nothing but spaces between them, together."""
    run = marks[:1]
    for before, mark in pairwise(marks):
        if report[before.end : mark.start].strip(" \t"):
            yield run
            run = []
        run.append(mark)
    if run:
        yield run


def _is_rendered(report: str, mark: CitingMark) -> bool:
    """True for marks that a reader can't follow: bracketed ids, numbers and footnotes, links to ids."""
    in_brackets = report[mark.start] in "[【" and report[mark.end - 1] in "]】"
    return in_brackets or parse_evidence_id(mark.cited[0].said) is not None


def _link_text(report: str, mark: CitingMark) -> str:
    """The words of a link to an id; they stay, and the number follows them."""
    text, arrow, _ = report[mark.start + 1 : mark.end].partition("](")
    return text if arrow and mark.cited[0].said not in text else ""


def _without_backticks(report: str, start: int, end: int) -> tuple[int, int]:
    """The place of marks with the code quotes around them, in which a link would not work."""
    while start > 0 and end < len(report) and report[start - 1] == report[end] == "`":
        start, end = start - 1, end + 1
    return start, end


def _edited(text: str, edits: Iterable[Edit]) -> str:
    parts: list[str] = []
    position = 0
    for edit in edits:
        parts += [text[position : edit.start], edit.text]
        position = edit.end
    return "".join([*parts, text[position:]])


def _section(references: Iterable[Reference]) -> str:
    """An ordered list, so that markdown shows the very numbers that the text has."""
    entries = [
        f"{reference.number}. {' — '.join(dict.fromkeys(filter(None, (reference.title, reference.url))))}"
        for reference in references
    ]
    return "\n".join(["## Sources", "", *entries, ""])


def _title(cited: Cited) -> str:
    if cited.entry is None:
        return cited.title or cited.said
    if cited.type == "internal":
        label = _internal_label(cited.entry)
        return label[0].upper() + label[1:]
    return short_title(cited.entry.title or cited.entry.key, _TITLE_LENGTH)


def _internal_label(entry: Evidence) -> str:
    what, _, user_id = entry.id.removeprefix("U:").partition("@")
    if entry.kind == "user":
        return f"{what} of user {user_id}" if user_id else _OWN.get(what, what)
    if entry.kind == "order":
        return f"order {entry.id}"
    if entry.kind == "calculation":
        result = next((text.text for text in entry.texts if " = " in text.text and "\n" not in text.text), entry.title)
        return f"calculation: {result}"
    return f"file {entry.title}"
