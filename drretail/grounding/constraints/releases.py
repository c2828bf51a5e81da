"""What a shopper says of the limits that a query hides, which depends only on the topics that are asked about.

No question's words are read, so no wording gets more than its topic holds. Whether a text states a limit is decided by
values: numbers are compared as numbers, everything else as words by their stems.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from drretail.grounding.text.amounts import find_amounts
from drretail.grounding.text.words import NUMBERS, content_stems, stem, words
from drretail.records.query import QUESTIONS, Query
from drretail.records.run import ASK_SHOPPER, Step
from drretail.records.shop import Money
from drretail.records.wish import TOPICS, Hidden, Topic, Wish, WishPart

NO_WISH = "I don't mind."
IN_THE_RECORD = "My account with you shows that."
NO_TIME = "I have to go."


@dataclass(frozen=True, slots=True)
class Release:
    """The answer to one question."""

    topic: Topic
    number: int
    """The number of the question on that topic, from 1."""
    left: int
    """How many more questions are answered."""
    new: tuple[Hidden, ...] = ()
    """The limits that are told for the first time."""
    facts: tuple[Hidden, ...] = ()
    """The limits in the answer; if none is new, those told on the topic before."""
    answer: str = NO_TIME
    """The scripted words."""
    is_answered: bool = True
    """False for questions beyond the limit."""


def releases(query: Query, topics: Iterable[Topic]) -> list[Release]:
    """The answers to questions on these topics, one after the other. Pure."""
    made: list[Release] = []
    released: set[tuple[str, int | None, str | None]] = set()
    questions = QUESTIONS if query.questions is None else query.questions
    for place, topic in enumerate(topics, 1):
        number = 1 + sum(each.topic == topic for each in made)
        if place > questions:
            made.append(Release(topic, number, 0, is_answered=False))
            continue
        on_topic = [fact for fact in query.hidden if fact.topic == topic]
        tellable = [fact for fact in on_topic if fact.known_from == "asked"]
        new = [fact for fact in tellable if fact.key not in released]
        new = new if query.manner == "open" else new[:1]
        released |= {fact.key for fact in new}
        nothing = IN_THE_RECORD if len(tellable) < len(on_topic) else NO_WISH
        facts = tuple(new or tellable)
        answer = " ".join(fact.say for fact in facts) or nothing
        made.append(Release(topic, number, questions - place, tuple(new), facts, answer))
    return made


def releases_in(query: Query, steps: Iterable[Step]) -> list[Release]:
    """The answers to a run's questions."""
    calls = (step.args or {} for step in steps if step.name == ASK_SHOPPER and step.error is None)
    return releases(query, [topic for args in calls if (topic := args.get("topic")) in TOPICS])


def states(text: str, wish: Wish) -> Callable[[WishPart], bool]:
    """A function that tells whether the text states a limit of the wish."""
    spoken = [*words(text)]
    numbers = {end for amount in find_amounts(text) for end in (amount.low, amount.high)}
    numbers |= {Decimal(NUMBERS[word]) for word in spoken if word in NUMBERS}
    stems = {*content_stems(text), *map(stem, spoken)}

    def holds(value: str) -> bool:
        wanted = content_stems(value)
        # A value of stop words or digits only, such as "2 in 1", is searched literally.
        return stems.issuperset(wanted) if wanted else value.casefold() in text.casefold()

    def is_stated(part: WishPart) -> bool:
        value = value_of(part, wish)
        if isinstance(value, Money):
            return value.value in numbers
        if isinstance(value, int | float):
            return Decimal(str(value)) in numbers
        return any(holds(each) for each in ([value] if isinstance(value, str) else value))

    return is_stated


def value_of(part: WishPart, wish: Wish) -> Any:
    """The value of a limit: an amount, a number, a text, or alternatives."""
    if part.value is not None:
        return part.value
    return getattr(wish if part.index is None else wish.wants[part.index], part.field)
