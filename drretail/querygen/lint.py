"""All checks on all queries of a file."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from drretail.env.world import World
from drretail.querygen.checks import agreement, contract, feasibility, names, privacy, sources, wording
from drretail.querygen.checks.case import Code, QueryCase, Shopper, Stock, finding, read_shopper
from drretail.querygen.proofs import with_needs
from drretail.records.evidence import Finding
from drretail.records.query import Query, Reference
from drretail.remembered import remembered, remembered_by

OTHER_WORLD = "other_world"
_FAMILIES = (names, agreement, feasibility, privacy, sources)
"""The checks of every query, in the order of their findings."""
CODES: dict[str, Code] = {
    **{code: entry for family in (*_FAMILIES, wording, contract) for code, entry in family.CODES.items()},
    OTHER_WORLD: Code("the query was made for another world", "name its world, or make queries for this one"),
}


@dataclass(frozen=True, slots=True)
class CheckedQuery:
    """A query with its findings. ``reference`` holds the baskets that meet its wish, or why there are none."""

    query: Query
    findings: tuple[Finding, ...]
    reference: Reference


class Linter:
    """The checks of one world. Lookups are cached, so that a thousand queries cost little more than ten."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.stock = Stock(world)
        """The cached lookups, which drafts for the same shop may share."""

    def check_all(self, queries: Sequence[Query], on_query: Callable[[], object] = bool) -> tuple[CheckedQuery, ...]:
        """Every query in order, with its findings; of two that are alike, the later one has one that says so."""
        alike, checked = wording.near_duplicates(queries), list[CheckedQuery]()
        for query in queries:
            checked.append(self.check(query, also=filter(None, [alike.get(query.query_id)])))
            on_query()
        return tuple(checked)

    def check(self, query: Query, also: Iterable[Finding] = ()) -> CheckedQuery:
        """Checks one query, whatever else is in its file; ``also`` are further findings on it."""
        return CheckedQuery(query, (*self.findings(query), *also), self.case(query).reference)

    @remembered_by(Query.as_line)
    def findings(self, query: Query) -> tuple[Finding, ...]:
        """The findings on one query alone. One that was made for another world has that finding and no other."""
        here = self._world.manifest.fingerprint
        if query.world_fingerprint not in (None, here):
            return (finding(OTHER_WORLD, query.world_fingerprint[:12], f"this world is {here[:12]}"),)
        case = self.case(query)
        findings = [finding for family in _FAMILIES for finding in family.check(case)]
        if contract.binds(query):
            findings += contract.check(case)
        return tuple(findings)

    def with_needs(self, query: Query) -> Query:
        """The query with what it needs in its gold; one that was made for another world as it is."""
        is_here = query.world_fingerprint in (None, self._world.manifest.fingerprint)
        return with_needs(query, self.case(query), self._world.catalog) if is_here else query

    @remembered_by(Query.as_line)
    def case(self, query: Query) -> QueryCase:
        """The query with its user and offers, from which the checks start."""
        return QueryCase(query, self.shopper(query.user_id), self.stock)

    @remembered
    def shopper(self, user_id: str | None) -> Shopper | None:
        """The user's record; None without a user, or if the world has no such user."""
        return None if user_id is None else read_shopper(self._world, self.stock, user_id)
