"""An agent of somebody else's, with a tool and a role of its own."""

from typing import Any

from langchain_core.messages import HumanMessage
from langgraph.graph import START

from drretail.agents.base import Agent, task_message
from drretail.agents.loop import Loop, State, begun, ended, react
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


class Found(State):
    words: str


async def found(state: State, loop: Loop) -> dict[str, Any]:
    return {"words": (await ended(state, loop)).text}


GRAPH: Any = react(Found, found).add_edge(START, "think").compile()


async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    """What a buyer finds, in the words of a critic."""
    toolkit = Toolkit(session)
    loop = Loop("buyer", models, toolkit, limits.tool_turns)
    end = await GRAPH.ainvoke(begun([task_message(task, session)]), context=loop)
    report = await models.call("critic", [HumanMessage(end["words"])])
    return Answer(report=report.text)


BUYER = Agent(answer, roles=("buyer", "critic"), tools=(SHIPPING,))
