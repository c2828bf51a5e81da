"""The shopper behind a query that hides limits of its wish: which topic is asked about decides what is told.

No question is read to decide that, so no wording gets more out of a shopper than its topic holds.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from drretail.journal import Effects
from drretail.records.query import QUESTIONS, Query
from drretail.records.run import ASK_SHOPPER, Step
from drretail.records.wish import TOPICS, Hidden, Topic

NO_WISH = "I don't mind."
IN_THE_RECORD = "My account with you shows that."
NO_TIME = "I have to go."


class Speaker(Protocol):
    """Puts what is told into words; it knows of no other limit. None: into the scripted ones."""

    def __call__(self, topic: Topic, question: str, facts: Sequence[Hidden], effects: Effects) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Told:
    """What one question brings."""

    topic: Topic
    number: int
    """Of the question on that topic, from 1."""
    left: int
    """Questions that are still answered."""
    new: tuple[Hidden, ...] = ()
    """The limits that are told for the first time."""
    facts: tuple[Hidden, ...] = ()
    """All that is said: where there is nothing new, what was told on the topic before."""
    is_in_record: bool = False
    """True where there is nothing to tell, and the shopper's record shows what is wanted."""
    is_answered: bool = True
    """False for a question too many."""

    @property
    def answer(self) -> str:
        """In the scripted words."""
        if not self.is_answered:
            return NO_TIME
        return " ".join(fact.say for fact in self.facts) or (IN_THE_RECORD if self.is_in_record else NO_WISH)


def told(query: Query, topics: Iterable[Topic]) -> list[Told]:
    """What questions on these topics bring, one after the other. Pure."""
    found: list[Told] = []
    known: dict[tuple[str, int | None, str | None], Hidden] = {}
    questions = QUESTIONS if query.questions is None else query.questions
    for place, topic in enumerate(topics, 1):
        number = 1 + sum(each.topic == topic for each in found)
        if place > questions:
            found.append(Told(topic, number, 0, is_answered=False))
            continue
        on_topic = [fact for fact in query.hidden if fact.topic == topic]
        tellable = [fact for fact in on_topic if fact.known_from == "asked"]
        new = [fact for fact in tellable if fact.key not in known]
        new = new if query.manner == "open" else new[:1]
        before = [fact for fact in tellable if fact.key in known]
        known |= {fact.key: fact for fact in new}
        is_in_record = len(tellable) < len(on_topic)
        found.append(Told(topic, number, questions - place, tuple(new), tuple(new or before), is_in_record))
    return found


def asked_in(steps: Iterable[Step]) -> list[Topic]:
    """The topics that a run asked about, in its order."""
    asked = (step.args or {} for step in steps if step.name == ASK_SHOPPER and step.error is None)
    return [topic for args in asked if (topic := args.get("topic")) in TOPICS]


@dataclass(slots=True)
class Shopper:
    """One run's talk with the shopper; its questions come one after the other."""

    query: Query
    speaker: Speaker | None = None
    answers: list[tuple[Told, str]] = field(default_factory=list[tuple[Told, str]])
    """What was told so far, with the words for it."""
    notes: list[str] = field(default_factory=list[str])
    """A line for each answer for which the speaker found no words."""

    def answer(self, topic: Topic, question: str, effects: Effects) -> tuple[Told, str]:
        """What is told, and the words for it."""
        (*_, now) = told(self.query, [*(before.topic for before, _ in self.answers), topic])
        spoken = self.speaker(topic, question, now.facts, effects) if self.speaker and now.is_answered else None
        if self.speaker and now.facts and spoken is None:
            self.notes.append(f"the shopper's scripted words stand for answer {len(self.answers) + 1}, on {topic}")
        self.answers.append((now, now.answer if spoken is None else spoken))
        return self.answers[-1]
