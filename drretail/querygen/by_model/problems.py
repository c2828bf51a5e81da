"""What is wrong with a query that a model wrote, in words that help the model to mend it."""

from collections.abc import Iterator, Sequence
from math import isfinite

from drretail.env.catalog.base import fold_category
from drretail.grounding.text.wording import format_money
from drretail.querygen.by_model.answer import WrittenQuery, as_constraints
from drretail.querygen.by_model.place import Place
from drretail.querygen.checks import privacy, rationale, tools, typed, wording
from drretail.querygen.checks.case import Case
from drretail.querygen.lint import CODES, Linter
from drretail.records.evidence import Finding
from drretail.records.query import Query

_CHECKS = (wording, typed, privacy, tools, rationale)
# Found by a list of words that no model can know; a web_search among the expected tools is asked for below.
_NOT_TOLD = frozenset({"web_not_needed"})
_MOST_TOLD = 8
_MOST_MONEY = 10_000_000


class Examiner:
    """Examines what models write for one world; ``categories`` are all names that its search takes."""

    def __init__(self, linter: Linter, categories: Sequence[str]) -> None:
        self._linter = linter
        self._categories = {fold_category(name): name for name in categories}

    def problem(self, written: WrittenQuery, place: Place, earlier: Sequence[Query], query: Query) -> str | None:
        """All that is wrong with an answer, None when nothing is; ``query`` is what would become of it."""
        case = self._linter.case(query)
        own = self._own(written, place, earlier, case)
        found = list(dict.fromkeys((*own, *_linted(case))))
        if not found:
            return None
        more = f"\n… and {len(found) - _MOST_TOLD} more" if len(found) > _MOST_TOLD else ""
        return "\n".join(f"- {line}" for line in found[:_MOST_TOLD]) + more

    def spelt(self, written: WrittenQuery) -> WrittenQuery:
        """The answer with categories as the shop writes them; unknown ones stay as they are."""
        names = [self._categories.get(fold_category(name), name) for name in written.constraints.categories]
        constraints = written.constraints.model_copy(update={"categories": names})
        return written.model_copy(update={"constraints": constraints})

    def _own(self, written: WrittenQuery, place: Place, earlier: Sequence[Query], case: Case) -> Iterator[str]:
        if "web_search" not in written.expected_tools:
            yield "web_search is not among the expected tools: let a part of the question need the web"
        if place.user_id is None and tools.USER_TOOLS & set(written.expected_tools):
            yield "a question of an unknown shopper expects a tool that reads a shopper's record"
        for name in written.constraints.categories:
            if fold_category(name) not in self._categories:
                yield f"the shop has no category {name!r}"
        yield from _uncounted(written)
        yield from _not_owned(written.constraints.owned, case)
        if wording.Texts(earlier).near_duplicate(case.query) is not None:
            yield "the question is too much like one that there is already: ask about something else"


def unusable(written: WrittenQuery) -> str | None:
    """What keeps an answer from becoming a query at all, None when it can."""
    if not written.query.strip():
        return "the query is empty"
    budget = written.constraints.budget
    if budget is not None and not (isfinite(budget.amount) and 0 < budget.amount < _MOST_MONEY):
        return f"a budget of {budget.amount:g} is no amount of money that a shopper would name"
    constraints = as_constraints(written.constraints)
    if budget is not None and constraints.budget is not None and float(constraints.budget.value) != budget.amount:
        return f"the budget has parts of cents; did you mean {format_money(constraints.budget.value)}?"
    return None


def _linted(case: Case) -> Iterator[str]:
    for check in _CHECKS:
        for finding in check.check(case):
            if finding.code not in _NOT_TOLD:
                yield told(finding)


def told(finding: Finding) -> str:
    """A finding in words: what its code means, what is meant, and what was found instead."""
    known = f" ({finding.found})" if finding.found else ""
    return f"{CODES[finding.code]}: {finding.said!r}{known}"


def _not_owned(owned: Sequence[str], case: Case) -> Iterator[str]:
    bought = frozenset[str]() if case.shopper is None else case.shopper.bought
    for product_id in owned:
        if product_id not in bought:
            yield f"the record holds no order of {product_id!r} that was kept: leave it out of owned"


def _uncounted(written: WrittenQuery) -> Iterator[str]:
    """Quantities of one: those whose number the text doesn't say are found by the checks."""
    for quantity in written.constraints.quantities:
        if quantity.number <= 1:
            yield f"one of a thing is no quantity: leave {quantity.thing!r} out of quantities"
