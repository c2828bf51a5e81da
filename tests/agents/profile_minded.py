"""Agents without a model: one that never looks at a profile, and one that looks at nothing else."""

from typing import Any

from drretail.agents.base import Agent
from drretail.env.session import Session
from drretail.llm.models import Models
from drretail.records.query import Task
from drretail.records.reading import Pick
from drretail.records.run import Answer, Limits
from drretail.tools.toolkit import Toolkit

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
