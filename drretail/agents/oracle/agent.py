"""The ceiling: the best basket that keeps to a query, with each product looked up and the total computed.

No other agent is told the reference; this one does no research, and so says nothing of the web or of the user.
"""

from collections.abc import Sequence
from typing import Any

from drretail.agents.base import Agent
from drretail.agents.oracle.report import report_of, report_without
from drretail.env.session import Session
from drretail.errors import ModelError
from drretail.llm.models import Models
from drretail.records.basket import BasketItem, FoundBasket
from drretail.records.money import Money
from drretail.records.query import Constraints, Task
from drretail.records.run import Answer, Limits
from drretail.tools.toolkit import Call, Toolkit


async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    """The best basket as a report; where there is none, why. Raises ModelError without a reference."""
    del models, limits
    reference = task.reference
    if reference is None or task.constraints is None:
        raise ModelError("agent", "the oracle answers queries of an experiment whose baskets were found when it opened")
    if reference.best is None:
        return Answer(report=report_without(reference))
    with Toolkit(session) as toolkit:
        return Answer(report=await _report(toolkit, reference.best, task.constraints))


async def _report(toolkit: Toolkit, basket: FoundBasket, constraints: Constraints) -> str:
    ids = [item.product_id for item in basket.items]
    records = await _values(toolkit, [("get_product_details", {"product_id": product_id}) for product_id in ids])
    total_id = None
    if len(ids) > 1 or basket.items[0].quantity > 1:
        total_id = await _calculated(toolkit, " + ".join(map(_term, basket.items)))
    left: tuple[Money, str] | None = None
    budget = constraints.budget
    if budget is not None and constraints.budget_scope == "total":
        money = Money.of(budget.value - basket.total.value, budget.currency)
        left = money, await _calculated(toolkit, f"{budget.amount} - {basket.total.amount}")
    return report_of(basket, records, constraints, total_id, left)


def _term(item: BasketItem) -> str:
    return item.price if item.quantity == 1 else f"{item.quantity} * {item.price}"


async def _calculated(toolkit: Toolkit, expression: str) -> str:
    """The evidence of a calculation."""
    (done,) = await _values(toolkit, [("calculator", {"expression": expression})])
    return done["evidence"]


async def _values(toolkit: Toolkit, calls: Sequence[Call]) -> list[dict[str, Any]]:
    replies = await toolkit.acall_all(calls)
    for reply in replies:
        if reply.error is not None:
            raise ModelError("tool", f"what the basket holds can't be looked up: {reply.text}")
    return [reply.value for reply in replies]


ORACLE = Agent(answer, roles=(), heeds=frozenset(), is_yardstick=True, sees_reference=True)
