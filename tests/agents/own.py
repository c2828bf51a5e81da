"""An agent of somebody else's, with a tool and a role of its own."""

from langchain_core.messages import HumanMessage

from drretail.agents.base import Agent, task_message
from drretail.agents.loop import Loop, ToolExecutor
from drretail.env.session import Session
from drretail.llm.models import Models
from drretail.records.query import Task
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
