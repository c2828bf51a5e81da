"""What a shopper tells of the limits that a query hides: which topic is asked about decides it, and nothing else.

No question is read, so no wording gets more out of a shopper than its topic holds.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from drretail.records.query import QUESTIONS, Query
from drretail.records.run import ASK_SHOPPER, Step
from drretail.records.wish import TOPICS, Hidden, Topic

NO_WISH = "I don't mind."
IN_THE_RECORD = "My account with you shows that."
NO_TIME = "I have to go."


@dataclass(frozen=True, slots=True)
class Release:
    """What one question brings."""

    topic: Topic
    number: int
    """Of the question on that topic, from 1."""
    left: int
    """Questions that are still answered."""
    new: tuple[Hidden, ...] = ()
    """The limits that are told for the first time."""
    facts: tuple[Hidden, ...] = ()
    """The limits of the answer: where there is nothing new, those told on the topic before."""
    answer: str = NO_TIME
    """The scripted words."""
    is_answered: bool = True
    """False for a question too many."""


def releases(query: Query, topics: Iterable[Topic]) -> list[Release]:
    """What questions on these topics bring, one after the other. Pure."""
    found: list[Release] = []
    known: dict[tuple[str, int | None, str | None], Hidden] = {}
    questions = QUESTIONS if query.questions is None else query.questions
    for place, topic in enumerate(topics, 1):
        number = 1 + sum(each.topic == topic for each in found)
        if place > questions:
            found.append(Release(topic, number, 0, is_answered=False))
            continue
        on_topic = [fact for fact in query.hidden if fact.topic == topic]
        tellable = [fact for fact in on_topic if fact.known_from == "asked"]
        new = [fact for fact in tellable if fact.key not in known]
        new = new if query.manner == "open" else new[:1]
        facts = tuple(new or (fact for fact in tellable if fact.key in known))
        known |= {fact.key: fact for fact in new}
        nothing = IN_THE_RECORD if len(tellable) < len(on_topic) else NO_WISH
        answer = " ".join(fact.say for fact in facts) or nothing
        found.append(Release(topic, number, questions - place, tuple(new), facts, answer))
    return found


def asked_topics(steps: Iterable[Step]) -> list[Topic]:
    """The topics that a run asked about, in its order."""
    asked = (step.args or {} for step in steps if step.name == ASK_SHOPPER and step.error is None)
    return [topic for args in asked if (topic := args.get("topic")) in TOPICS]
