"""A report without a word."""

from drretail.agents.base import Agent
from drretail.env.session import Session
from drretail.llm.models import Models
from drretail.records.query import Task
from drretail.records.run import Answer, Limits


async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    """Nothing, as a report."""
    del task, session, models, limits
    return Answer(report="")


EMPTY = Agent(answer, roles=(), heeds=frozenset(), is_yardstick=True)
