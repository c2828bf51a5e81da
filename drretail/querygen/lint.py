"""All checks of all queries of a file."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from drretail.env.world import World
from drretail.querygen.checks import agreement, contract, feasibility, names, privacy, wording
from drretail.querygen.checks.case import Case, Code, found
from drretail.querygen.checks.shopper import Shopper, read_shopper
from drretail.querygen.checks.stock import Stock
from drretail.records.evidence import Finding
from drretail.records.query import FoundBasket, Query, Reference

OTHER_WORLD = "other_world"
_FAMILIES = (names, agreement, feasibility, privacy, contract)
"""In the order in which findings are given."""
_CODES = {code: entry for family in (*_FAMILIES, wording) for code, entry in family.CODES.items()} | {
    OTHER_WORLD: Code("the query was made for another world than this one", "name its world, or make queries for this")
}
CODES: dict[str, str] = {code: entry.meaning for code, entry in _CODES.items()}
"""What each finding means."""
REMEDIES: dict[str, str] = {code: entry.remedy for code, entry in _CODES.items()}
"""What to do about it."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A query with what was found; ``reference`` holds the baskets that keep to its wish, or why there is none."""

    query: Query
    findings: tuple[Finding, ...]
    reference: Reference

    @property
    def basket(self) -> FoundBasket | None:
        """The cheapest basket; None where there is none."""
        return self.reference.cheapest

    @property
    def faults(self) -> tuple[Finding, ...]:
        """What another query in its place could mend: all but that nobody has typed its wish."""
        return tuple(finding for finding in self.findings if finding.code != "wish_missing")


class Linter:
    """The checks of one world; remembers what it looks up, so that a thousand queries cost little more than ten."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.stock = Stock(world)
        """What it has looked up; drafts that are made of the same shop may look there, too."""
        self._shoppers: dict[str, Shopper | None] = {}
        self._cases: dict[str, Case] = {}
        self._findings: dict[str, tuple[Finding, ...]] = {}

    def check_all(self, queries: Sequence[Query]) -> tuple[Checked, ...]:
        """Every query in order, with the findings of its own, and the later one of two that are alike."""
        alike = wording.near_duplicates(queries)
        return tuple(self.check(it, also=[alike[it.query_id]] if it.query_id in alike else ()) for it in queries)

    def check(self, query: Query, also: Iterable[Finding] = ()) -> Checked:
        """One query, whatever else is in its file."""
        return Checked(query, (*self.findings(query), *also), self.case(query).reference)

    def findings(self, query: Query) -> tuple[Finding, ...]:
        """What is found in one query alone."""
        key = query.as_line()
        if key not in self._findings:
            self._findings[key] = tuple(self._found(query))
        return self._findings[key]

    def case(self, query: Query) -> Case:
        """What the checks of a query start from."""
        key = query.as_line()
        if key not in self._cases:
            self._cases[key] = Case(query, self.shopper(query.user_id), self.stock, self._world.manifest.now)
        return self._cases[key]

    def shopper(self, user_id: str | None) -> Shopper | None:
        """What is known of a user; None for nobody, and for one that the world does not hold."""
        if user_id is None:
            return None
        if user_id not in self._shoppers:
            self._shoppers[user_id] = read_shopper(self._world, self.stock, user_id)
        return self._shoppers[user_id]

    def _found(self, query: Query) -> Iterator[Finding]:
        """Of a query that was made for another world nothing else is said."""
        here = self._world.manifest.fingerprint
        if query.world_fingerprint not in (None, here):
            yield found(OTHER_WORLD, query.world_fingerprint[:12], f"this world is {here[:12]}")
            return
        case = self.case(query)
        for family in _FAMILIES:
            yield from family.check(case)
