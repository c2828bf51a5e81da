"""Whether the typed constraints say what the text says."""

from collections.abc import Iterator

from drretail.grounding.budget import read_budget
from drretail.grounding.deadlines import read_deadline
from drretail.grounding.listing import folded
from drretail.grounding.wording import format_money
from drretail.querygen.checks.case import Case, found
from drretail.records.evidence import Finding
from drretail.records.money import Money
from drretail.records.query import Constraints

CODES = {
    "budget_not_in_text": "the typed budget is not the one in the text",
    "budget_not_typed": "the text names a budget that the constraints lack",
    "constraint_not_in_text": "a typed demand, brand, quantity or deadline is not in the text",
    "deadline_not_typed": "the text names a deadline that the constraints lack",
}


def check(case: Case) -> Iterator[Finding]:
    constraints, text = case.query.constraints, case.query.text
    yield from _budget(constraints, text)
    words = set(folded(text).split())
    demands = (*constraints.must, *constraints.must_not, *constraints.brands_wanted, *constraints.brands_unwanted)
    for phrase in (*demands, *constraints.quantities):
        missing = [word for word in folded(phrase).split() if not {word, f"{word}s", word.removesuffix("s")} & words]
        if missing:
            yield found("constraint_not_in_text", phrase, f"the text lacks {', '.join(missing)}")
    deadline = read_deadline(text)
    if constraints.deadline is not None and not set(folded(constraints.deadline).split()) <= words:
        yield found("constraint_not_in_text", constraints.deadline, deadline)
    if constraints.deadline is None and deadline is not None:
        yield found("deadline_not_typed", deadline, severity="warning")


def _budget(constraints: Constraints, text: str) -> Iterator[Finding]:
    read = read_budget(text)
    typed = None if constraints.budget is None else (constraints.budget, constraints.budget_scope)
    if typed is None and read is not None:
        yield found("budget_not_typed", _told(*read), severity="warning")
    elif typed is not None and (read is None or _differs(typed, read)):
        yield found("budget_not_in_text", _told(*typed), None if read is None else f"the text says {_told(*read)}")


def _differs(typed: tuple[Money, str], read: tuple[Money, str]) -> bool:
    """Amount and currency; "no more than $30" of the one thing that is asked for is a total and per item alike."""
    return (typed[0].value, typed[0].currency) != (read[0].value, read[0].currency)


def _told(budget: Money, scope: str) -> str:
    return format_money(budget.value, budget.currency) + (" each" if scope == "per_item" else "")
