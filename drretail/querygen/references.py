"""The baskets by which reports on a query are measured, found in a world by what the query's words ask for."""

from drretail.env.world import World
from drretail.grounding.basket_reference import reference_of
from drretail.querygen.lint import Linter
from drretail.records.query import Query, Reference


class References:
    """The references of one world's queries; remembers what it looks up, as a linter does."""

    def __init__(self, world: World) -> None:
        self._linter = Linter(world)

    def of(self, query: Query) -> Reference:
        """What the shop could sell for a query; what its user has already is left out, unless it is wanted again."""
        case = self._linter.case(query)
        return reference_of(query, case.thing_slots, case.constraints.owned)
