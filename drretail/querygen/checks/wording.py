"""Finds queries that ask the same as an earlier one of their file."""

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence

from drretail.querygen.checks.case import Code, finding
from drretail.records.evidence import Finding
from drretail.records.query import Query

CODES = {
    "near_duplicate": Code("an earlier query of the file asks the same", "ask something else, or drop one of the two")
}

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


class Texts:
    """Queries by what they ask, to find one that asks the same as another."""

    def __init__(self, queries: Iterable[Query] = ()) -> None:
        self._asked: dict[Hashable, Query] = {}
        for query in queries:
            self.add(query)

    def add(self, query: Query) -> None:
        for matter in _matters(query):
            self._asked.setdefault(matter, query)

    def near_duplicate(self, query: Query) -> Finding | None:
        """The finding on a query that asks the same as one of these, other than its twin; None without one."""
        earlier = (self._asked[matter] for matter in _matters(query) if matter in self._asked)
        same = next((other for other in earlier if not _are_twins(query, other)), None)
        return same and finding("near_duplicate", query.text[:80], f"the same as {same.query_id}")


def _matters(query: Query) -> Iterator[Hashable]:
    """The words of its text, in which any number stands for all, and the need of its user for products like some."""
    yield tuple("#" if word.isdecimal() else word for word in _WORD.findall(query.text.casefold()))
    if query.wish is not None and query.wish.owned:
        kinds = frozenset(kind.casefold() for want in query.wish.wants for kind in want.kinds)
        yield query.user_id, query.kind, kinds, frozenset(query.wish.owned)


def _are_twins(query: Query, other: Query) -> bool:
    return query.query_id == other.query_id or (query.task_id is not None and query.task_id == other.task_id)


def near_duplicates(queries: Sequence[Query]) -> dict[str, Finding]:
    """The findings by query id: of each two near-duplicates, on the later one. A later turn repeats no query."""
    texts, findings = Texts(), dict[str, Finding]()
    for query in (query for query in queries if query.after is None):
        if near := texts.near_duplicate(query):
            findings[query.query_id] = near
        texts.add(query)
    return findings
