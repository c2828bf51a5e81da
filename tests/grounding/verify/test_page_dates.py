from datetime import date

import pytest

from drretail.grounding.report.evidence_ids import web_evidence_id
from drretail.grounding.verify.checks import Case, check_report, read_report
from drretail.records.evidence import Evidence, Finding
from drretail.records.query import Query

URL = "https://birds.example/height"
PAGE = web_evidence_id(URL)
TODAY = date(2023, 9, 24)


def case(
    report: str, day: str | None = None, *, now: date | None = TODAY, page_age: float = 3, web_is_live: bool = False
) -> Case:
    entry = Evidence(id=PAGE, kind="web", key=URL, title="Height", url=URL, date=day)
    query = Query(query_id="q1", text="How high?", source="test")
    return Case(report, {PAGE: entry}, query, now=now, page_age=page_age, web_is_live=web_is_live)


def found(about: Case, code: str) -> list[Finding]:
    return [one for one in check_report(about, read_report(about)) if one.code == code]


def test_a_page_older_than_the_chosen_age_is_a_warning_where_it_is_cited() -> None:
    report = f"Hang it five feet high [{PAGE}]."
    (finding,) = found(case(report, "2020-01-15"), "old_page")
    assert (finding.severity, finding.text, finding.evidence_id) == ("warning", f"[{PAGE}]", PAGE)
    assert finding.found == "the page is dated 2020-01-15, 3.7 years before the shop's today, 2023-09-24"
    assert found(case(report, "2020-01-15", page_age=4), "old_page") == []
    assert found(case(report, "2021-01-15"), "old_page") == []


@pytest.mark.parametrize(
    ("sentence", "warnings"),
    [
        *(("A guide of 2012 says five feet", 0), ("An older article says five feet", 0)),
        ("Five feet is out of date", 0),
        # another year or another old thing tells nothing of the page
        *(("A guide of 2021 says so", 1), ("An old pole will do", 1), ("It holds 20120 seeds", 1)),
        ("A guide of 2012 says so. Hang it high", 1),
    ],
)
def test_an_old_page_whose_age_the_reader_is_told_needs_no_warning(sentence: str, warnings: int) -> None:
    assert len(found(case(f"{sentence} [{PAGE}].", "2012-02-14"), "old_page")) == warnings


def test_only_pages_of_the_live_web_may_be_younger_than_today_and_nothing_is_without_one() -> None:
    report = f"It was tested on March 3, 2025 [{PAGE}]."
    assert len(found(case(report, "2026-03-02"), "after_today")) == 2
    assert found(case(report, "2026-03-02", web_is_live=True), "after_today") == []
    old = case(f"Hang it five feet high [{PAGE}].", "2012-02-14", web_is_live=True)
    assert len(found(old, "old_page")) == 1
    assert found(case(f"You plan for May 2025. Hang it high [{PAGE}]."), "after_today") == []
    assert found(case(f"Hang it five feet high [{PAGE}].", "2020-01-15", now=None), "old_page") == []


COME = (
    *("It weighs from 2048 g", "It was tested on September 1, 2023", "Budget for 2050 dollars and more"),
    *("It costs $2024", "The 2024 model is quieter", "It is of September 2023"),
)


@pytest.mark.parametrize(
    ("sentence", "day", "warnings"),
    [
        ("Hang it five feet high", "2026-03-02", [(f"[{PAGE}]", "the page is dated 2026-03-02,")]),
        # once, where the page's own date is cited
        ("“Hang it high.” (2024-05-02)", "2024-05-02", [(f"[{PAGE}]", "the page is dated 2024-05-02,")]),
        ("It was tested on March 3, 2025", None, [("March 3, 2025", "it lies")]),
        ("It was updated January 2024", None, [("January 2024", "it lies")]),
        *((sentence, None, []) for sentence in COME),
    ],
)
def test_pages_and_days_of_the_web_that_have_not_come_are_warnings(
    sentence: str, day: str | None, warnings: list[tuple[str, str]]
) -> None:
    findings = found(case(f"{sentence} [{PAGE}].", day), "after_today")
    assert [(one.severity, one.text, one.found) for one in findings] == [
        ("warning", words, f"{beginning} after the shop's today, 2023-09-24") for words, beginning in warnings
    ]
