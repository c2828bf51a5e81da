"""The query's own words, as a report."""

from drretail.agents.base import Agent
from drretail.env.session import Session
from drretail.llm.models import Models
from drretail.records.query import Task
from drretail.records.run import Answer, Limits


async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    """The question, given back as the answer."""
    del session, models, limits
    return Answer(report=task.text)


COPY = Agent(answer, roles=(), heeds=frozenset(), is_yardstick=True)
