"""Which slices a query is in: by the category of what is wanted, by the sort of need, by what it demands."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from drretail.experiment import Definition
from drretail.records.query import Constraints, Query
from drretail.records.slices import SliceBy

NO_CATEGORY = "none named"
NO_CONSTRAINT = "none"
CONSTRAINTS: Mapping[str, Callable[[Constraints], bool]] = {
    "budget": lambda it: it.budget is not None,
    "brand wanted": lambda it: bool(it.brands_wanted),
    "brand unwanted": lambda it: bool(it.brands_unwanted),
    "must": lambda it: bool(it.must),
    "must not": lambda it: bool(it.must_not),
    "quantity": lambda it: bool(it.quantities),
    "deadline": lambda it: it.deadline is not None,
    "owned": lambda it: bool(it.owned),
}
"""The kinds of constraints, in the order of tables."""


def query_slices(definition: Definition) -> dict[tuple[SliceBy, str], frozenset[str]]:
    """The ids of the queries in each slice that has any: categories and kinds by name, constraints in their order."""
    found: dict[tuple[SliceBy, str], set[str]] = defaultdict(set)
    for query in definition.queries:
        for name in categories_of(query, definition.categories):
            found["category", name].add(query.query_id)
        found["kind", kind_of(query)].add(query.query_id)
        for name in constraint_kinds(query.constraints):
            found["constraint", name].add(query.query_id)
    return {key: frozenset(found[key]) for key in sorted(found, key=_place)}


def categories_of(query: Query, frozen: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The top-level categories as the experiment froze them, else as the query names them."""
    return tuple(frozen.get(query.query_id) or dict.fromkeys(query.constraints.categories)) or (NO_CATEGORY,)


def kind_of(query: Query) -> str:
    """The sort of need where somebody said, else how the query was made: its mode."""
    return query.kind or query.mode


def constraint_kinds(constraints: Constraints) -> tuple[str, ...]:
    """Every kind of constraint that is there, or that there is none; categories alone are none."""
    return tuple(name for name, has in CONSTRAINTS.items() if has(constraints)) or (NO_CONSTRAINT,)


def _place(key: tuple[SliceBy, str]) -> tuple[int, int, str]:
    by, name = key
    kinds = list(CONSTRAINTS)
    return ("category", "kind", "constraint").index(by), kinds.index(name) if name in kinds else len(kinds), name
