"""The condition on what is known about the shopper: information."""

from collections.abc import Sequence
from typing import Literal

from drretail.conditions.condition import Condition, dropping, with_options
from drretail.env.world import World
from drretail.errors import UserError
from drretail.records.query import Query
from drretail.records.run import INFORMATION, INFORMED, System


def known_of(information: Literal["context", "persona"], query: Query) -> str:
    """What a query holds of this kind on its user. Raises UserError if it holds none."""
    if not (text := query.persona if information == "persona" else query.context):
        raise UserError(
            f"The query {query.query_id!r} holds no {information} of its user: make queries that do with drretail "
            "queries pair (drretail/addons/personas/README.md)."
        )
    return text


class _Information(Condition):
    """PDR-Bench's settings (Table 2) and drretail's own, "tools"."""

    def put(self, system: System, value: str, world: World) -> System:
        self.check(value)
        if value == self.default:
            return system
        without = sorted({*system.options.get("without", ()), "user"})
        return with_options(system, {INFORMED: value, "without": without})

    def check_queries(self, value: str, queries: Sequence[Query]) -> None:
        if value in ("context", "persona"):
            for query in queries:
                known_of(value, query)

    def of(self, system: System) -> str:
        return system.information

    def without(self, system: System) -> System:
        return dropping(system, INFORMED, tools="" if system.information == "tools" else "user")


INFORMATION_CONDITION = _Information(
    name=INFORMED,
    about="what is known about the shopper",
    values=INFORMATION,
    default="tools",
    is_stepwise=True,
    in_words={"task": "task only", "context": "with context", "persona": "with persona", "tools": "with tools"},
)
