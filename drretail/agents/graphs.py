"""Agents that are compiled graphs of LangGraph.

A run is one invocation of the graph. What it works with, such as its models and tools, is the graph's context, a Loop;
what it knows is the state, which a checkpointer can keep: who asks is part of the task.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages

from drretail.agents.loop import Launching, Loop, State, begun
from drretail.env.session import Session, Shown
from drretail.llm.models import Models
from drretail.records.query import Task
from drretail.records.run import Answer, Limits


class Reporting(State):
    """The state of a graph that answers a task."""

    messages: Annotated[list[AnyMessage], add_messages]
    """The questions and their reports, which is all that a graph around it sees."""
    task: Task
    answer: Answer


class Leading(Launching, Reporting):
    """The same, of a graph that launches branches."""


@dataclass(frozen=True, slots=True)
class Graphed:
    """An agent's function, which invokes its graph."""

    graph: Callable[[], Any]
    """The compiled graph."""
    open_loop: Callable[[Session, Models, Limits], Loop]
    """Makes its context."""
    first_messages: Callable[[Task, Session, Limits], list[AnyMessage]]
    """The first messages of its loop."""

    async def __call__(self, task: Task, session: Session, models: Models, limits: Limits) -> Answer:
        """The graph's answer. Raises ModelError if there is none."""
        loop, begun = self.open_loop(session, models, limits), self.begun(task, session, limits)
        end = await self.graph().ainvoke(begun, context=loop, output_keys=["answer"], version="v2")
        return end.value["answer"]

    def begun(self, task: Task, session: Session, limits: Limits, shown_before: Sequence[Shown] = ()) -> dict[str, Any]:
        """The state that a run begins with."""
        return {**begun(self.first_messages(task, session, limits), shown_before), "task": task}
