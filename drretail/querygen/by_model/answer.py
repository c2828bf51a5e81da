"""What a model answers when it is asked for a query; every field is required, so that none is forgotten."""

from typing import Literal

from drretail.records.base import Record
from drretail.records.money import Money
from drretail.records.query import Constraints, Demand, NeedKind


class WrittenBudget(Record):
    """An upper limit on spending that the text names."""

    amount: float
    currency: Literal["USD", "EUR", "GBP"]
    bounds: Literal["total", "per_item"]


class WrittenQuantity(Record):
    """How many of a thing are wanted."""

    thing: str
    number: int


class WrittenDemand(Record):
    """A property, and the one thing that it is said of."""

    property: str
    of: str | None


class WrittenConstraints(Record):
    """What the text demands, and nothing else."""

    # Quantities are pairs, since schemas of models know no open objects. Models read these first lines.

    budget: WrittenBudget | None
    categories: list[str]
    brands_wanted: list[str]
    brands_unwanted: list[str]
    must: list[WrittenDemand]
    must_not: list[WrittenDemand]
    quantities: list[WrittenQuantity]
    deadline: str | None
    owned: list[str]


class WrittenQuery(Record):
    """One question with what stands beside it."""

    query: str
    kind: NeedKind
    rationale: str
    expected_tools: list[str]
    constraints: WrittenConstraints


def as_constraints(written: WrittenConstraints) -> Constraints:
    """The record that queries carry. Raises ValueError for a budget that is no amount of money."""
    budget = written.budget
    return Constraints(
        budget=None if budget is None else Money.of(budget.amount, budget.currency),
        budget_scope="total" if budget is None else budget.bounds,
        categories=tuple(dict.fromkeys(written.categories)),
        brands_wanted=tuple(written.brands_wanted),
        brands_unwanted=tuple(written.brands_unwanted),
        must=tuple(map(_demand, written.must)),
        must_not=tuple(map(_demand, written.must_not)),
        quantities={item.thing: item.number for item in written.quantities if item.number > 1},
        deadline=written.deadline or None,
        owned=tuple(it.removeprefix("P:") for it in written.owned),
    )


def _demand(written: WrittenDemand) -> Demand:
    return Demand(property=written.property, of=written.of or None)
