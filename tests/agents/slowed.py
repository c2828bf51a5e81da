"""react with models that take their time, for tests that interrupt the real command line.

It is named as any agent of a user's own: ``--agent tests.agents.slowed:REACT``. How long each model call takes, in
seconds, stands in the environment variable ``SLOWED_BY``.
"""

import asyncio
import os
from dataclasses import replace
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatResult

from drretail.agents.registry import load_agent
from drretail.env.session import Session
from drretail.llm.models import Models
from drretail.llm.offline.chat import OfflineChat
from drretail.records.query import Task
from drretail.records.run import Answer, Limits


class SlowChat(OfflineChat):
    """An offline model that answers after a while."""

    seconds: float = 0.0

    async def _agenerate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        await asyncio.sleep(self.seconds)
        return await super()._agenerate(messages, *args, **kwargs)


async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Answer | str:
    seconds = float(os.environ.get("SLOWED_BY", "0"))
    for role, model in models.by_role.items():
        assert isinstance(model.chat, OfflineChat)
        slow = SlowChat(policy=model.chat.policy, model=model.chat.model, seconds=seconds)
        models.by_role = {**models.by_role, role: model.with_chat(slow)}
    return await BUILT_IN.answer(task, session, models, limits)


BUILT_IN = load_agent("react")
REACT = replace(BUILT_IN, answer=answer)
