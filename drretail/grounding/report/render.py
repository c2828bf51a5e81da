"""The report as a reader sees it: evidence ids and own numbers as one numbering, with the sources at the end."""

import re
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal, NamedTuple

from drretail.grounding.report.citations import Cited, Known, Token, link_words, scan
from drretail.grounding.report.evidence_ids import parse_evidence_id
from drretail.grounding.report.marks import UNRESOLVED
from drretail.grounding.text.amounts import find_dates
from drretail.grounding.text.wording import short_title, split_words
from drretail.records.evidence import Evidence

Style = Literal["markdown", "plain"]
_TITLE_LENGTH = 120
_LINK = re.compile(r"\]\((?!#)|^<?https?://", re.IGNORECASE)
_ORDER_DATE = re.compile(r'"order_date":\s*"(\d{4}-\d{2}-\d{2})')
_LONG_RESULT = re.compile(r"= (-?\d+\.\d{5,})$")
_OWN = {"U:profile": "your profile", "U:orders": "your orders", "U:statistics": "your statistics"}


class Edit(NamedTuple):
    """``report[start:end]`` stands as ``text`` in the rendered report."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class RenderedReport:
    body: str
    """The report without its own lists of sources."""
    sources: str = ""
    """The section below it."""
    references: tuple[Cited, ...] = ()
    """Every source with its title, and as ``label`` its number among the sources if it has an address."""
    edits: tuple[Edit, ...] = ()
    """All differences of ``body`` from the report, in order and without overlap."""

    @property
    def text(self) -> str:
        return f"{self.body}{self.sources}"

    @property
    def words(self) -> int:
        """The words of ``text`` (the paper's "words"): what white space separates; each sign in scripts without."""
        return len(split_words(self.text))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The place of ``report[start:end]`` in ``text``; replaced parts count whole."""
        first, last = start, end
        for edit in self.edits:
            growth = len(edit.text) - (edit.end - edit.start)
            if edit.start < start:
                first += growth if edit.end <= start else edit.start - start
            if edit.start < end:
                last += growth + max(edit.end - end, 0)
        return first, last


def render_report(report: str, evidence: Known | None, *, style: Style = "markdown") -> RenderedReport:
    """The report with numbered references, consecutive from 1 in order of first appearance, and a Sources section.

    Products and pages become ``[[1]](url)`` (``[1]`` in plain style); orders, user data, files and calculations become
    words in parentheses; unresolved ones ``[unresolved: P:XYZ]``. Plain URLs and markdown links stay. The Sources
    section replaces the report's own list; entries that nothing cites come last. Everything else is unchanged byte for
    byte.
    """
    scanned = scan(report, evidence)
    runs: list[list[Token]] = []
    """Marks with only spaces between them."""
    for mark in filter(lambda mark: _is_rendered(report, mark), scanned.marks):
        if runs and not report[runs[-1][-1].end : mark.start].strip(" \t"):
            runs[-1].append(mark)
        else:
            runs.append([mark])
    if not runs:
        return RenderedReport(report)
    references: dict[str, Cited] = {}
    edits = [_edit(report, run, references, style) for run in runs]
    edits += (Edit(start, min(end + 1, len(report)), "") for start, end in scanned.lists)
    edits.sort()
    for cited in scanned.listed:
        if cited.type != "unresolved":
            _reference(cited, references)
    parts, position = list[str](), 0
    for edit in edits:
        parts += [report[position : edit.start], edit.text]
        position = edit.end
    body, sources = "".join([*parts, report[position:]]), ""
    if numbered := [of for of in references.values() if of.label]:
        names = (" — ".join(dict.fromkeys(filter(None, (of.title, of.url)))) for of in numbered)
        entries = (f"{number}. {name}\n" for number, name in enumerate(names, 1))
        body, sources = body.rstrip("\n"), f"\n\n## Sources\n\n{''.join(entries)}"
    return RenderedReport(body, sources, tuple(references.values()), tuple(edits))


def _is_rendered(report: str, mark: Token) -> bool:
    """True for marks that a reader can't follow: ids, numbers, footnotes, links to ids and into the report's list."""
    is_word = mark.cited[0].reason is not None and report[mark.start] not in "[【"  # "(Smith, 2018)" without a list
    if is_word or report.startswith(f"[{UNRESOLVED}", mark.start):
        return False
    return parse_evidence_id(mark.cited[0].name) is not None or not _LINK.search(report[mark.start : mark.end])


def _edit(report: str, run: list[Token], references: dict[str, Cited], style: Style) -> Edit:
    """The replacement of adjacent marks: numbers first, then internal sources in one parenthesis."""
    start, end = run[0].start, run[-1].end
    line = report[report.rfind("\n", 0, start) + 1 : start]
    numbers, internal = "", list[str]()
    for cited in {cited.source: cited for mark in run for cited in mark.cited}.values():
        reference = cited if cited.type == "unresolved" else _reference(cited, references)
        if cited.type == "unresolved":
            numbers += f"[{UNRESOLVED}{cited.name}]"
        elif cited.entry and not reference.label:
            internal.append(_in_text(cited.entry, line))
        elif style == "plain" or not reference.url:
            numbers += f"[{reference.label}]"
        else:
            url = reference.url if set(reference.url).isdisjoint("() ") else f"<{reference.url}>"
            numbers += f"[[{reference.label}]]({url})"
    words = [link_words(report[mark.start : mark.end], mark.cited[0].name) for mark in run]
    text = " ".join(filter(None, [*words, numbers, f"({'; '.join(internal)})" if internal else ""]))
    # A link would not work within backticks.
    while start > 0 and end < len(report) and report[start - 1] == report[end] == "`":
        start, end = start - 1, end + 1
    is_apart = not text.startswith("(") or not report[start - 1 : start].strip(" \t\n([")
    return Edit(start, end, text if is_apart else f" {text}")


def _reference(cited: Cited, references: dict[str, Cited]) -> Cited:
    """The source with its title, and with the next number if it is new and has an address."""
    if cited.source not in references:
        title, label, entry = cited.title or cited.name, "", cited.entry
        if entry is not None and cited.type == "internal":
            title = _words(entry)
            title = title[0].upper() + title[1:]
        else:
            title = short_title(entry.title or entry.key, _TITLE_LENGTH) if entry else title
            label = str(1 + sum(bool(of.label) for of in references.values()))
        references[cited.source] = replace(cited, title=title, label=label)
    return references[cited.source]


def _in_text(entry: Evidence, line: str) -> str:
    """The words of the text for a source without an address; an order's date is not repeated if the line gives it."""
    day = _day(entry)
    if day is None:
        return _words(entry)
    is_given = day.isoformat() in {date.iso for date in find_dates(line)}
    return "your order" if is_given else f"order of {day.day} {day:%B} {day.year}"


def _words(entry: Evidence) -> str:
    """The words for a source without an address; an order's are its number and date."""
    if entry.kind == "user":
        return _OWN.get(entry.id, entry.title[:1].lower() + entry.title[1:])
    if entry.kind == "order":
        day, number = _day(entry), f"order {entry.id.removeprefix('O:')}"
        return number if day is None else f"{number} of {day.day} {day:%B} {day.year}"
    if entry.kind != "calculation":
        return f"file {entry.title}"
    written = next((text.text for text in entry.texts if " = " in text.text and "\n" not in text.text), entry.title)
    if long := _LONG_RESULT.search(written):
        number = float(long[1])
        written = written[: long.start()] + (f"≈ {number:.4f}" if abs(number) >= 0.01 else f"≈ {number:.3g}")
    return f"calculation: {written}"


def _day(entry: Evidence) -> date | None:
    """The day of an order that the run has read."""
    days = (_ORDER_DATE.search(text.text) for text in entry.texts if entry.kind == "order")
    return next((date.fromisoformat(day[1]) for day in days if day), None)
