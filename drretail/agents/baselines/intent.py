"""Beside queries that hide limits of their wish: the best basket for what the text states, without and with asking."""

import asyncio

from drretail.agents.base import Agent
from drretail.agents.baselines import oracle
from drretail.env.offers import Offers
from drretail.env.session import Session
from drretail.llm.models import Models
from drretail.records.query import Task
from drretail.records.run import ASK_SHOPPER, Answer, Limits
from drretail.records.wish import TOPICS
from drretail.tools.toolkit import Toolkit


async def mute_oracle(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    """The best basket for what the query states."""
    return await oracle.answer(await asyncio.to_thread(_as_known, task, session), session, models, limits)


async def ask_all(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    """The best basket for what the query states and the shopper tells, asked once on each topic."""
    if session.shopper is not None:
        with Toolkit(session) as toolkit:
            await toolkit.acall_all(
                [(ASK_SHOPPER, {"topic": topic, "question": f"What matters to you: {topic}?"}) for topic in TOPICS]
            )
    return await mute_oracle(task, session, models, limits)


def _as_known(task: Task, session: Session) -> Task:
    """The task with the wish as far as it is known by now, and what the shop could sell for that."""
    if session.shopper is None or session.shopper.query.wish is None:
        return task
    query = session.shopper.query
    released = {fact.key for answered, _ in session.shopper.answers for fact in answered.new}
    wish = session.shopper.query.wish.without([fact for fact in query.hidden if fact.key not in released])
    known = query.model_copy(update={"wish": wish, "hidden": ()})
    return task.model_copy(update={"wish": wish, "reference": Offers(session.world).reference(known)})


MUTE_ORACLE = Agent(mute_oracle, roles=(), heeds=frozenset(), is_baseline=True, sees_reference=True)
ASK_ALL = Agent(ask_all, roles=(), heeds=frozenset(), is_baseline=True, sees_reference=True)
