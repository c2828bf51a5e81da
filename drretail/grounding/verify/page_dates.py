"""Web pages that are too old for the shop's date, or newer than it: warnings, since neither makes a report wrong."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from drretail.grounding.text.layout import Layout
from drretail.records.evidence import Citation, Evidence, Finding

OLD_PAGE, AFTER_TODAY = "old_page", "after_today"
DAYS_A_YEAR = 365.25
_MONTH = len("2024-01")
_PAGE = "page|article|guide|post|thread|column|bulletin|advice|source|review"
_CALLED_OLD = re.compile(
    rf"\b(?:outdated|out[- ]of[- ]date|obsolete|superseded|(?:old|older|dated) (?:{_PAGE})s?)\b", re.I
)
"""Of 14 reports by a real model, which cite old pages 5 times, 4 name the year; docs/tools.md has the figures."""


def pages_too_old(
    layout: Layout, citations: Sequence[Citation], evidence: Mapping[str, Evidence], now: date, page_age: float
) -> Iterator[Finding]:
    """Citations of pages that are more than ``page_age`` years older than the shop's current date.

    Not if the sentence tells the reader, by the page's year or by calling it old.
    """
    for citation, entry, day in dated_pages(citations, evidence):
        years = (now - day).days / DAYS_A_YEAR
        sentences = (sentence for sentence in layout.sentences if sentence.start <= citation.start < sentence.end)
        words = " ".join(layout.text[sentence.start : sentence.end] for sentence in sentences)
        if years > page_age and not re.search(rf"\b{day.year}\b", words) and not _CALLED_OLD.search(words):
            yield _finding(OLD_PAGE, citation, entry, f"{years:.1f} years before the shop's today, {now}")


def pages_after_today(
    layout: Layout, citations: Sequence[Citation], evidence: Mapping[str, Evidence], now: date
) -> Iterator[Finding]:
    """Citations of pages dated after the shop's current date, and later days and months in sentences
    that cite the web.
    """
    pages = list(dated_pages(citations, evidence))
    for citation, entry, day in pages:
        if day > now:
            yield _finding(AFTER_TODAY, citation, entry, f"after the shop's today, {now}")
    dated = {f"{day}" for _, _, day in pages}
    cited = [citation.start for citation in citations if citation.type == "web"]
    of_web = [one for one in layout.sentences if any(one.start <= start < one.end for start in cited)]
    for day in layout.dates:
        is_later = len(day.iso) >= _MONTH and day.iso > now.isoformat()[: len(day.iso)]
        if is_later and day.iso not in dated and any(sentence.start <= day.start < sentence.end for sentence in of_web):
            start, end, words = day.start, day.end, f"it lies after the shop's today, {now}"
            text = layout.report[start:end]
            yield Finding(code=AFTER_TODAY, severity="warning", start=start, end=end, text=text, found=words)


def dated_pages(
    citations: Sequence[Citation], evidence: Mapping[str, Evidence]
) -> Iterator[tuple[Citation, Evidence, date]]:
    """The citations of pages whose date is known."""
    for citation in citations:
        entry = evidence.get(citation.evidence_id or "")
        if entry is not None and entry.kind == "web" and entry.date is not None:
            yield citation, entry, date.fromisoformat(entry.date)


def _finding(code: str, citation: Citation, entry: Evidence, found: str) -> Finding:
    start, end, text = citation.start, citation.end, citation.marker
    found = f"the page is dated {entry.date}, {found}"
    return Finding(code=code, severity="warning", start=start, end=end, text=text, found=found, evidence_id=entry.id)
