"""Agents of somebody else's: one with a tool and a role of its own, and two without a model."""

from typing import Any

from langchain_core.messages import HumanMessage

from drretail.agents.base import Agent, task_message
from drretail.agents.loop import Loop, ToolExecutor
from drretail.env.session import Session
from drretail.llm.models import Models
from drretail.records.query import Task
from drretail.records.reading import Pick
from drretail.records.run import Answer, Limits
from drretail.tools.tool import Tool, ToolResult
from drretail.tools.toolkit import Toolkit


def shipping(session: Session, weight: float) -> ToolResult:
    """Says what it costs to ship a parcel.

    Args:
        weight: Of the parcel, in pounds.

    Returns:
        The price in dollars.
    """
    del session
    return ToolResult({"dollars": 4 + weight / 2}, ())


SHIPPING = Tool("shipping", shipping, "read")


async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    """What a buyer finds, in the words of a critic."""
    with Toolkit(session) as toolkit:
        hands = ToolExecutor(toolkit, models, "0", role="buyer")
        found = await Loop("buyer", "0", models, hands, limits.tool_turns).run([task_message(task, session)])
    report = await models.call("critic", [HumanMessage(found.text)])
    return Answer(report=report.text)


BUYER = Agent(answer, roles=("buyer", "critic"), tools=(SHIPPING,))


FEEDER = {"query": "bird feeder", "sort_by": "price", "order": "asc", "limit": 5}


async def _said(toolkit: Toolkit, name: str, args: dict[str, Any]) -> dict[str, Any]:
    (reply,) = await toolkit.acall_all([(name, args)])
    assert reply.error is None, reply.text
    return reply.value


def _recommending(card: dict[str, Any]) -> Answer:
    picks = (Pick(product=card["product_id"]),)
    return Answer(report=f"Get the **{card['title']}** [P:{card['product_id']}].", picks=picks)


async def ignoring(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    """Recommends the cheapest bird feeder to everybody."""
    del models, limits
    with Toolkit(session) as toolkit:
        await _said(toolkit, "get_user_orders", {"user_id": task.user_id})
        return _recommending((await _said(toolkit, "product_catalog_search", FEEDER))["hits"][0])


async def obeying(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    """Recommends more of what was bought last, whatever the query asks for."""
    del models, limits
    with Toolkit(session) as toolkit:
        orders = (await _said(toolkit, "get_user_orders", {"user_id": task.user_id}))["orders"]
        if not orders:
            return Answer(report="I know nothing of you.", picks=())
        bought = {order["product_id"] for order in orders}
        details = await _said(toolkit, "get_product_details", {"product_id": orders[0]["product_id"]})
        hits = (await _said(toolkit, "product_catalog_search", {"query": details["title"], "limit": 10}))["hits"]
        return _recommending(next(card for card in hits if card["product_id"] not in bought))


IGNORING = Agent(ignoring, roles=())
OBEYING = Agent(obeying, roles=())
