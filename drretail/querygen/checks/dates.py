"""Whether the dates of a query fit the shop's today."""

from collections.abc import Iterator

from drretail.grounding.text.amounts import find_dates
from drretail.querygen.checks.case import Case, found
from drretail.records.evidence import Finding

CODES = {
    "date_in_future": "something is said to have happened after the shop's today",
    "deadline_passed": "the deadline lies before the shop's today",
}


def check(case: Case) -> Iterator[Finding]:
    """Years alone count in the text, as other dates may be plans; of the typed deadline, a whole date."""
    text, wish, today = case.query.text, case.query.wish, case.now.date()
    deadline = (wish and wish.deadline) or ""
    for said in find_dates(text):
        if int(said.iso[:4]) > today.year and text[said.start : said.end] not in deadline:
            yield found("date_in_future", text[said.start : said.end], f"today is {today}", span=(said.start, said.end))
    for said in find_dates(deadline):
        if len(said.iso) == len(today.isoformat()) and said.iso < today.isoformat():
            yield found("deadline_passed", deadline, f"today is {today}")
