"""The report as a reader sees it: evidence ids and own numbers as one numbering, with the sources at the end."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
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
        places: list[int] = []
        for position, is_end in ((start, False), (end, True)):
            before = [edit for edit in self.edits if edit.end <= position and edit.start < position]
            cut = next((edit for edit in self.edits if edit.start < position < edit.end), None)
            moved = sum(len(edit.text) - (edit.end - edit.start) for edit in before)
            at = position if cut is None else cut.start + is_end * len(cut.text)
            places.append(min(at + moved, len(self.text)))
        return places[0], places[1]


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
    cited: dict[str, _Reference] = {}
    changed = [_edit(report, run, cited, style) for run in _runs(report, marks)]
    removed = [Edit(start, min(end + 1, len(report)), "") for start, end in tokens.lists]
    edits = tuple(sorted([*changed, *removed]))
    ends = [0, *(edit.end for edit in edits)]
    body = "".join(f"{report[end : edit.start]}{edit.text}" for end, edit in zip(ends, edits, strict=False))
    body += report[ends[-1] :]
    listed = {source.source: source for source in tokens.listed if source.type != "unresolved"}
    uncited = [_reference(source) for name, source in listed.items() if name not in cited]
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
    return WordCount(*(len(split_words(text)) for text in (rendered.text, rendered.text[: rendered.sources_at])))


def _edit(report: str, run: list[Token], references: dict[str, _Reference], style: Style) -> Edit:
    """The replacement of adjacent marks: numbers first, then internal sources in one parenthesis."""
    numbers, internal = "", list[str]()
    for source, cited in {cited.source: cited for mark in run for cited in mark.cited}.items():
        if cited.type == "unresolved":
            numbers += f"[{UNRESOLVED}{cited.name}]"
            continue
        number = 1 + sum(of.number is not None for of in references.values())
        reference = references.get(source) or references.setdefault(source, _reference(cited, number))
        if reference.number is None:
            internal.append(_shortened_order(reference.label, report, run[0].start))
        elif style == "plain" or reference.url is None:
            numbers += reference.label
        else:
            is_odd = not set(reference.url).isdisjoint("() ")
            numbers += f"[{reference.label}]({f'<{reference.url}>' if is_odd else reference.url})"
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


def _reference(cited: Cited, number: int | None = None) -> _Reference:
    entry, label = cited.entry, f"[{number}]" if number else ""
    if cited.type == "internal" and entry is not None:
        label, title = _words(entry)
        title = title[0].upper() + title[1:]
        return _Reference(evidence_id=entry.id, title=title, label=label if number else "")
    title = cited.title or cited.name if entry is None else short_title(entry.title or entry.key, _TITLE_LENGTH)
    return _Reference(number=number, evidence_id=cited.evidence_id, title=title, url=cited.url, label=label)


def _shortened_order(label: str, report: str, start: int) -> str:
    """The label of an order without its date if the report's line has just given it: "your order"."""
    line = report[report.rfind("\n", 0, start) + 1 : start]
    days = {date.iso for date in find_dates(label)} if label.startswith("order of") else set[str]()
    return label if days.isdisjoint(date.iso for date in find_dates(line)) else "your order"


def _words(entry: Evidence) -> tuple[str, str]:
    """The words for a source without an address, in the text and in a list, where an order has its number as well."""
    words = f"file {entry.title}"
    name, _, user_id = entry.id.removeprefix("U:").partition("@")
    if entry.kind == "user":
        words = f"{name} of user {user_id}" if user_id else _OWN.get(name, name)
    elif entry.kind == "order":
        words = f"order {entry.id.removeprefix('O:')}"
        dated = next((match for text in entry.texts if (match := _ORDER_DATE.search(text.text))), None)
        if dated is not None:
            day = date.fromisoformat(dated["date"])
            of = f"of {day.day} {day:%B} {day.year}"
            return f"order {of}", f"{words} {of}"
    elif entry.kind == "calculation":
        written = next((text.text for text in entry.texts if " = " in text.text and "\n" not in text.text), entry.title)
        if long := _LONG_RESULT.search(written):
            number = float(long["result"])
            written = written[: long.start()] + (f"≈ {number:.4f}" if abs(number) >= 0.01 else f"≈ {number:.3g}")
        words = f"calculation: {written}"
    return words, words
