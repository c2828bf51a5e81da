"""The report as a reader sees it: evidence ids and own numbers as one numbering, with the sources at the end."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Literal, NamedTuple

from drretail.grounding.report.citations import Cited, Known, Token, link_words, scan
from drretail.grounding.report.evidence_ids import parse_evidence_id
from drretail.grounding.report.marks import UNRESOLVED
from drretail.grounding.text.amounts import find_dates
from drretail.grounding.text.wording import short_title, split_words
from drretail.records.base import Record
from drretail.records.evidence import Evidence

Style = Literal["markdown", "plain"]
_TITLE_LENGTH = 120
_LINK = re.compile(r"\]\((?!#)|^<?https?://", re.IGNORECASE)
_ORDER_DATE = re.compile(r'"order_date":\s*"(?P<date>\d{4}-\d{2}-\d{2})')
_LONG_RESULT = re.compile(r"= (?P<result>-?\d+\.\d{5,})$")
_OWN = {"profile": "your profile", "orders": "your orders", "statistics": "your statistics"}


class _Reference(Record):
    """One source of a rendered report; internal ones have no URL."""

    number: int | None = None
    """The number of its line under Sources, if the text refers to it by number."""
    evidence_id: str | None = None
    """None for a page that the run never received."""
    title: str
    url: str | None = None
    label: str
    """How the text refers to it: ``[3]``, ``order of 3 May 2023``, ``your profile`` …"""


class Edit(NamedTuple):
    """``report[start:end]`` stands as ``text`` in the rendered report."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class RenderedReport:
    text: str
    references: tuple[_Reference, ...] = ()
    edits: tuple[Edit, ...] = ()
    """All differences from the report before the Sources section, in order and without overlap."""
    sources_at: int | None = None
    """Where the lists of sources begin that are added below the report; None without any."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The place of ``report[start:end]`` in ``text``; replaced parts count whole."""
        return self._moved(start, 0), self._moved(end, 1)

    def _moved(self, position: int, side: Literal[0, 1]) -> int:
        moved = 0
        for edit in self.edits:
            if edit.start < position < edit.end:
                return edit.start + moved + side * len(edit.text)
            if edit.end > position or edit.start >= position:
                break
            moved += len(edit.text) - (edit.end - edit.start)
        return min(position + moved, len(self.text))


def render_report(report: str, evidence: Known | None, *, style: Style = "markdown") -> RenderedReport:
    """The report with numbered references, consecutive from 1 in order of first appearance, and a Sources section.

    Products and pages become ``[[1]](url)`` (``[1]`` in plain style); orders, user data, files and calculations become
    words in parentheses; unresolved ones ``[unresolved: P:XYZ]``. Plain URLs and markdown links stay. The Sources
    section replaces the report's own list; entries that nothing cites are listed above it without a number. Everything
    else is unchanged byte for byte.
    """
    tokens = scan(report, evidence)
    marks = [mark for mark in tokens.marks if _is_rendered(report, mark)]
    if not marks:
        return RenderedReport(report)
    numbering = _Numbering(style)
    changed = [_edit(report, run, numbering) for run in _runs(report, marks)]
    removed = [Edit(start, min(end + 1, len(report)), "") for start, end in tokens.lists]
    edits = tuple(sorted([*changed, *removed]))
    ends = [0, *(edit.end for edit in edits)]
    body = "".join(f"{report[end : edit.start]}{edit.text}" for end, edit in zip(ends, edits, strict=False))
    body += report[ends[-1] :]
    cited = numbering.references
    listed = {source.source: source for source in tokens.listed if source.type != "unresolved"}
    uncited = [_reference(source, _title(source)) for name, source in listed.items() if name not in cited]
    numbered = [reference for reference in cited.values() if reference.number is not None]
    sections = [*_section("Also listed", uncited), *_section("Sources", numbered)]
    references = (*cited.values(), *uncited)
    if not sections:
        return RenderedReport(body, references, edits)
    body = body.rstrip("\n")
    return RenderedReport("\n\n".join([body, *sections]) + "\n", references, edits, len(body))


class WordCount(NamedTuple):
    """The words of a report as its reader sees it: what white space separates; each sign in scripts without spaces."""

    shown: int
    """With references and the list of sources (the paper's "words")."""
    body: int
    """Without the list of sources."""


def count_words(report: str | None, evidence: Known | None) -> WordCount:
    """The words of a report with its sources; none of a run without a report."""
    rendered = render_report(report or "", evidence, style="plain")
    shown, body = (len(split_words(text)) for text in (rendered.text, rendered.text[: rendered.sources_at]))
    return WordCount(shown, body)


