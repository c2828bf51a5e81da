"""Who speaks as the shopper in a run: a model, or a person."""

import asyncio
from collections.abc import Callable, Sequence

from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import Field

from drretail.agents.information import shopper_prompt
from drretail.env.session import Speaker
from drretail.errors import ModelError
from drretail.grounding.constraints.releases import states
from drretail.journal import Effects, Outcome
from drretail.llm.models import Models
from drretail.llm.prompts.prompt import tagged
from drretail.records.base import Record
from drretail.records.query import Query
from drretail.records.run import SHOPPER
from drretail.records.wish import Hidden, Topic, Wish


class Spoken(Record):
    """What the shopper says."""

    answer: str = Field(min_length=1, max_length=400, description="One or two short sentences.")


def spoken_by_model(query: Query, models: Models, loop: asyncio.AbstractEventLoop) -> Speaker:
    """A speaker whose answers a model words. The model is shown only the limits that are told, so that it can leak no
    others.

    The speaker is called in the thread of a tool. Its model is asked in ``loop``, where clients keep their connections.
    """

    async def spoken(question: str, facts: Sequence[Hidden], scope: str) -> str:
        persona = [tagged("persona", query.persona)] if query.persona else []
        parts = [*persona, tagged("facts", "\n".join(fact.say for fact in facts)), tagged("question", question)]
        messages = [SystemMessage(shopper_prompt().render()), HumanMessage("\n".join(parts))]

        def check(answer: Spoken) -> str | None:
            is_stated = states(answer.answer, query.wish or Wish())
            if missing := [fact for fact in facts if not is_stated(fact)]:
                return f"it does not say: {missing[0].say}"
            leaked = any(is_stated(fact) for fact in query.hidden if fact not in facts)
            return "it says more than the facts: leave out every other number, name and property" if leaked else None

        return (await models.ask(SHOPPER, messages, Spoken, path=scope, check=check, repairs=1)).answer

    def speak(topic: Topic, question: str, facts: Sequence[Hidden], effects: Effects) -> str | None:
        if not facts:
            return None
        try:
            return asyncio.run_coroutine_threadsafe(spoken(question, facts, effects.name), loop).result()
        except ModelError:
            return None

    return speak


def spoken_by_person(read: Callable[[Topic, str], str]) -> Speaker:
    """A speaker for a person, who answers by ``read``. The journal keeps the answers, so that a replayed run asks
    nobody.
    """

    def speak(topic: Topic, question: str, facts: Sequence[Hidden], effects: Effects) -> str | None:
        request = {"topic": topic, "question": question}
        return effects.perform("shopper", request, lambda: Outcome(read(topic, question).strip())).response or None

    return speak
