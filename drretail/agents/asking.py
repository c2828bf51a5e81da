"""What systems are told where the shopper can be asked, and the model and the person that answer as the shopper."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import Field

from drretail.agents.prompt_blocks import agent_prompt
from drretail.env.session import Session
from drretail.errors import ModelError
from drretail.grounding.constraints.stated import states
from drretail.grounding.report.evidence_ids import shopper_evidence_id
from drretail.grounding.text.serialisation import compact_json
from drretail.journal import Effects, Outcome
from drretail.llm.models import Models
from drretail.prompts import Prompt, tagged
from drretail.records.base import Record, canonical_json
from drretail.records.query import Query
from drretail.records.run import ASK_SHOPPER, SHOPPER
from drretail.records.wish import Hidden, Topic, Wish
from drretail.tools.registry import json_schemas
from drretail.tools.shopper import ASKING

REPAIRS = 1
"""How often a model that speaks as the shopper is asked again; after that the scripted words stand."""


def asking_notes(session: Session) -> list[str]:
    """What whoever can ask the shopper is told of that; nothing where nobody can be asked."""
    return [] if session.shopper is None else [_instruction().render().rstrip()]


def answer_notes(session: Session) -> list[str]:
    """What the shopper has answered so far, in a tag, each with the id to cite it by."""
    answers = [] if session.shopper is None else session.shopper.answers
    lines = [
        {"evidence": shopper_evidence_id(told.topic, told.number), "topic": told.topic, "answer": answer}
        for told, answer in answers
        if told.is_answered
    ]
    if not lines:
        return []
    block = tagged("shopper_answers", "\n".join(map(compact_json, lines)))
    return [f"What the shopper has answered counts like the question:\n{block}"]


def ask_shopper_prompt() -> Prompt:
    """The wording whose hash a run records, with the schema of the tool, which is none of the nine."""
    schema = canonical_json(json_schemas({ASK_SHOPPER: ASKING}))
    return Prompt("asking", f"{_instruction().text}\n{schema}")


def shopper_prompt() -> Prompt:
    """What a model is told that speaks as the shopper."""
    return agent_prompt(__file__, "shopper")


def _instruction() -> Prompt:
    return agent_prompt(__file__, "asking")


class Spoken(Record):
    """What the shopper says."""

    answer: str = Field(min_length=1, max_length=400, description="One or two short sentences.")


@dataclass(slots=True)
class ModelShopper:
    """A model that speaks as the shopper. It is shown the limits that are told and no others, so it can leak none.

    Called in the thread of a tool; its model is asked in ``loop``, where clients keep their connections.
    """

    query: Query
    models: Models
    loop: asyncio.AbstractEventLoop

    def __call__(self, topic: Topic, question: str, facts: Sequence[Hidden], effects: Effects) -> str | None:
        if not facts:
            return None
        try:
            return asyncio.run_coroutine_threadsafe(self._spoken(question, facts, effects.name), self.loop).result()
        except ModelError:
            return None

    async def _spoken(self, question: str, facts: Sequence[Hidden], scope: str) -> str:
        persona = [tagged("persona", self.query.persona)] if self.query.persona else []
        parts = [*persona, tagged("facts", "\n".join(fact.say for fact in facts)), tagged("question", question)]
        messages = [SystemMessage(shopper_prompt().render()), HumanMessage("\n".join(parts))]
        wish = self.query.wish or Wish()

        def check(spoken: Spoken) -> str | None:
            is_stated = states(spoken.answer, wish)
            told = {fact.key for fact in facts}
            if missing := [fact for fact in facts if not is_stated(fact)]:
                return f"it does not say: {missing[0].say}"
            leaked = any(is_stated(fact) for fact in self.query.hidden if fact.key not in told)
            return "it says more than the facts: leave out every other number, name and property" if leaked else None

        answer = await self.models.ask(SHOPPER, messages, Spoken, path=scope, check=check, repairs=REPAIRS)
        return answer.answer


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who answers for themselves; ``read`` shows the question and gives the answer.

    The journal keeps it, so that a run that is replayed asks nobody.
    """

    read: Callable[[Topic, str], str]

    def __call__(self, topic: Topic, question: str, facts: Sequence[Hidden], effects: Effects) -> str | None:
        def asked() -> Outcome:
            return Outcome(self.read(topic, question).strip())

        return effects.perform("shopper", {"topic": topic, "question": question}, asked).response or None
