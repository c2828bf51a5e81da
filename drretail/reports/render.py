"""The report as a reader sees it: evidence ids and own numbers as one numbering, with the sources at the end."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import count
from typing import Literal

from drretail.reports.citations import Cited, Known, Token, link_words, scan
from drretail.reports.marks import UNRESOLVED
from drretail.reports.text.amounts import find_dates
from drretail.reports.text.wording import short_title, split_words

Style = Literal["markdown", "plain"]
_ORDER_DATE = re.compile(r'"order_date":\s*"(\d{4}-\d{2}-\d{2})')
_LONG_RESULT = re.compile(r"= (-?\d+\.\d{5,})$")
_OWN = {"U:profile": "Your profile", "U:orders": "Your orders", "U:statistics": "Your statistics"}
Edit = tuple[int, int, str]
"""``report[start:end]`` stands as this text in the body of a rendered report."""


@dataclass(frozen=True)
class RenderedReport:
    text: str
    body: str
    """``text`` without the list of sources at its end."""
    references: tuple[Cited, ...] = ()
    """Every source with its title, and as ``label`` its number in that list if it has an address."""
    edits: tuple[Edit, ...] = ()


def render_report(
    report: str, evidence: Known | None, *, style: Style = "markdown", as_written: bool = False
) -> RenderedReport:
    """The report with numbered references, consecutive from 1 in order of first appearance, and a Sources section.

    Products and pages become ``[[1]](url)`` (``[1]`` in plain style); orders, user data, files and calculations become
    words in parentheses; unresolved ones ``[unresolved: P:XYZ]``. Links and addresses stay. The Sources section
    replaces the report's own list; what nothing cites comes last. Everything else is unchanged byte for byte.
    ``as_written`` leaves marks without an address as they are, so that no word is put into the report.
    """
    scanned = scan(report, evidence)
    marks = [mark for mark in scanned.marks if not _is_shown(report, mark)]
    marks = [mark for mark in marks if not as_written or any(map(_has_address, mark.cited))]
    if not marks and not (as_written and scanned.lists):
        return RenderedReport(report, report)
    references, numbers = dict[str, Cited](), count(1)
    for cited in (*(cited for mark in marks for cited in mark.cited), *scanned.listed):
        if cited.type != "unresolved" and cited.source not in references:
            label = "" if cited.type == "internal" else str(next(numbers))
            references[cited.source] = replace(cited, title=_title(cited), label=label)
    edits = [_edit(report, run, references, style, as_written=as_written) for run in _runs(report, marks)]
    edits += [(start, min(end + 1, len(report)), "") for start, end in scanned.lists]
    parts, position = list[str](), 0
    for start, end, text in sorted(edits):
        parts += [report[position:start], text]
        position = end
    body = "".join([*parts, report[position:]])
    numbered = ((source.label, (source.title, source.url)) for source in references.values() if source.label)
    entries = [f"{label}. {' — '.join(dict.fromkeys(filter(None, name)))}\n" for label, name in numbered]
    body = body.rstrip("\n") if entries else body
    text = "".join([body, "\n\n## Sources\n\n", *entries]) if entries else body
    return RenderedReport(text, body, tuple(references.values()), tuple(edits))


def count_words(report: str | None, evidence: Known | None) -> tuple[int, int]:
    """The words of a report as its reader sees it, with the list of sources (the paper's "words") and without."""
    rendered = render_report(report or "", evidence, style="plain")
    return len(split_words(rendered.text)), len(split_words(rendered.body))


def _is_shown(report: str, mark: Token) -> bool:
    """True for addresses and Markdown's links, words for what did not resolve, and ¹ and the like if not read."""
    cited, text = mark.cited[0], report[mark.start : mark.end]
    is_address = "://" in cited.name and cited.name in text and text[0] != "<"
    is_word = cited.reason is not None and text[0] not in "[【"
    return is_address or is_word or text.startswith(f"[{UNRESOLVED}")


def _runs(report: str, marks: Sequence[Token]) -> list[list[Token]]:
    """Marks with only spaces between them, grouped."""
    runs: list[list[Token]] = []
    for mark in marks:
        if not runs or report[runs[-1][-1].end : mark.start].strip(" \t"):
            runs.append([])
        runs[-1].append(mark)
    return runs


def _has_address(cited: Cited) -> bool:
    return cited.type not in ("unresolved", "internal")


def _edit(
    report: str, run: Sequence[Token], references: Mapping[str, Cited], style: Style, *, as_written: bool
) -> Edit:
    """The replacement of adjacent marks: numbers first, then internal sources in one parenthesis."""
    start, end = run[0].start, run[-1].end
    line = report[report.rfind("\n", 0, start) + 1 : start]
    words = [link_words(report[mark.start : mark.end], mark.cited[0].name) for mark in run]
    numbers, internal = "", list[str]()
    for name, cited in {cited.source: cited for mark in run for cited in mark.cited}.items():
        source = references.get(name)
        if as_written and not _has_address(cited):
            numbers += f"[{cited.name}]"
        elif source is None:
            numbers += f"[{UNRESOLVED}{cited.name}]"
        elif not source.label:
            internal.append(_in_text(source.title, line))
        elif style == "plain" or not source.url:
            numbers += f"[{source.label}]"
        else:
            is_odd = not set(source.url).isdisjoint("() ")
            numbers += f"[[{source.label}]]({f'<{source.url}>' if is_odd else source.url})"
    text = " ".join(filter(None, [*words, numbers, f"({'; '.join(internal)})" if internal else ""]))
    # A link would not work within backticks.
    while start > 0 and end < len(report) and report[start - 1] == report[end] == "`":
        start, end = start - 1, end + 1
    return start, end, text


def _title(cited: Cited) -> str:
    """The title of a source: an order's is its number and date."""
    entry = cited.entry
    if entry is None:
        return cited.title or cited.name
    if entry.kind == "user":
        return _OWN.get(entry.id, entry.title)
    if entry.kind == "order":
        title, days = f"Order {entry.key}", (_ORDER_DATE.search(text.text) for text in entry.texts)
        day = next((date.fromisoformat(day[1]) for day in days if day), None)
        return f"{title} of {day.day} {day:%B} {day.year}" if day else title
    if entry.kind == "calculation":
        title = next((text.text for text in entry.texts if " = " in text.text and "\n" not in text.text), entry.title)
        if long := _LONG_RESULT.search(title):
            number = float(long[1])
            title = title[: long.start()] + (f"≈ {number:.4f}" if abs(number) >= 0.01 else f"≈ {number:.3g}")
        return f"Calculation: {title}"
    return f"File {entry.title}" if entry.kind == "file" else short_title(entry.title or entry.key, limit=120)


def _in_text(title: str, line: str) -> str:
    """The words for a source without an address: an order by its date, if the line has not just given that."""
    words = re.sub(r"^Order \S+ of", "order of", title)
    days = {day.iso for day in find_dates(words)} if words.startswith("order of") else set[str]()
    is_given = not days.isdisjoint(day.iso for day in find_dates(line))
    return "your order" if is_given else f"{words[0].lower()}{words[1:]}"
