"""What recorded tokens cost: by role and together, from usage and the price table alone."""

from collections.abc import Mapping
from dataclasses import dataclass

from drretail.llm.prices import PriceTable, dollars
from drretail.records.run import RoleModel, Usage


@dataclass(frozen=True, slots=True)
class Cost:
    """Tokens and what they cost; ``dollars`` is None when the price of a model in ``unpriced`` is unknown."""

    usage: Usage
    dollars: float | None
    unpriced: tuple[str, ...] = ()

    def plus(self, other: "Cost") -> "Cost":
        known = None if self.dollars is None or other.dollars is None else self.dollars + other.dollars
        unpriced = tuple(sorted({*self.unpriced, *other.unpriced}))
        return Cost(self.usage.plus(other.usage), known, unpriced)


NOTHING = Cost(Usage(), 0)


def cost_by_role(usage: Mapping[str, Usage], models: Mapping[str, RoleModel], prices: PriceTable) -> dict[str, Cost]:
    """The cost of every role that used tokens."""
    return {role: _cost(used, models[role], prices) for role, used in sorted(usage.items())}


def cost_of(usage: Mapping[str, Usage], models: Mapping[str, RoleModel], prices: PriceTable) -> Cost:
    """The cost of all roles together."""
    total = NOTHING
    for part in cost_by_role(usage, models, prices).values():
        total = total.plus(part)
    return total


def _cost(used: Usage, model: RoleModel, prices: PriceTable) -> Cost:
    price = prices.of(model.spec, own_server=bool((model.params or {}).get("own_server")))
    return Cost(used, None, (model.spec,)) if price is None else Cost(used, dollars(used, price))
