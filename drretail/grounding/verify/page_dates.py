"""Web pages against the shop's today: too old to rely on, or from days that for the shop have not come yet.

Neither makes a report wrong, so all of it is warnings: a reader decides what they mean.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date

from drretail.grounding.text.amounts import find_dates
from drretail.grounding.text.layout import Layout
from drretail.records.evidence import Citation, Evidence, Finding

OLD_PAGE, AFTER_TODAY = "old_page", "after_today"
DAYS_A_YEAR = 365.25
_MONTH = len("2024-01")
_PAGE = "page|article|guide|post|thread|column|bulletin|advice|source|review"
_CALLED_OLD = re.compile(
    rf"\b(?:outdated|out[- ]of[- ]date|obsolete|superseded|(?:old|older|dated) (?:{_PAGE})s?)\b", re.I
)
"""Of 14 reports by a real model, which cite old pages 5 times, 4 name the year; docs/checks.md has the figures."""


def pages_too_old(
    layout: Layout, citations: Sequence[Citation], evidence: Mapping[str, Evidence], now: date, page_age: float
) -> list[Finding]:
    """Citations of pages that are more than ``page_age`` years older than the shop's today.

    Not where the sentence tells the reader: by the page's year, or by calling it old.
    """
    return [
        _finding(OLD_PAGE, citation, entry, f"{years:.1f} years before the shop's today, {now}")
        for citation, entry, day in dated_pages(citations, evidence)
        if (years := (now - day).days / DAYS_A_YEAR) > page_age and not _tells_age(layout, citation, day)
    ]


def _tells_age(layout: Layout, citation: Citation, day: date) -> bool:
    words = " ".join(
        layout.text[sentence.start : sentence.end]
        for sentence in layout.sentences
        if sentence.start <= citation.start < sentence.end
    )
    return bool(re.search(rf"\b{day.year}\b", words) or _CALLED_OLD.search(words))


def pages_after_today(
    layout: Layout, citations: Sequence[Citation], evidence: Mapping[str, Evidence], now: date
) -> list[Finding]:
    """Citations of pages dated after the shop's today, and later days and months in sentences that cite the web."""
    pages = [
        _finding(AFTER_TODAY, citation, entry, f"after the shop's today, {now}")
        for citation, entry, day in dated_pages(citations, evidence)
        if day > now
    ]
    dated = {f"{day}" for _, _, day in dated_pages(citations, evidence)}
    return [*pages, *_later_days(layout, citations, now, dated)]


def dated_pages(
    citations: Sequence[Citation], evidence: Mapping[str, Evidence]
) -> Iterator[tuple[Citation, Evidence, date]]:
    """The citations of pages whose date is known."""
    for citation in citations:
        entry = evidence.get(citation.evidence_id or "")
        if entry is not None and entry.kind == "web" and entry.date is not None:
            yield citation, entry, date.fromisoformat(entry.date)


def _later_days(
    layout: Layout, citations: Sequence[Citation], today: date, dated: Collection[str]
) -> Iterator[Finding]:
    """Days and months that have not come in sentences that cite the web; ``dated`` are the days of its pages."""
    cited = [citation.start for citation in citations if citation.type == "web"]
    of_web = [
        sentence for sentence in layout.sentences if any(sentence.start <= start < sentence.end for start in cited)
    ]
    for day in find_dates(layout.text):
        is_later = len(day.iso) >= _MONTH and day.iso > today.isoformat()[: len(day.iso)]
        is_of_web = any(sentence.start <= day.start < sentence.end for sentence in of_web)
        if is_later and is_of_web and day.iso not in dated:
            found = f"it lies after the shop's today, {today}"
            words = layout.report[day.start : day.end]
            yield Finding(code=AFTER_TODAY, severity="warning", start=day.start, end=day.end, text=words, found=found)


def _finding(code: str, citation: Citation, entry: Evidence, found: str) -> Finding:
    return Finding(
        code=code,
        severity="warning",
        start=citation.start,
        end=citation.end,
        text=citation.marker,
        found=f"the page is dated {entry.date}, {found}",
        evidence_id=entry.id,
    )
