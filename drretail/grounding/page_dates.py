"""Web pages against the shop's today: too old to rely on, or from days that for the shop have not come yet.

Neither makes a report wrong, so all of it is warnings: a reader decides what they mean.
"""

import re
from collections.abc import Iterator
from datetime import date

from drretail.grounding.case import Case
from drretail.grounding.structure import Unit
from drretail.grounding.values import find_values
from drretail.records.evidence import Citation, Evidence, Finding

OLD_PAGE, AFTER_TODAY = "old_page", "after_today"
DAYS_A_YEAR = 365.25
# A year that can be nothing else: "the 2026 model", "in 2026". "From 2048 g" and "for 2050 dollars" are no years.
_YEAR = re.compile(
    r"(?:\b(?:in|since|by|until|till|during|early|mid|late|spring|summer|autumn|fall|winter|"
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?|as of|updated|published|copyright|©)[\s-]+|\()(20\d\d)\b(?![\d.,%/-]*\d|\s*[%$€£])|"
    r"\b(20\d\d)(?= (?:model|edition|version|guide|test|review|season|release|update)s?\b)",
    re.IGNORECASE,
)


def old_pages(case: Case) -> list[Finding]:
    """Citations of pages that are more than ``case.page_age`` years older than the shop's today."""
    assert case.now is not None
    return [
        _finding(OLD_PAGE, citation, entry, f"{_dated(entry)}, {years:.1f} years before the shop's today, {case.now}")
        for citation, entry, day in _cited_pages(case)
        if (years := (case.now - day).days / DAYS_A_YEAR) > case.page_age
    ]


def after_today(case: Case) -> list[Finding]:
    """Citations of pages dated after the shop's today, and statements citing the web that name a later day or year."""
    assert case.now is not None
    pages = [
        _finding(AFTER_TODAY, citation, entry, f"{_dated(entry)}, after the shop's today, {case.now}")
        for citation, entry, day in _cited_pages(case)
        if day > case.now
    ]
    return [*pages, *_later_days(case, case.now)]


def cites_dated_pages(case: Case) -> bool:
    return any(True for _ in _cited_pages(case))


def _cited_pages(case: Case) -> Iterator[tuple[Citation, Evidence, date]]:
    """The citations of pages whose date is known; of one page in one statement the first."""
    for citation in case.citations:
        entry = case.evidence.get(citation.evidence_id or "")
        if entry is not None and entry.kind == "web" and entry.date is not None:
            yield citation, entry, date.fromisoformat(entry.date)


def _later_days(case: Case, today: date) -> Iterator[Finding]:
    cited = [citation.start for citation in case.citations if citation.type == "web"]
    for unit in case.structure.units:
        if not any(unit.start <= place < unit.end for place in cited) or not case.is_own(unit.start):
            continue
        for start, end in _later(case.report, unit, today):
            found = f"it lies after the shop's today, {today}"
            yield Finding(
                code=AFTER_TODAY, severity="warning", start=start, end=end, said=case.report[start:end], found=found
            )


def _later(report: str, unit: Unit, today: date) -> Iterator[tuple[int, int]]:
    """The days and years after today that a statement names."""
    text = report[unit.start : unit.end]
    days = [value for value in find_values(text) if value.kind == "date"]
    for day in days:
        if date.fromisoformat(day.text) > today:
            yield unit.start + day.start, unit.start + day.end
    for found in _YEAR.finditer(text):
        start, end = found.span(1 if found[1] else 2)
        within = any(day.start <= start < day.end for day in days)
        if not within and int(text[start:end]) > today.year:
            yield unit.start + start, unit.start + end


def _dated(entry: Evidence) -> str:
    return f"the page is dated {entry.date}"


def _finding(code: str, citation: Citation, entry: Evidence, found: str) -> Finding:
    return Finding(
        code=code,
        severity="warning",
        start=citation.start,
        end=citation.end,
        said=citation.marker,
        found=found,
        evidence_id=entry.id,
    )