@dataclass(slots=True)
class _Numbering:
    style: Style
    references: dict[str, _Reference] = field(default_factory=dict[str, _Reference])
    """By source."""
    count: int = 0
    """Numbers used so far."""

    def reference(self, cited: Cited) -> _Reference:
        if cited.source not in self.references:
            number, label = None, ""
            if cited.type == "internal" and cited.entry is not None:
                label = _internal_label(cited.entry)
            else:
                self.count += 1
                number, label = self.count, f"[{self.count}]"
            self.references[cited.source] = _reference(cited, label, number)
        return self.references[cited.source]

    def link(self, cited: Cited) -> str:
        reference = self.reference(cited)
        if self.style == "plain" or reference.url is None:
            return reference.label
        url = f"<{reference.url}>" if set(reference.url) & set("() ") else reference.url
        return f"[{reference.label}]({url})"


def _edit(report: str, run: list[Token], numbering: _Numbering) -> Edit:
    """The replacement of adjacent marks: numbers first, then internal sources in one parenthesis."""
    distinct = {cited.source: cited for mark in run for cited in mark.cited}
    numbers, internal = "", list[str]()
    for cited in distinct.values():
        if cited.type == "unresolved":
            numbers += f"[{UNRESOLVED}{cited.name}]"
        elif cited.type == "internal":
            internal.append(_shortened_order(numbering.reference(cited).label, report, run[0].start))
        else:
            numbers += numbering.link(cited)
    linked = " ".join(filter(None, (link_words(report[mark.start : mark.end], mark.cited[0].name) for mark in run)))
    start, end = run[0].start, run[-1].end
    # A link would not work within backticks.
    while start > 0 and end < len(report) and report[start - 1] == report[end] == "`":
        start, end = start - 1, end + 1
    words = f"({'; '.join(internal)})" if internal else ""
    gap = " " if words and (numbers or report[start - 1 : start].strip(" \t\n([")) else ""
    return Edit(start, end, f"{linked}{' ' if linked else ''}{numbers}{gap}{words}")


def _runs(report: str, marks: list[Token]) -> list[list[Token]]:
    """Marks with only spaces between them, grouped."""
    runs: list[list[Token]] = []
    for mark in marks:
        if runs and not report[runs[-1][-1].end : mark.start].strip(" \t"):
            runs[-1].append(mark)
        else:
            runs.append([mark])
    return runs


def _is_rendered(report: str, mark: Token) -> bool:
    """True for marks that a reader can't follow: ids, numbers, footnotes, links to ids and into the report's list."""
    is_word = mark.cited[0].reason is not None and report[mark.start] not in "[【"  # "(Smith, 2018)" without a list
    if is_word or report.startswith(f"[{UNRESOLVED}", mark.start):
        return False
    return parse_evidence_id(mark.cited[0].name) is not None or not _LINK.search(report[mark.start : mark.end])


def _section(heading: str, references: Iterable[_Reference]) -> Iterator[str]:
    """A list under its heading, if it has entries."""
    names = ((reference, dict.fromkeys(filter(None, (reference.title, reference.url)))) for reference in references)
    entries = [f"{f'{of.number}.' if of.number else '-'} {' — '.join(name)}" for of, name in names]
    if entries:
        yield "\n".join([f"## {heading}", "", *entries])


def _reference(cited: Cited, label: str, number: int | None = None) -> _Reference:
    url = None if cited.type == "internal" else cited.url
    return _Reference(number=number, evidence_id=cited.evidence_id, title=_title(cited), url=url, label=label)


def _title(cited: Cited) -> str:
    if cited.entry is None:
        return cited.title or cited.name
    if cited.type == "internal":
        label = _internal_label(cited.entry, is_numbered=True)
        return label[0].upper() + label[1:]
    return short_title(cited.entry.title or cited.entry.key, _TITLE_LENGTH)


def _shortened_order(label: str, report: str, start: int) -> str:
    """The label of an order without its date if the report's line has just given it: "your order"."""
    line = report[report.rfind("\n", 0, start) + 1 : start]
    days = {date.iso for date in find_dates(label)} if label.startswith("order of") else set[str]()
    return label if days.isdisjoint(date.iso for date in find_dates(line)) else "your order"


def _internal_label(entry: Evidence, *, is_numbered: bool = False) -> str:
    """The words for a source without an address; in a list, an order has its number as well."""
    name, _, user_id = entry.id.removeprefix("U:").partition("@")
    if entry.kind == "user":
        return f"{name} of user {user_id}" if user_id else _OWN.get(name, name)
    if entry.kind == "order":
        number = entry.id.removeprefix("O:")
        dated = next((match for text in entry.texts if (match := _ORDER_DATE.search(text.text))), None)
        if dated is None:
            return f"order {number}"
        day = date.fromisoformat(dated["date"])
        return f"order {f'{number} ' if is_numbered else ''}of {day.day} {day:%B} {day.year}"
    if entry.kind == "calculation":
        written = next((text.text for text in entry.texts if " = " in text.text and "\n" not in text.text), entry.title)
        if (long := _LONG_RESULT.search(written)) is not None:  # "≈ 0.5667"
            number = float(long["result"])
            written = written[: long.start()] + (f"≈ {number:.4f}" if abs(number) >= 0.01 else f"≈ {number:.3g}")
        return f"calculation: {written}"
    return f"file {entry.title}"
