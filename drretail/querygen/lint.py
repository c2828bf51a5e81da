"""All checks of all queries of a file."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from drretail.env.world import World
from drretail.errors import UserError
from drretail.querygen.checks import agreement, contract, feasibility, names, privacy, wording
from drretail.querygen.checks.case import Case, Code, found
from drretail.querygen.checks.stock import Shopper, Stock, read_shopper
from drretail.records.evidence import Finding
from drretail.records.query import Query, Reference
from drretail.tables.figures import counted

OTHER_WORLD = "other_world"
_FAMILIES = (names, agreement, feasibility, privacy)
"""Of every query, in the order in which findings are given."""
OPINIONS = {
    "not_sensible": Code("the reader doubts that a shopper with this history would ask it", "ask something else"),
    "wish_unlike_text": Code("the reader finds that text and wish differ", "correct the one that is wrong"),
    "not_anonymous": Code("the reader finds in the text who asks it", "take it out of the text"),
}
"""What a model that reads may find (by_model/opinion.py): by the field of its answer that says no, in its order."""
CODES: dict[str, Code] = {
    **OPINIONS,
    **{code: entry for family in (*_FAMILIES, wording, contract) for code, entry in family.CODES.items()},
    OTHER_WORLD: Code("the query was made for another world", "name its world, or make queries for this one"),
}


@dataclass(frozen=True, slots=True)
class Checked:
    """A query with what was found; ``reference`` holds the baskets that keep to its wish, or why there is none."""

    query: Query
    findings: tuple[Finding, ...]
    reference: Reference

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

    def check_world(self, queries: Sequence[Query]) -> None:
        """Raises UserError where all queries belong to another world, by their fingerprint or by their users."""
        here, made_for = self._world.manifest.fingerprint, {query.world_fingerprint for query in queries}
        users = {query.user_id for query in queries} - {None}
        if here not in made_for and None not in made_for:
            whose = f"were made for the world {', '.join(sorted(name[:12] for name in made_for if name))}"
        elif here not in made_for and users and not any(map(self.shopper, users)):
            whose = f"are of {counted(len(users), 'user')}, and this world holds none of them"
        else:
            return
        raise UserError(
            f"All {len(queries)} queries {whose}; this world is {here[:12]}: name their world with --world, or make "
            "queries for this one."
        )

    def check_all(self, queries: Sequence[Query]) -> tuple[Checked, ...]:
        """Every query in order, with the findings of its own, and the later one of two that are alike."""
        alike = wording.near_duplicates(queries)
        return tuple(self.check(query, also=filter(None, [alike.get(query.query_id)])) for query in queries)

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
            # What a query hides, the shopper answers: the wish stands for both together.
            whole = query.model_copy(update={"text": query.full_text}) if query.hidden else query
            self._cases[key] = Case(whole, self.shopper(query.user_id), self.stock, self._world.manifest.now)
        return self._cases[key]

    def shopper(self, user_id: str | None) -> Shopper | None:
        """What is known of a user; None for nobody, and for one that the world does not hold."""
        if user_id is None:
            return None
        if user_id not in self._shoppers:
            self._shoppers[user_id] = read_shopper(self._world, self.stock, user_id)
        return self._shoppers[user_id]

    def _found(self, query: Query) -> Iterator[Finding]:
        """Nothing else is found in a query that was made for another world."""
        here = self._world.manifest.fingerprint
        if query.world_fingerprint not in (None, here):
            yield found(OTHER_WORLD, query.world_fingerprint[:12], f"this world is {here[:12]}")
            return
        case = self.case(query)
        for family in _FAMILIES:
            yield from family.check(case)
        if contract.binds(query):
            yield from contract.check(case)
        elif query.source.startswith("offline:") and not query.infeasible:  # a twin is made to fail
            yield from contract.check_rules(case)
