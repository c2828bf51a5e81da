"""One question with all that is read in it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from drretail.offline.shopper.reading.asked import Asked, Phrase, read_asked
from drretail.offline.shopper.reading.brands import read_brands
from drretail.offline.shopper.reading.budget import Scope, read_budget
from drretail.offline.shopper.reading.deadline import read_deadline
from drretail.offline.shopper.reading.demands import read_demands
from drretail.offline.shopper.reading.scope import is_said_of
from drretail.records.money import Money
from drretail.records.query import Demand

_OR_ALONE = re.compile(
    r"(?:\s+\([^()]*\))?\s*,?\s*\bor\b(?:\s+(?:else|rather|maybe|perhaps|instead|alternatively))?"
    r"(?:\s+(?:an?|some|the|new|good|better|nice|my|our|two|three|four|\d{1,2}))*\s+(?:[\w-]+\s+){0,2}"
)
"""What stands between two things of which either will do."""
_USED_UP = re.compile(
    r"\b(?:run(?:s|ning)?|ran)\s+(?:low|out)|\bout\s+of\b|\bsame\b|\b(?:buy|order|get)\s+(?:\w+\s+)?again\b"
    r"|\bre-?(?:order|stock|fill)|\breplenish",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Question:
    """The text of a question; each part of what it says is read once."""

    text: str

    @cached_property
    def asked(self) -> Asked:
        return read_asked(self.text)

    @cached_property
    def budget(self) -> tuple[Money, Scope] | None:
        """The most to be spent, and whether on everything together or on each item."""
        return read_budget(self.text)

    @cached_property
    def brands_wanted(self) -> tuple[str, ...]:
        return read_brands(self.text)[0]

    @cached_property
    def brands_unwanted(self) -> tuple[str, ...]:
        return read_brands(self.text)[1]

    @cached_property
    def must(self) -> tuple[Demand, ...]:
        return read_demands(self.text)[0]

    @cached_property
    def must_not(self) -> tuple[Demand, ...]:
        return read_demands(self.text)[1]

    @cached_property
    def deadline(self) -> str | None:
        return read_deadline(self.text)

    def weighs(self, phrases: Sequence[Phrase]) -> bool:
        """True where these are two things of which one is to be bought."""
        if len(phrases) != 2 or phrases[0].sentence != phrases[1].sentence:
            return False
        first, second = sorted(phrases, key=lambda phrase: phrase.start)
        between = self.text[first.end : second.start].casefold()
        if self.asked.either:
            return " or " in between and " and " not in between
        return _OR_ALONE.fullmatch(between) is not None

    def wants_again(self, phrase: Phrase) -> bool:
        """True where the very product that the shopper has may be bought once more."""
        return phrase.anew and _USED_UP.search(self.text) is not None


def said_of(demands: Sequence[Demand], name: str, names: Sequence[str]) -> tuple[str, ...]:
    """What is demanded of the thing of this name: all that is not said of others of the names alone."""
    found: list[str] = []
    for demand in demands:
        concerned = [other for other in names if is_said_of(demand, other)]
        if not concerned or name in concerned:
            found.append(demand.property)
    return tuple(found)
